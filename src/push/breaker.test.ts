import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Breaker } from './breaker.ts';
import type { PushResult } from './gateway.ts';

const REFUSED: PushResult = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
const ACCEPTED: PushResult = { kind: 'accepted' };

/** A breaker, how often it let anything through, and how often it closed. */
function newBreaker() {
  const clock = new FakeClock();
  const tally = { passed: 0, closed: 0 };
  const breaker = new Breaker(clock, {
    isRefusal: ({ kind }) => kind === 'misconfigured',
    closed: () => {
      tally.closed += 1;
    },
  });
  const send = (answer: PushResult | Promise<PushResult>) =>
    breaker.guard(async () => {
      tally.passed += 1;
      const result = await answer;
      breaker.opensOn(result);
      return result;
    });
  return { breaker, clock, tally, send };
}

test('after a refusal of our credentials nothing is asked for a minute, and everyone hears the refusal', async () => {
  const { clock, tally, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('59s');
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  assert.equal(tally.passed, 1);
});

test('after the minute one push asks again, and the others wait for what it hears', async () => {
  const { clock, tally, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  const answer = Promise.withResolvers<PushResult>();
  const probe = send(answer.promise);
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  answer.resolve(ACCEPTED);
  assert.deepEqual(await probe, ACCEPTED);
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
  assert.equal(tally.passed, 3);
});

test('a probe that is refused closes the way for another minute', async () => {
  const { clock, tally, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await send(REFUSED);
  await clock.advance('59s');
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  await clock.advance('1s');
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
  assert.equal(tally.passed, 3);
});

test('a probe that got no answer lets the next push be one', async () => {
  const { clock, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await send({ kind: 'retry', reason: 'timeout' });
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});

test('a device that is gone, a push that is rejected or an overload stops nobody else', async () => {
  const { send } = newBreaker();
  for (const kind of ['gone', 'rejected', 'retry'] as const) await send({ kind, reason: 'whatever' });
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});

test('it tells whether it is open, and when it closes, once', async () => {
  const { breaker, clock, tally, send } = newBreaker();
  assert.equal(breaker.isOpen, false);
  await send(REFUSED);
  assert.equal(breaker.isOpen, true);
  await clock.advance('60s');
  await send(ACCEPTED);
  await send(ACCEPTED);
  assert.deepEqual([breaker.isOpen, tally.closed], [false, 1]);
});

test('a probe that fails inside the service is followed by the next', async () => {
  const { clock, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await assert.rejects(send(Promise.reject(new Error('a mistake of ours'))));
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});
