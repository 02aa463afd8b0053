import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecentSignIn, requireRecentSignIn } from './session-lifetime.ts';

const now = new Date('2026-03-02T09:00:00Z');
const proven = (minutes: number, ms = 0) => new Date(now.getTime() + minutes * 60_000 + ms);

test('a sign-in is recent for fifteen minutes, also one that a wrong clock stamped in the future', () => {
  for (const at of [proven(0), proven(-15), proven(15)]) assert.ok(isRecentSignIn(at, now), at.toISOString());
  for (const at of [proven(-15, -1), proven(15, 1), proven(600)])
    assert.throws(() => requireRecentSignIn({ provenAt: at }, now), { code: 'recent_sign_in_required' });
});
