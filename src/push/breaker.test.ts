import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Breaker, POLICIES } from './breaker.ts';
import type { PushResult } from './gateway.ts';

const REFUSED: PushResult = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
const ACCEPTED: PushResult = { kind: 'accepted' };

/** A breaker, with counts of the pushes it let through and of the times it closed. */
function newBreaker() {
  const clock = new FakeClock();
  const counts = { sent: 0, closed: 0 };
  const breaker = new Breaker(POLICIES.provider, clock);
  const send = (answer: PushResult | Promise<PushResult>) =>
    breaker.guard(async () => {
      counts.sent += 1;
      const result = await answer;
      if (breaker.note(result) === 'closed') counts.closed += 1;
      return result;
    });
  return { breaker, clock, counts, send };
}

test('after a refusal of our credentials nothing is sent for a minute, and every push gets the refusal', async () => {
  const { clock, counts, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('59s');
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  assert.equal(counts.sent, 1);
});

test('after the minute one push is the probe, and the others get the refusal until it is answered', async () => {
  const { clock, counts, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  const answer = Promise.withResolvers<PushResult>();
  const probe = send(answer.promise);
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  answer.resolve(ACCEPTED);
  assert.deepEqual(await probe, ACCEPTED);
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
  assert.equal(counts.sent, 3);
});

test('a refused probe keeps the breaker open for another minute', async () => {
  const { clock, counts, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await send(REFUSED);
  await clock.advance('59s');
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  await clock.advance('1s');
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
  assert.equal(counts.sent, 3);
});

test('refusals of pushes that were on their way do not make the pause longer', async () => {
  const { breaker, clock, counts, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('30s');
  assert.equal(breaker.note(REFUSED), undefined);
  await clock.advance('30s');
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
  assert.equal(counts.sent, 2);
});

test('after a probe without an answer the next push is a probe', async () => {
  const { clock, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await send({ kind: 'retry', reason: 'timeout' });
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});

test('a gone device, a rejected push or an overload does not open the breaker', async () => {
  const { send } = newBreaker();
  for (const kind of ['gone', 'rejected', 'retry'] as const) await send({ kind, reason: 'any' });
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});

test('a retry that every push would get is a refusal too', async () => {
  const { breaker, counts, send } = newBreaker();
  const expired: PushResult = { kind: 'retry', reason: 'ExpiredProviderToken', isRefusal: true };
  await send(expired);
  assert.deepEqual(await send(ACCEPTED), expired);
  assert.deepEqual([counts.sent, breaker.isOpen()], [1, true]);
});

test('the breaker reports that it is open, and once that it closes', async () => {
  const { breaker, clock, counts, send } = newBreaker();
  assert.equal(breaker.isOpen(), false);
  await send(REFUSED);
  assert.equal(breaker.isOpen(), true);
  await clock.advance('60s');
  await send(ACCEPTED);
  await send(ACCEPTED);
  assert.deepEqual([breaker.isOpen(), counts.closed], [false, 1]);
});

test('after a probe that throws the next push is a probe', async () => {
  const { clock, send } = newBreaker();
  await send(REFUSED);
  await clock.advance('60s');
  await assert.rejects(send(Promise.reject(new Error('a bug'))));
  assert.deepEqual(await send(ACCEPTED), ACCEPTED);
});

test('a push from before the refusal does not close the breaker', async () => {
  const { clock, counts, send } = newBreaker();
  const earlier = Promise.withResolvers<PushResult>();
  const inFlight = send(earlier.promise);
  await send(REFUSED);
  earlier.resolve(ACCEPTED);
  await inFlight;
  await clock.advance('1s');
  assert.deepEqual(await send(ACCEPTED), REFUSED);
  assert.equal(counts.closed, 0);
});

test('every key has a breaker of its own', async () => {
  const breaker = new Breaker(POLICIES.credentials, new FakeClock());
  const refused: PushResult = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  const changes = [1, 2, 3].map(() => breaker.note(refused, 'ada'));
  assert.deepEqual(changes, [undefined, undefined, 'opened']);
  assert.deepEqual(breaker.find('ada'), refused);
  assert.equal(breaker.find('bob'), undefined);
  assert.equal(breaker.note(ACCEPTED, 'ada'), 'closed');
});

test('only three wrong tokens in a row stop a token, and what else is refused says nothing of it', () => {
  const breaker = new Breaker(POLICIES.credentials, new FakeClock());
  const wrong: PushResult = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  const note = (...results: readonly PushResult[]) => {
    for (const result of results) breaker.note(result, 'a token');
    return breaker.isOpen('a token');
  };
  assert.equal(note(...Array<PushResult>(5).fill({ kind: 'rejected', reason: 'http_400' })), false);
  assert.equal(note(wrong, wrong, ACCEPTED, wrong, wrong), false);
  assert.equal(note({ kind: 'retry', reason: 'timeout' }, wrong), true);
  assert.equal(breaker.isOpen('another token'), false);
});

test('what failed and was not used for an hour begins anew', async () => {
  const clock = new FakeClock();
  const breaker = new Breaker(POLICIES.credentials, clock);
  const refused: PushResult = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  for (const key of ['ada', 'bob']) for (let times = 0; times < 2; times += 1) breaker.note(refused, key);
  await clock.advance('59m');
  breaker.note(refused, 'eve');
  assert.equal(breaker.note(refused, 'bob'), 'opened');
  await clock.advance('2m');
  breaker.note(refused, 'kim');
  assert.equal(breaker.note(refused, 'ada'), undefined);
});

test('a server that was silent an hour ago and not used since gets every push, and is reported as back', async () => {
  const clock = new FakeClock();
  const breaker = new Breaker(POLICIES.server, clock);
  const silent: PushResult = { kind: 'retry', reason: 'timeout' };
  for (const person of ['ada', 'ben', 'cleo', 'dora', 'emil']) breaker.note(silent, 'a server', person);
  await clock.advance('60m');
  const endProbe = breaker.probe('a server');
  assert.equal(breaker.find('a server')?.kind, 'retry', 'beside the one that tries it, the others wait');
  endProbe();
  await clock.advance('1ms');
  breaker.probe('a server');
  assert.equal(breaker.find('a server'), undefined);
  assert.equal(breaker.isOpen('a server'), true, 'nobody knows yet that it is back');
  assert.equal(breaker.note(ACCEPTED, 'a server'), 'closed');
});
