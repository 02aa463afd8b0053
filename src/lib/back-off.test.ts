import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs, withJitter } from './back-off.ts';

test('a wait doubles with every failure in a row up to the longest, and jitter makes it shorter by half at most', () => {
  const waits = [1, 2, 3, 4, 5, 50].map((failures) => backOffMs({ firstMs: 250, longestMs: 3_000 }, failures));
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 3_000, 3_000]);
  assert.deepEqual([withJitter(1_000, 0), withJitter(1_000, 0.5), withJitter(1_000, 1)], [500, 750, 1_000]);
});
