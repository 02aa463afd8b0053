import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../../test/support/sample-pushes.ts';
import { createLogger } from '../lib/logger.ts';
import type { PushResult } from './gateway.ts';
import { PushError } from './push-error.ts';
import { SendLimiter } from './send-limiter.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const TIMED_OUT: PushResult = { kind: 'retry', reason: 'timeout' };

/** Pushes that stay in flight until the test answers them. */
function startMany(limiter: SendLimiter, count: number) {
  const started: number[] = [];
  const answers = Array.from({ length: count }, () => Promise.withResolvers<PushResult>());
  const controllers = answers.map(() => new AbortController());
  const results = answers.map((answer, index) =>
    limiter.run(controllers[index]?.signal ?? neverAborted(), () => {
      started.push(index);
      return answer.promise;
    }),
  );
  return {
    started,
    results,
    answer: async (index: number) => {
      answers[index]?.resolve(ACCEPTED);
      await results[index];
      await new Promise(setImmediate);
    },
    abort: (index: number) => controllers[index]?.abort(),
  };
}

const newLimiter = (maxInFlight: number) => new SendLimiter(maxInFlight, createLogger('silent'));

test('no more pushes than the limit are in flight, and the others follow in order', async () => {
  const limiter = newLimiter(2);
  const pushes = startMany(limiter, 4);
  await new Promise(setImmediate);
  assert.deepEqual(pushes.started, [0, 1]);
  assert.equal(limiter.capacity, 0);
  await pushes.answer(1);
  assert.deepEqual(pushes.started, [0, 1, 2]);
  await pushes.answer(0);
  assert.deepEqual(pushes.started, [0, 1, 2, 3]);
  await pushes.answer(2);
  await pushes.answer(3);
  assert.equal(limiter.capacity, 2);
});

test('a waiting push whose signal fires ends at once, is never sent and takes no capacity', async () => {
  const limiter = newLimiter(1);
  const pushes = startMany(limiter, 3);
  pushes.abort(1);
  assert.deepEqual(await pushes.results[1], TIMED_OUT);
  await pushes.answer(0);
  assert.deepEqual(pushes.started, [0, 2]);
  await pushes.answer(2);
  assert.equal(limiter.capacity, 1);
});

test('a push in flight whose signal fires ends at once and frees its place', async () => {
  const limiter = newLimiter(1);
  const pushes = startMany(limiter, 2);
  await new Promise(setImmediate);
  pushes.abort(0);
  assert.deepEqual(await pushes.results[0], TIMED_OUT);
  await new Promise(setImmediate);
  assert.deepEqual(pushes.started, [0, 1]);
  await pushes.answer(1);
  assert.equal(limiter.capacity, 1);
});

for (let ticks = 0; ticks < 12; ticks += 1) {
  test(`an abort ${ticks} ticks after an answer neither skips the next waiting push nor loses capacity`, async () => {
    const limiter = newLimiter(1);
    const pushes = startMany(limiter, 3);
    const answered = pushes.answer(0);
    for (let tick = 0; tick < ticks; tick += 1) await null;
    pushes.abort(1);
    await answered;
    assert.equal(pushes.started.at(-1), 2);
    await pushes.answer(2);
    assert.deepEqual(await pushes.results[1], TIMED_OUT);
    assert.equal(limiter.capacity, 1);
  });
}

test('a push whose signal has already fired is not sent', async () => {
  const result = await newLimiter(1).run(AbortSignal.abort(), () => assert.fail('It was sent.'));
  assert.deepEqual(result, TIMED_OUT);
});

test('a PushError becomes the result it carries; any other error is logged and becomes a retry', async () => {
  const lines: string[] = [];
  const limiter = new SendLimiter(1, createLogger('error', { write: (line) => lines.push(line) }));
  const carried: PushResult = { kind: 'misconfigured', reason: 'invalid_grant' };
  assert.deepEqual(await limiter.run(neverAborted(), () => Promise.reject(new PushError(carried))), carried);
  assert.equal(lines.length, 0);
  const result = await limiter.run(neverAborted(), () => {
    throw new TypeError('A bug.');
  });
  assert.deepEqual(result, { kind: 'retry', reason: 'internal' });
  assert.match(lines.join(), /A bug\./);
  assert.equal(limiter.capacity, 1);
});

test('after closing, no push waits and none is sent', async () => {
  const limiter = newLimiter(1);
  const pushes = startMany(limiter, 2);
  limiter.close();
  assert.deepEqual(await pushes.results[1], { kind: 'retry', reason: 'closed' });
  assert.deepEqual(await startMany(limiter, 1).results[0], { kind: 'retry', reason: 'closed' });
  assert.deepEqual(pushes.started, [0]);
  await pushes.answer(0);
});
