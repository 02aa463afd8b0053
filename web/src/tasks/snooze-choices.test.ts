import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snoozeChoices } from './snooze-choices.ts';

test('no two choices mean the same moment: on a Sunday, next Monday is tomorrow', () => {
  for (let day = 1; day <= 7; day += 1) {
    const now = Date.parse(`2026-03-0${day}T09:00:00Z`);
    const moments = snoozeChoices(now, 'UTC', '09:00').map(({ at }) => at);
    assert.equal(new Set(moments).size, moments.length, `day ${day}`);
    assert.equal(moments.length, day === 1 ? 5 : 6, `day ${day}`);
  }
});
