import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOffset } from './clock-offset.ts';

test('what is not tolerated is a warning and two minutes are a fault, in either direction', () => {
  const verdicts = [0, 1_000, 1_001, 119_999, 120_000, 86_400_000].map((off) => {
    const [ahead, behind] = [off, -off].map(
      (aheadMs) => checkOffset({ clock: 'it', whose: 'x', aheadMs, toleratedMs: 1_000, remedy: '' }).verdict,
    );
    assert.equal(ahead, behind);
    return ahead;
  });
  assert.deepEqual(verdicts, ['ok', 'ok', 'warning', 'warning', 'fault', 'fault']);
});
