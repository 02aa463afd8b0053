import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { messageOf } from '../../test/support/sample-messages.ts';
import { neverAborted, TASK } from '../../test/support/sample-pushes.ts';
import { createLogger } from '../lib/logger.ts';
import { ChannelGateway, type ChannelGatewayParts } from './channel-gateway.ts';
import type { ChannelProvider } from './channel-provider.ts';
import { type ChannelNotice, type ChannelNudge, type ChannelRequest, type PushResult, withSend } from './gateway.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };

/** A provider with all addresses on one server. `answers` decides the result for each mailbox. */
function setUp(
  answers: (email: string) => PushResult,
  clock = new FakeClock(),
  parts: Partial<ChannelGatewayParts> = {},
  more: Partial<ChannelProvider> = {},
) {
  const provider = {
    kind: { provider: 'hooks' },
    maxInFlight: 200,
    placesPerServer: 4,
    originOf: () => 'https://hook.example',
    findDayBudget: () => ({ key: 'of hook.example', most: 250 }),
    send: async (_message: unknown, { email = '' }) => answers(email),
    ...more,
  } as unknown as ChannelProvider;
  const gateway = new ChannelGateway(provider, {
    clock,
    logger: createLogger('silent'),
    openAddress: (_channelId, sealed) => ({ email: sealed }),
    codeOf: () => '#CODE',
    actionsFor: () => messageOf().actions ?? assert.fail('A nudge has actions.'),
    allowsUnproven: async () => true,
    allowsToken: async () => true,
    countRefusedToken: async () => undefined,
    countOfDay: async () => undefined,
    ...parts,
  });
  const send = (userId: string, channelId: string) => gateway.send(testOf(userId, channelId), neverAborted());
  const nudge = (sealed: string) => gateway.send(nudgeOf(sealed), neverAborted());
  return { send, nudge, gateway };
}

const nudgeOf = (sealed: string): ChannelNudge => ({
  kind: 'channel_nudge',
  target: {
    channelId: 'a channel',
    userId: 'ada',
    sealed,
    email: null,
    addressId: 'an address',
    isPrivate: false,
    isProven: true,
    lastEntryId: null,
  },
  entryId: 'an entry',
  task: TASK,
  stage: 0,
  nudgedAt: new Date('2026-03-02T09:00:00Z'),
  expiresAt: new Date('2026-03-02T10:00:00Z'),
  refs: [],
  isLast: false,
});

const requestOf = (sealed: string): ChannelRequest => {
  const { target, entryId, task, expiresAt, refs, isLast } = nudgeOf(sealed);
  const news = { kind: 'asked', name: 'Bob', spaceName: null } as const;
  return { kind: 'channel_request', target, entryId, task, expiresAt, refs, isLast, news };
};

const testOf = (userId: string, channelId: string): ChannelNotice => ({
  kind: 'channel_test',
  target: {
    channelId,
    userId,
    sealed: null,
    email: userId,
    addressId: 'an address',
    isPrivate: false,
    isProven: true,
    lastEntryId: null,
  },
  confirm: null,
  expiresAt: new Date('2026-03-02T10:00:00Z'),
});

test('one person whose script hangs, in however many channels, puts off nobody else on that server', async () => {
  const { send } = setUp((email) => (email === 'slow' ? { kind: 'retry', reason: 'timeout' } : ACCEPTED));
  for (let count = 0; count < 8; count += 1) await send('slow', `channel ${count}`);
  const putOff = await send('slow', 'channel 0');
  assert.deepEqual(putOff, { kind: 'retry', reason: 'service_silent', afterMs: 15_000, isUnsent: true });
  assert.deepEqual(await send('ada', 'channel of ada'), ACCEPTED);
});

test('a server sees a wrong token a few times only, and a right one at once', async () => {
  const [clock, asked] = [new FakeClock(), [] as string[]];
  const refused: PushResult = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  let isRight = (token: string): boolean => token === 'right token';
  const { nudge, send } = setUp((token) => {
    asked.push(token);
    return isRight(token) ? ACCEPTED : refused;
  }, clock);
  for (let count = 0; count < 10; count += 1) {
    const results = await Promise.all(Array.from({ length: 4 }, () => nudge('old token')));
    assert.deepEqual(results, Array(4).fill(refused));
  }
  assert.ok(asked.length <= 7, `asked ${asked.length} times`);
  assert.deepEqual(await nudge('right token'), ACCEPTED);
  // The server is changed instead, and a test shows it.
  isRight = () => true;
  assert.deepEqual(await nudge('old token'), refused);
  assert.deepEqual(await send('old token', 'a channel'), ACCEPTED);
  await clock.advance('10m');
  assert.deepEqual(await nudge('old token'), ACCEPTED);
});

