import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PushResult } from '../push/gateway.ts';
import { attemptsUsed, toDeliveryResult } from './delivery-result.ts';
import { LONGEST_ASKED_MS, MOST_ATTEMPTS, pauseBeforeRetryMs } from './retry-policy.ts';

test('each of the five answers has its consequence', () => {
  assert.deepEqual(toDeliveryResult({ kind: 'accepted' }, 1, 0), { status: 'sent', reason: null });
  for (const kind of ['gone', 'rejected'] as const) {
    assert.deepEqual(toDeliveryResult({ kind, reason: 'no' }, 1, 0), { status: 'failed_permanent', reason: 'no' });
  }
  for (const kind of ['retry', 'misconfigured'] as const) {
    const judged = toDeliveryResult({ kind, reason: 'later' }, 1, 0);
    assert.deepEqual([judged.status, judged.reason], ['pending', 'later']);
    assert.ok((judged.retryInMs ?? 0) > 0);
    assert.deepEqual(toDeliveryResult({ kind, reason: 'later' }, MOST_ATTEMPTS, 0), {
      status: 'failed_transient',
      reason: 'later',
    });
  }
});

test('pauses grow, are never shorter than the provider asked for, and never longer than a reminder can wait', () => {
  const attempts = fc.integer({ min: 1, max: MOST_ATTEMPTS });
  const asked = fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined });
  const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(attempts, asked, random, (made, askedMs, chance) => {
      const pause = pauseBeforeRetryMs(made, askedMs, chance);
      assert.ok(pause >= Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
      assert.ok(pause >= 1_000 && pause <= LONGEST_ASKED_MS);
      assert.ok(pauseBeforeRetryMs(made + 1, askedMs, chance) >= pause);
    }),
  );
});

const DAY_MS = 86_400_000;

test('a push that was not sent uses no attempt for a day, and never comes back within moments', () => {
  const unsent: PushResult = { kind: 'retry', reason: 'server_busy', isUnsent: true };
  const sent: PushResult = { kind: 'retry', reason: 'timeout' };
  assert.deepEqual([attemptsUsed(unsent, 1, 0), attemptsUsed(unsent, 50, DAY_MS - 1)], [0, 49]);
  assert.deepEqual([attemptsUsed(sent, 1, 0), attemptsUsed({ kind: 'accepted' }, 3, 0)], [1, 3]);
  assert.equal(attemptsUsed(unsent, 3, DAY_MS), 3, 'otherwise it would never end');
  for (const attempts of [0, 1, 49]) {
    const { status, retryInMs = 0 } = toDeliveryResult(unsent, attempts, 0);
    assert.equal(status, 'pending');
    assert.ok(retryInMs >= 4_000, `${retryInMs} ms`);
  }
  assert.equal(toDeliveryResult(unsent, MOST_ATTEMPTS, 0).status, 'failed_transient');
});
