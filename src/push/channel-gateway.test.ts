import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { neverAborted } from '../../test/support/sample-pushes.ts';
import { createLogger } from '../lib/logger.ts';
import { ChannelGateway } from './channel-gateway.ts';
import type { ChannelProvider } from './channel-provider.ts';
import type { ChannelNotice, PushResult } from './gateway.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };

/** A provider whose addresses are all on one server, which answers the mailboxes of some people. */
function setUp(answers: (email: string) => PushResult) {
  const provider = {
    kind: { provider: 'hooks' },
    maxInFlight: 200,
    originOf: () => 'https://hook.example',
    send: async (_message: unknown, { email = '' }) => answers(email),
  } as unknown as ChannelProvider;
  const gateway = new ChannelGateway(provider, {
    clock: new FakeClock(),
    logger: createLogger('silent'),
    openAddress: () => assert.fail('No address is sealed.'),
    actionsFor: () => assert.fail('A test has no actions.'),
  });
  return (userId: string, channelId: string) => gateway.send(testOf(userId, channelId), neverAborted());
}

const testOf = (userId: string, channelId: string): ChannelNotice => ({
  kind: 'channel_test',
  target: { channelId, userId, sealed: null, email: userId, isPrivate: false, lastAt: null },
  confirm: null,
  expiresAt: new Date('2026-03-02T10:00:00Z'),
});

test('one person whose script hangs, in however many channels, puts off nobody else on that server', async () => {
  const send = setUp((email) => (email === 'slow' ? { kind: 'retry', reason: 'timeout' } : ACCEPTED));
  for (let count = 0; count < 8; count += 1) await send('slow', `channel ${count}`);
  const putOff = await send('slow', 'channel 0');
  assert.deepEqual(putOff, { kind: 'retry', reason: 'service_silent', afterMs: 15_000, isUnsent: true });
  assert.deepEqual(await send('ada', 'channel of ada'), ACCEPTED);
});
