import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import type { Gateway } from '../push/gateway.ts';
import { Dispatch } from './dispatch.ts';

test('a message about a request goes to no provider that is for nudges only, or that is not configured', () => {
  const gateway: Gateway = {
    send: async () => ({ kind: 'accepted' }),
    capacity: () => 100,
    close: async () => undefined,
  };
  const parts = { wallClock: new FakeClock(), logger: createLogger('silent') };
  const gateways = { ntfy: gateway, telegram: { ...gateway, isForNudgesOnly: false } };
  const dispatch = new Dispatch({ ...gateways, sms: { ...gateway, isForNudgesOnly: true } }, parts as never);
  const providers = ['ntfy', 'telegram', 'sms', 'email'] as const;
  assert.deepEqual(
    providers.map((provider) => dispatch.tellsRequests(provider)),
    [true, true, false, false],
  );
  assert.deepEqual(
    providers.map((provider) => dispatch.isConfigured(provider)),
    [true, true, true, false],
  );
  assert.equal(dispatch.reserve('email', { recipientId: 'ada', server: null }), false);
});
