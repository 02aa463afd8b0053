import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snoozeChoices } from './snooze-choices.ts';

test('no two choices are the same moment, on any day of the week', () => {
  for (let day = 1; day <= 7; day += 1) {
    const moments = snoozeChoices(Date.UTC(2026, 2, day, 8), 'UTC', '09:00').map(({ at }) => at);
    assert.equal(new Set(moments).size, moments.length, `day ${day}`);
  }
});

test('on a Sunday, Monday is offered as tomorrow', () => {
  const labels = snoozeChoices(Date.parse('2026-03-01T08:00:00Z'), 'UTC', '09:00').map(({ label }) => label);
  assert.ok(labels.includes('Tomorrow morning'));
  assert.ok(!labels.includes('Next Monday'));
});
