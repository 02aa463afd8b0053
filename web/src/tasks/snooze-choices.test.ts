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

test('what is offered is ahead: this evening until it comes, the start of the day of the person, and the next Monday', () => {
  const offered = (now: string, dayStart = '07:30') =>
    snoozeChoices(Date.parse(now), 'Europe/Amsterdam', dayStart).map(({ label, at }) => [
      label,
      new Date(at).toISOString().slice(0, 16),
    ]);
  assert.deepEqual(offered('2026-03-03T12:00:00Z'), [
    ['In 15 minutes', '2026-03-03T12:15'],
    ['In an hour', '2026-03-03T13:00'],
    ['In 3 hours', '2026-03-03T15:00'],
    ['This evening', '2026-03-03T18:00'],
    ['Tomorrow morning', '2026-03-04T06:30'],
    ['Next Monday', '2026-03-09T06:30'],
  ]);
  const labels = (now: string) => offered(now).map(([label]) => label);
  assert.ok(!labels('2026-03-03T17:55:00Z').includes('This evening'), 'it is about to begin');
  // On a Monday the next one is a week away, and clocks have gone forward by then.
  assert.deepEqual(offered('2026-03-23T08:00:00Z').at(-1), ['Next Monday', '2026-03-30T05:30']);
});
