import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairShare } from './fair-share.ts';

test('one account gets at most half of what all share, and the last quarter is for those who used little', () => {
  assert.deepEqual(
    [0, 5, 6, 25, 26, 50, 90].map((ofAccount) => fairShare(ofAccount, 100)),
    [100, 100, 75, 75, 50, 50, 50],
  );
  assert.deepEqual([fairShare(8, 100, 8), fairShare(9, 100, 8), fairShare(5, 100, 1)], [100, 75, 100]);
});
