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

const FAILED: PushResult = { kind: 'retry', reason: 'timeout' };
const ACCEPTED: PushResult = { kind: 'accepted' };

/** An outage of three failures that ended at that moment. */
function ended(now: Date): Outage {
  const outage = new Outage();
  for (const result of [FAILED, FAILED, FAILED, ACCEPTED]) outage.ends(result, now);
  return outage;
}

test('only failures in a row are an outage, and what waits because of a new one is not hastened', () => {
  const scattered = new Outage();
  const ends = [FAILED, FAILED, ACCEPTED, FAILED, FAILED, ACCEPTED].map((result) => scattered.ends(result, NOW));
  assert.deepEqual(new Set(ends), new Set([false]));
  const outage = ended(NOW);
  assert.deepEqual(outage.hastenedUpTo, NOW);
  const failAgain = () => outage.ends(FAILED, NOW);
  failAgain();
  failAgain();
  assert.deepEqual(outage.hastenedUpTo, NOW, 'two failures are no outage');
  failAgain();
  assert.equal(outage.hastenedUpTo, undefined);
  outage.hastened(new Date(NOW.getTime() + 1_000));
  assert.equal(outage.hastenedUpTo, undefined, 'the answer to a query of before');
});

test('an outage ends at most once in five minutes, unless the clock was set back, and each retry is hastened once', () => {
  const endsAgainAfter = (ms: number) => {
    const outage = ended(NOW);
    const now = new Date(NOW.getTime() + ms);
    return [FAILED, FAILED, FAILED, ACCEPTED].map((result) => outage.ends(result, now)).at(-1);
  };
  assert.deepEqual([0, 299_999, 300_000, -1].map(endsAgainAfter), [false, false, true, true]);
  const outage = ended(NOW);
  const upTo = new Date(NOW.getTime() + 1_000);
  outage.hastened(upTo);
  assert.deepEqual(outage.hastenedUpTo, upTo);
  outage.hastened(null);
  assert.equal(outage.hastenedUpTo, undefined);
});