test('a token is shown freely after its server took it, until the server refuses it', async () => {
  let answer: PushResult = ACCEPTED;
  let isAllowed = true;
  const { nudge } = setUp(() => answer, undefined, { allowsToken: async () => isAllowed });
  await nudge('a token');
  isAllowed = false;
  assert.deepEqual(await nudge('a token'), ACCEPTED);
  assert.equal((await nudge('another')).kind, 'rejected');
  answer = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  assert.deepEqual(await nudge('a token'), answer);
  answer = ACCEPTED;
  assert.deepEqual(await nudge('a token'), { kind: 'rejected', reason: 'refused_too_often', isHeldBack: true });
});

test('messages to a host that nobody has proven are bounded, except what takes them back', async () => {
  const counted: unknown[] = [];
  const { gateway } = setUp(() => ACCEPTED, undefined, {
    allowsUnproven: async (...subject) => {
      counted.push(subject);
      return false;
    },
  });
  const nudge = nudgeOf('ada');
  const target = { ...nudge.target, isProven: false };
  const { entryId, task, stage } = nudge;
  const retraction = { kind: 'channel_retract', target, entryId, task, stage, refs: ['x'] } as const;
  assert.deepEqual(await gateway.send(retraction, neverAborted()), ACCEPTED);
  assert.deepEqual(await gateway.send(nudge, neverAborted()), ACCEPTED);
  assert.deepEqual(counted, []);
  assert.deepEqual(await gateway.send({ ...nudge, target }, neverAborted()), {
    kind: 'rejected',
    reason: 'not_proven',
  });
  assert.equal((await gateway.send({ ...requestOf('ada'), target }, neverAborted())).kind, 'rejected');
  assert.deepEqual(counted, Array(2).fill(['ada', 'hook.example']));
});

test('a message counts in the budget of the day unless it was certainly not sent', async () => {
  let answer: PushResult = ACCEPTED;
  const counted: string[] = [];
  const { nudge } = setUp(() => answer, new FakeClock(), { countOfDay: async (key) => void counted.push(key) });
  await nudge('ada');
  answer = { kind: 'retry', reason: 'timeout' };
  await nudge('ada');
  answer = { kind: 'retry', reason: 'server_busy', isUnsent: true };
  await nudge('ada');
  assert.deepEqual(counted, ['of hook.example', 'of hook.example']);
});

test('a message that could not be counted in the budget of the day was sent all the same', async () => {
  const countOfDay = async () => assert.fail('The database does not answer.');
  assert.deepEqual(await setUp(() => ACCEPTED, new FakeClock(), { countOfDay }).nudge('ada'), ACCEPTED);
});

test('while the provider refuses what the operator set, nobody else is sent there', async () => {
  const asked: string[] = [];
  const refused: PushResult = { kind: 'misconfigured', reason: 'http_401' };
  const { nudge, gateway } = setUp((email) => {
    asked.push(email);
    return refused;
  });
  assert.equal(gateway.isRefused(), false);
  for (const person of ['ada', 'bob']) assert.deepEqual(await nudge(person), refused);
  assert.deepEqual([asked, gateway.isRefused()], [['ada'], true]);
});

test('whoever waits for a code gets it, although the nudges to the same address are put off', async () => {
  let answer: PushResult = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  const shown: boolean[] = [];
  const allowsToken = async (_userId: string, _host: string, isConfirmed: boolean) => shown.push(isConfirmed) > 0;
  const { nudge, gateway } = setUp(() => answer, undefined, { allowsToken });
  for (let count = 0; count < 4; count += 1) await nudge('ada');
  assert.deepEqual(shown, [true, true, true]);
  const refused = answer;
  answer = ACCEPTED;
  assert.deepEqual(await nudge('ada'), refused);
  const { target } = nudgeOf('ada');
  const notice = { ...testOf('ada', 'a channel'), kind: 'channel_confirm', target } as const;
  assert.deepEqual(await gateway.send(notice, neverAborted()), ACCEPTED);
  assert.equal(shown.at(-1), false, 'nobody has confirmed it');
});

