import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_ALLOWED, OutboundError } from '../outbound/outbound-error.ts';
import { PushError, toPushResult } from './push-error.ts';

test('a push without an answer is tried again, one to an address that is not allowed never, and a fault is no result', () => {
  assert.deepEqual(toPushResult(new OutboundError('timeout')), { kind: 'retry', reason: 'timeout' });
  assert.deepEqual(toPushResult(new OutboundError(NOT_ALLOWED)), { kind: 'rejected', reason: NOT_ALLOWED });
  const gone = { kind: 'gone', reason: 'dead' } as const;
  assert.deepEqual(toPushResult(new PushError(gone)), gone);
  assert.throws(() => toPushResult(new TypeError('a fault of ours')), TypeError);
});
