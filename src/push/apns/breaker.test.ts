import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { PushResult } from '../gateway.ts';
import { Breaker } from './breaker.ts';

const REFUSED: PushResult = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
const ACCEPTED: PushResult = { kind: 'accepted' };

/** A breaker, and how often it let anything through. */
function newBreaker() {
  const clock = new FakeClock();
  const breaker = new Breaker(clock);
  const tally = { passed: 0 };
  const send = (answer: PushResult | Promise<PushResult>) =>
    breaker.guard(async () => {
      tally.passed += 1;
      const result = await answer;
      breaker.opensOn(result);
      return result;
    });
  return { clock, tally, send };
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

test('a new token that is refused as expired stops the asking too: our clock is wrong', async () => {
  const { send } = newBreaker();
  const expired: PushResult = { kind: 'retry', reason: 'ExpiredProviderToken' };
  await send(expired);
  assert.deepEqual(await send(ACCEPTED), expired);
});
