import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toDeliveryResult } from './delivery-result.ts';
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
