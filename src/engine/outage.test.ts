import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../push/gateway.ts';
import { Outage } from './outage.ts';

const NOW = new Date('2026-03-02T09:00:00Z');

function endsAfter(failure: PushResult): boolean {
  const outage = new Outage();
  for (let count = 0; count < 3; count += 1) outage.ends(failure, NOW);
  return outage.ends({ kind: 'accepted' }, NOW);
}

test('pushes without an answer are an outage, and pushes that waited for others or for a throttle are none', () => {
  assert.equal(endsAfter({ kind: 'retry', reason: 'timeout' }), true);
  assert.equal(endsAfter({ kind: 'retry', reason: 'server_busy', isUnsent: true }), false);
  assert.equal(endsAfter({ kind: 'retry', reason: 'http_429', afterMs: 5_000 }), false);
});
