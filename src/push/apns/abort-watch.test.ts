import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { AbortWatch, type Watched } from './abort-watch.ts';

interface Named extends Watched {
  readonly name: string;
}

/** A watch, and the names of those it told. */
function newWatch() {
  const told: string[] = [];
  const watch = new AbortWatch<Named>((watched) => {
    told.push(watched.name);
    // As the line does: whoever was told has ended, and leaves.
    watch.remove(watched);
  });
  return { told, watch };
}

const named = (name: string, signal: AbortSignal): Named => ({ name, signal, place: 0 });

test('all who share a signal are told once, those who left before are not, and it has one listener', () => {
  const { told, watch } = newWatch();
  const controller = new AbortController();
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => named(name, controller.signal));
  assert.ok(a && b && c && d && e);
  for (const each of [a, b, c, d, e]) watch.add(each);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
  for (const each of [b, e, a]) watch.remove(each);
  controller.abort();
  assert.deepEqual(told.toSorted(), ['c', 'd']);
});

test('another signal tells only its own', () => {
  const { told, watch } = newWatch();
  const [one, other] = [new AbortController(), new AbortController()];
  watch.add(named('one', one.signal));
  watch.add(named('other', other.signal));
  other.abort();
  assert.deepEqual(told, ['other']);
});

test('nothing is left at a signal that nobody waits for any more', () => {
  const { watch } = newWatch();
  const { signal } = new AbortController();
  const [a, b] = [named('a', signal), named('b', signal)];
  watch.add(a);
  watch.add(b);
  watch.remove(a);
  watch.remove(b);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
