import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import type { PushResult } from './gateway.ts';
import { Servers } from './servers.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const NO_ANSWER: PushResult = { kind: 'retry', reason: 'etimedout' };
const SHARED = 'https://hook.example';

function setUp({ placesPerServer = 4 } = {}) {
  const clock = new FakeClock();
  const servers = new Servers({ maxInFlight: 200, placesPerServer }, clock, createLogger('silent'));
  /** A push that the test answers and cuts off. */
  const start = (recipient: string, server = SHARED, isAwaited = false) => {
    const answer = Promise.withResolvers<PushResult>();
    const time = new AbortController();
    let isSent = false;
    const deliver = () => {
      isSent = true;
      return answer.promise;
    };
    return {
      isSent: () => isSent,
      answer: answer.resolve,
      cutOff: () => time.abort(),
      result: servers.send({ server, recipient, isAwaited }, time.signal, deliver),
    };
  };
  const send = (recipient: string, answer: PushResult, server = SHARED) => {
    const push = start(recipient, server);
    push.answer(answer);
    return push.result;
  };
  return { clock, servers, start, send };
}

const turn = () => new Promise(setImmediate);
const isPutOff = (result: PushResult) => result.kind === 'retry' && result.reason === 'service_silent';

test('a push that finds no place at its server does not wait for one, and other servers have places of their own', async () => {
  const { servers, start, send } = setUp({ placesPerServer: 2 });
  const pushes = ['ada', 'bob'].map((name) => start(name));
  assert.equal(servers.capacity, 198, 'before they are on their way');
  assert.deepEqual(await send('eve', ACCEPTED), { kind: 'retry', reason: 'server_busy', isUnsent: true });
  assert.deepEqual(await send('ada', ACCEPTED, 'https://other.example'), ACCEPTED);
  for (const { answer } of pushes) answer(ACCEPTED);
  for (const { result } of pushes) assert.deepEqual(await result, ACCEPTED);
  assert.deepEqual(await send('eve', ACCEPTED), ACCEPTED);
  assert.equal(servers.capacity, 200);
  servers.close();
  assert.deepEqual(await send('eve', ACCEPTED), { kind: 'retry', reason: 'closed', isUnsent: true });
});

test('a test that a person waits for takes no place away from nudges, and waits for other tests', async () => {
  const { start, send } = setUp({ placesPerServer: 1 });
  const nudge = start('ada');
  const tests = ['bob', 'eve', 'kim'].map((name) => start(name, SHARED, true));
  await turn();
  assert.deepEqual(
    tests.map(({ isSent }) => isSent()),
    [true, false, false],
  );
  tests[2]?.cutOff();
  assert.deepEqual(await tests[2]?.result, { kind: 'retry', reason: 'server_busy', isUnsent: true });
  for (const { answer } of tests) answer(ACCEPTED);
  assert.deepEqual(await tests[1]?.result, ACCEPTED);
  nudge.answer(ACCEPTED);
  await nudge.result;
  assert.deepEqual(await send('ada', ACCEPTED), ACCEPTED);
});

test('a server is not called silent because our own signal cut pushes off before it could answer', async () => {
  const { start, send } = setUp({ placesPerServer: 1 });
  for (const recipient of ['ada', 'ada', 'ada', 'ada', 'ada', 'bob', 'eve', 'kim', 'zoe']) {
    const push = start(recipient);
    await turn();
    assert.equal(push.isSent(), true, recipient);
    push.cutOff();
    await push.result;
  }
  assert.deepEqual(await send('ada', ACCEPTED), ACCEPTED);
});

test('a push that had its full time counts as silence, even if our own signal ended it', async () => {
  const { clock, start, send } = setUp();
  for (let count = 0; count < 5; count += 1) {
    const push = start('ada');
    await turn();
    await clock.advance('6s');
    push.cutOff();
    await push.result;
  }
  assert.ok(isPutOff(await send('ada', ACCEPTED)));
});

test('somebody whose address never answers is put off alone, and nobody else on that server', async () => {
  const { clock, send } = setUp();
  for (let count = 0; count < 5; count += 1) await send('slow', NO_ANSWER);
  assert.deepEqual(await send('slow', ACCEPTED), {
    kind: 'retry',
    reason: 'service_silent',
    afterMs: 15_000,
    isUnsent: true,
  });
  assert.deepEqual(await send('ada', ACCEPTED), ACCEPTED);
  assert.ok(isPutOff(await send('slow', ACCEPTED)), 'an answer to somebody else changes nothing');
  await clock.advance('16s');
  assert.deepEqual(await send('slow', ACCEPTED), ACCEPTED);
  assert.deepEqual(await send('slow', ACCEPTED), ACCEPTED);
});

test('a server that answers nobody is put off for everybody after five, and other servers are not', async () => {
  const { clock, start, send } = setUp();
  for (const name of ['ada', 'bob', 'eve', 'kim', 'zoe']) {
    assert.deepEqual(await send(name, NO_ANSWER), NO_ANSWER);
  }
  for (let count = 0; count < 300; count += 1) assert.ok(isPutOff(await send(`person ${count}`, ACCEPTED)));
  assert.deepEqual(await send('ada', ACCEPTED, 'https://other.example'), ACCEPTED);
  await clock.advance('16s');
  const probe = start('max');
  assert.ok(isPutOff(await send('liz', ACCEPTED)), 'one push at a time tries it again');
  probe.answer(NO_ANSWER);
  await probe.result;
  assert.ok(isPutOff(await send('liz', ACCEPTED)));
  await clock.advance('16s');
  assert.deepEqual(await send('liz', ACCEPTED), ACCEPTED);
  assert.deepEqual(await send('max', ACCEPTED), ACCEPTED);
});

test('an answer to anybody in between shows that the server is up', async () => {
  const { send } = setUp();
  for (const name of ['ada', 'bob', 'eve', 'kim']) await send(name, NO_ANSWER);
  await send('liz', { kind: 'retry', reason: 'http_503', isAnswered: true });
  for (const name of ['max', 'tom', 'ann', 'joe']) await send(name, NO_ANSWER);
  assert.deepEqual(await send('zoe', ACCEPTED), ACCEPTED);
});

test('what waits for a server that stays silent is looked at ever less often, but at least every five minutes', async () => {
  const { clock, send } = setUp();
  for (let count = 0; count < 5; count += 1) await send('ada', NO_ANSWER);
  await clock.advance('4h');
  await send('ada', NO_ANSWER);
  const result = await send('ada', ACCEPTED);
  assert.ok(result.kind === 'retry' && (result.afterMs ?? 0) >= 150_000 && (result.afterMs ?? 0) <= 300_000);
});

test('a probe that our own signal cut off lets the next push try', async () => {
  const { clock, start, send } = setUp();
  for (let count = 0; count < 5; count += 1) await send('ada', NO_ANSWER);
  await clock.advance('16s');
  const probe = start('ada');
  await turn();
  probe.cutOff();
  await probe.result;
  assert.deepEqual(await send('ada', ACCEPTED), ACCEPTED);
});
