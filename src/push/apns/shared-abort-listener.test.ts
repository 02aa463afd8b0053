import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { type AbortTarget, SharedAbortListener } from './shared-abort-listener.ts';

interface NamedItem extends AbortTarget {
  readonly name: string;
}

/** A listener that records the names of aborted items. */
function newListener() {
  const aborted: string[] = [];
  const listener = new SharedAbortListener<NamedItem>((item) => {
    aborted.push(item.name);
    // The request queue removes an aborted request in the same way.
    listener.remove(item);
  });
  return { aborted, listener };
}

const item = (name: string, signal: AbortSignal): NamedItem => ({ name, signal, index: 0 });

test('every item of a signal is aborted once, removed items are not, and the signal has one listener', () => {
  const { aborted, listener } = newListener();
  const controller = new AbortController();
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => item(name, controller.signal));
  assert.ok(a && b && c && d && e);
  for (const each of [a, b, c, d, e]) listener.add(each);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
  for (const each of [b, e, a]) listener.remove(each);
  controller.abort();
  assert.deepEqual(aborted.toSorted(), ['c', 'd']);
});

test('a signal aborts only its own items', () => {
  const { aborted, listener } = newListener();
  const [one, other] = [new AbortController(), new AbortController()];
  listener.add(item('one', one.signal));
  listener.add(item('other', other.signal));
  other.abort();
  assert.deepEqual(aborted, ['other']);
});

test('a signal without items has no listener', () => {
  const { listener } = newListener();
  const { signal } = new AbortController();
  const [a, b] = [item('a', signal), item('b', signal)];
  listener.add(a);
  listener.add(b);
  listener.remove(a);
  listener.remove(b);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
