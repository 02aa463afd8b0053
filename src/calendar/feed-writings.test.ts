import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedWritings } from './feed-writings.ts';

/** Writes when told to, and counts how often it was begun. */
function pen() {
  const signals: AbortSignal[] = [];
  const finish = Promise.withResolvers<string>();
  const write = async (signal: AbortSignal) => {
    signals.push(signal);
    return finish.promise;
  };
  return { signals, finish, write };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('whoever asks for a feed that is being written gets that writing', async () => {
  const [writings, { signals, finish, write }] = [new FeedWritings(), pen()];
  const nobodyLeaves = new AbortController().signal;
  const read = () => writings.read('feed', 'tag', write, nobodyLeaves);
  const both = Promise.all([read(), read()]);
  finish.resolve('text');
  assert.deepEqual(await both, ['text', 'text']);
  assert.equal(signals.length, 1);
});

test('a writing goes on while somebody waits for it, and stops when the last one hangs up', async () => {
  const [writings, { signals, write }] = [new FeedWritings(), pen()];
  const [ada, grace] = [new AbortController(), new AbortController()];
  const reads = [ada, grace].map(({ signal }) => writings.read('feed', 'tag', write, signal));
  const told = Promise.allSettled(reads);
  await turn();
  ada.abort();
  await turn();
  assert.equal(signals[0]?.aborted, false);
  grace.abort();
  assert.deepEqual(
    (await told).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(signals[0]?.aborted, true);
});

test('a feed that changed is written anew, after the writing under way', async () => {
  const [writings, old, fresh] = [new FeedWritings(), pen(), pen()];
  const nobodyLeaves = new AbortController().signal;
  const first = writings.read('feed', 'old', old.write, nobodyLeaves);
  const second = writings.read('feed', 'new', fresh.write, nobodyLeaves);
  await turn();
  assert.equal(fresh.signals.length, 0);
  old.finish.resolve('old');
  fresh.finish.resolve('new');
  assert.deepEqual(await Promise.all([first, second]), ['old', 'new']);
});
