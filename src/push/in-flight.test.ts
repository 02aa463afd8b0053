import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unhurried } from '../../test/support/sample-pushes.ts';
import { createLogger } from '../lib/logger.ts';
import type { PushResult } from './gateway.ts';
import { InFlight } from './in-flight.ts';
import { Undelivered } from './undelivered.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const TIMED_OUT: PushResult = { kind: 'retry', reason: 'timeout' };

/** Pushes that are under way until the test answers them. */
function startMany(inFlight: InFlight, count: number) {
  const started: number[] = [];
  const answers = Array.from({ length: count }, () => Promise.withResolvers<PushResult>());
  const controllers = answers.map(() => new AbortController());
  const results = answers.map((answer, index) =>
    inFlight.run(controllers[index]?.signal ?? unhurried(), () => {
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

const inFlightOf = (most: number) => new InFlight(most, createLogger('silent'));

test('no more than the limit are under way, and the rest go out in the order they came', async () => {
  const inFlight = inFlightOf(2);
  const pushes = startMany(inFlight, 4);
  assert.deepEqual(pushes.started, [0, 1]);
  assert.equal(inFlight.room, 0);
  await pushes.answer(1);
  assert.deepEqual(pushes.started, [0, 1, 2]);
  await pushes.answer(0);
  assert.deepEqual(pushes.started, [0, 1, 2, 3]);
  await pushes.answer(2);
  await pushes.answer(3);
  assert.equal(inFlight.room, 2);
});

test('a push whose signal fires in line is answered at once, never goes out and takes no room', async () => {
  const inFlight = inFlightOf(1);
  const pushes = startMany(inFlight, 3);
  pushes.abort(1);
  assert.deepEqual(await pushes.results[1], TIMED_OUT);
  await pushes.answer(0);
  assert.deepEqual(pushes.started, [0, 2]);
  await pushes.answer(2);
  assert.equal(inFlight.room, 1);
});

test('a push whose signal fires under way is answered at once and makes room', async () => {
  const inFlight = inFlightOf(1);
  const pushes = startMany(inFlight, 2);
  pushes.abort(0);
  assert.deepEqual(await pushes.results[0], TIMED_OUT);
  await new Promise(setImmediate);
  assert.deepEqual(pushes.started, [0, 1]);
  await pushes.answer(1);
  assert.equal(inFlight.room, 1);
});

for (let ticks = 0; ticks < 12; ticks += 1) {
  test(`an abort ${ticks} ticks after an answer costs neither the next in line its turn nor the room`, async () => {
    const inFlight = inFlightOf(1);
    const pushes = startMany(inFlight, 3);
    const answered = pushes.answer(0);
    for (let tick = 0; tick < ticks; tick += 1) await null;
    pushes.abort(1);
    await answered;
    assert.equal(pushes.started.at(-1), 2);
    await pushes.answer(2);
    assert.deepEqual(await pushes.results[1], TIMED_OUT);
    assert.equal(inFlight.room, 1);
  });
}

test('a signal that has fired already sends nothing', async () => {
  const result = await inFlightOf(1).run(AbortSignal.abort(), () => assert.fail('It was sent.'));
  assert.deepEqual(result, TIMED_OUT);
});

test('what is thrown becomes a result: the one it carries, or a retry that is logged', async () => {
  const lines: string[] = [];
  const inFlight = new InFlight(1, createLogger('error', { write: (line) => lines.push(line) }));
  const carried: PushResult = { kind: 'misconfigured', reason: 'invalid_grant' };
  assert.deepEqual(await inFlight.run(unhurried(), () => Promise.reject(new Undelivered(carried))), carried);
  assert.equal(lines.length, 0);
  const result = await inFlight.run(unhurried(), () => {
    throw new TypeError('A mistake.');
  });
  assert.deepEqual(result, { kind: 'retry', reason: 'internal' });
  assert.match(lines.join(), /A mistake\./);
  assert.equal(inFlight.room, 1);
});

test('once closed, nobody waits in line and nothing goes out', async () => {
  const inFlight = inFlightOf(1);
  const pushes = startMany(inFlight, 2);
  inFlight.close();
  assert.deepEqual(await pushes.results[1], { kind: 'retry', reason: 'closed' });
  assert.deepEqual(await startMany(inFlight, 1).results[0], { kind: 'retry', reason: 'closed' });
  assert.deepEqual(pushes.started, [0]);
  await pushes.answer(0);
});
