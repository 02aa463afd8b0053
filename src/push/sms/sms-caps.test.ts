import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeCaps, heldSegments, nudgeCaps } from './sms-caps.ts';

const TEXT = { userId: 'ada', number: '+447700900123', segments: 1 };

/** How many segments all may have used when a message of this account is still sent. */
const mostOfAll = (ofAccount: number, ofNumber = ofAccount): number =>
  nudgeCaps(TEXT, 1_000).at(-1)?.most([1, 1, ofAccount, ofNumber]) ?? 0;

test('an account gets at most half of the nudges of a day, and the last quarter is left for those who used little', () => {
  assert.deepEqual([mostOfAll(4), mostOfAll(200), mostOfAll(300)], [800, 600, 400]);
  // Several accounts with one phone get the share of one.
  assert.equal(mostOfAll(1, 300), 400);
});

test('codes have a fifth of the day, new accounts half of that, and held messages take theirs from nudges', () => {
  const asker = { isNewAccount: true, hasConfirmed: false, network: '203.0.113.7' };
  const most = codeCaps(TEXT, asker, 1_000).map((cap) => cap.most([1, 1, 1, 1]));
  assert.deepEqual(most, [2, 4, 6, 100, 200]);
  assert.deepEqual([heldSegments(1_000), nudgeCaps(TEXT, 1_000, true)[2]?.most([])], [200, 600]);
});
