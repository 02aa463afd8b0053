import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localDay, readDue } from './due-input.ts';

/** Thursday, 5 March 2026, 10:00. */
const context = { zone: 'Europe/Berlin', now: new Date('2026-03-05T09:00:00Z') };
const daily = { recurrence: { freq: 'daily' }, times: ['08:00', '20:00'] };

test('a due date in the past is refused until it was confirmed; time that passed since the clock was read is none', () => {
  for (const due_at of ['2026-03-05T09:57', '2026-03-04T23:00', '2026-03-04', '2025-03-05'])
    assert.throws(() => readDue({ due_at }, context), /has passed .* allow_past: true/, due_at);
  for (const due_at of ['2026-03-05T09:59', '2026-03-05', '2026-03-05T10:00'])
    assert.ok(readDue({ due_at }, context), due_at);
  assert.deepEqual(readDue({ due_at: '2026-03-04', allow_past: true }, context), {
    due_at: '2026-03-04T00:00:00',
    has_time: false,
  });
});

test('today may be written as the midnight of another zone', () => {
  const today = readDue({ due_at: '2026-03-05T00:00+09:00', has_time: false }, context);
  assert.deepEqual(today, { due_at: '2026-03-05T00:00+09:00', has_time: false });
});

test('a bare date of a rule with times has its first time, today the next one that is still ahead', () => {
  const timeOn = (due_at: string, times = daily.times) =>
    readDue({ due_at, allow_past: true }, context, { ...daily, times });
  assert.deepEqual(timeOn('2026-03-06'), { due_at: '2026-03-06T08:00', has_time: true });
  assert.deepEqual(timeOn('2026-03-05'), { due_at: '2026-03-05T20:00', has_time: true });
  assert.deepEqual(timeOn('2026-03-05', ['08:00', '09:30']), { due_at: '2026-03-05T08:00', has_time: true });
});

test('a date without a time is no moment of a day', () => {
  assert.throws(() => readDue({ due_at: '2026-03-06', has_time: true }, context), /needs a time beside the date/);
});

test('the day of a moment is the day that its user has then', () => {
  const days: [text: string, day: string][] = [
    ['2026-03-05T00:30', '2026-03-05'],
    ['2026-03-05T23:30:00Z', '2026-03-06'],
    ['2026-03-05T23:30 Europe/Berlin', '2026-03-05'],
    ['2026-03-05', '2026-03-05'],
  ];
  for (const [text, day] of days) assert.equal(localDay('from', text, context), day, text);
  assert.throws(() => localDay('from', 'soon', context), /^ToolFailure: from: Input should be a date that exists/);
});
