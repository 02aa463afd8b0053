import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { messageOf } from '../../test/support/sample-messages.ts';
import { neverAborted, TASK } from '../../test/support/sample-pushes.ts';
import { createLogger } from '../lib/logger.ts';
import { ChannelGateway, type ChannelGatewayParts } from './channel-gateway.ts';
import type { ChannelProvider } from './channel-provider.ts';
import type { ChannelNotice, ChannelNudge, PushResult } from './gateway.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };

/** A provider with all addresses on one server. `answers` decides the result for each mailbox. */
function setUp(
  answers: (email: string) => PushResult,
  clock = new FakeClock(),
  parts: Partial<ChannelGatewayParts> = {},
) {
  const provider = {
    kind: { provider: 'hooks' },
    maxInFlight: 200,
    placesPerServer: 4,
    originOf: () => 'https://hook.example',
    findDayBudget: () => ({ key: 'of hook.example', most: 250 }),
    send: async (_message: unknown, { email = '' }) => answers(email),
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

const testOf = (userId: string, channelId: string): ChannelNotice => ({
  kind: 'channel_test',
  target: { channelId, userId, sealed: null, email: userId, isPrivate: false, isProven: true, lastEntryId: null },
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
  assert.deepEqual(counted, [['ada', 'hook.example']]);
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