test('what is taken back without a request shows nothing of a token', async () => {
  const taken: unknown[] = [];
  const release = async () => ACCEPTED;
  const retract: ChannelProvider['retract'] = async ({ refs }) => {
    taken.push(refs);
    return ACCEPTED;
  };
  let isAllowed = true;
  const parts = { allowsToken: async () => isAllowed };
  const { nudge, gateway } = setUp(() => ACCEPTED, undefined, parts, { release, retract });
  const { target, entryId, task, stage } = nudgeOf('a token');
  const retraction = { kind: 'channel_retract', target, entryId, task, stage } as const;
  for (const refs of [[], ['x']])
    assert.deepEqual(await gateway.send({ ...retraction, refs }, neverAborted()), ACCEPTED);
  assert.deepEqual(taken, [['x']]);
  const held = { target, ref: 'r', isRetry: false, known: async () => [] };
  assert.deepEqual(await gateway.send({ kind: 'channel_release', ...held }, neverAborted()), ACCEPTED);
  isAllowed = false;
  assert.equal((await nudge('a token')).kind, 'rejected');
});

test('a provider that holds nothing refuses to, and one that chooses its references is asked before it sends', async () => {
  const { gateway } = setUp(() => ACCEPTED, undefined, {}, { refFor: ({ threadId, stage }) => `${threadId} ${stage}` });
  const { target } = nudgeOf('ada');
  const hold = { kind: 'channel_hold', target, title: '', body: '', stage: 0, delayMs: 60_000 } as const;
  const held = { ...hold, ref: 'r', isRetry: false, known: async () => [] };
  assert.deepEqual(await gateway.send(held, neverAborted()), { kind: 'rejected', reason: 'cannot_hold' });
  const pushes = [{ ...nudgeOf('ada'), stage: 2 }, requestOf('ada'), testOf('ada', 'a channel'), held];
  assert.deepEqual(
    pushes.map((push) => gateway.refOf(push)),
    [`${TASK.id} 2`, `request-${TASK.id} 0`, undefined, undefined],
  );
});

test('what the engine asks of a gateway is what its provider says, also where its sending is measured', async () => {
  const told = {
    isForNudgesOnly: true,
    sendWithinMs: 30_000,
    limits: { mostPerDay: 12, repeatsUpToPerDay: 6, stopsAfterIdleMs: 1 },
    holds: { minMs: 1, maxMs: 2, isElsewhere: () => true },
    placesPerServer: 3,
  };
  const { gateway } = setUp(() => ACCEPTED, undefined, {}, { ...told, refFor: () => 'ref' });
  for (const one of [gateway, withSend(gateway, async () => ACCEPTED)]) {
    const { isForNudgesOnly, sendWithinMs, limits, holds, placesPerServer } = one;
    assert.deepEqual({ isForNudgesOnly, sendWithinMs, limits, holds, placesPerServer }, told);
    assert.equal(one.refOf?.(nudgeOf('ada')), 'ref');
    assert.equal(one.findDayBudget?.({ channelId: 'a channel', sealed: 'ada' })?.key, 'of hook.example');
    assert.deepEqual([one.capacity(), one.isRefused?.()], [200, false]);
  }
});

test('one server takes no more than its places, beside which others are sent to and a person gets a test', async () => {
  const { promise, resolve } = Promise.withResolvers<PushResult>();
  let sent = 0;
  const send = async (_message: unknown, { email = '' }) => {
    sent += 1;
    return email === 'slow' ? promise : ACCEPTED;
  };
  const originOf = ({ email = '' }) => `https://${email}.example`;
  const { nudge, gateway } = setUp(() => ACCEPTED, undefined, {}, { send, originOf } as Partial<ChannelProvider>);
  const turn = () => new Promise(setImmediate);
  const slow = Array.from({ length: 5 }, () => nudge('slow'));
  await turn();
  assert.equal(sent, 4);
  assert.deepEqual(await slow[4], { kind: 'retry', reason: 'server_busy', isUnsent: true });
  assert.deepEqual(await nudge('quick'), ACCEPTED);
  const tested = gateway.send(testOf('slow', 'a channel'), neverAborted());
  await turn();
  assert.equal(sent, 6, 'the other server, and the test');
  resolve(ACCEPTED);
  assert.deepEqual(await Promise.all([...slow.slice(0, 4), tested]), Array(5).fill(ACCEPTED));
});

test('of the tokens that servers took, ten thousand are remembered', async () => {
  let isAllowed = true;
  const { nudge } = setUp(() => ACCEPTED, undefined, { allowsToken: async () => isAllowed });
  await nudge('the first');
  for (let number = 1; number <= 10_000; number += 1) await nudge(`token ${number}`);
  isAllowed = false;
  assert.deepEqual(await nudge('token 10000'), ACCEPTED);
  assert.equal((await nudge('the first')).kind, 'rejected');
});
