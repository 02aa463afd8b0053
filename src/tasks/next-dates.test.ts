import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDateTime } from '../lib/date-time.ts';
import { toDueFields } from './due.ts';
import { nextDates } from './next-dates.ts';

const NOW = new Date('2026-03-10T12:00:00Z');

function dates(dueAt: string | null, rule: object | null, hasTime = true): string[] {
  const due = toDueFields(dueAt === null ? null : (parseDateTime(dueAt) ?? assert.fail()), hasTime, 'UTC');
  const task = { ...due, occurrence_number: 1, recurrence: rule && JSON.stringify(rule) };
  return nextDates(task, 'UTC', NOW, 3).map((at) => at.toISOString().slice(5, 16));
}

test('after an overdue occurrence the dates go on from now', () => {
  const overdue = '2026-03-01T08:00:00';
  assert.deepEqual(dates(overdue, { freq: 'hourly', interval: 5, from: 'completion' }), [
    '03-10T17:00',
    '03-10T22:00',
    '03-11T03:00',
  ]);
  assert.deepEqual(dates(overdue, { freq: 'daily', interval: 2, from: 'completion' }), [
    '03-12T08:00',
    '03-14T08:00',
    '03-16T08:00',
  ]);
  assert.deepEqual(dates(overdue, { freq: 'daily', by_time: ['08:00', '12:00'] }), [
    '03-11T08:00',
    '03-11T12:00',
    '03-12T08:00',
  ]);
  assert.deepEqual(dates('2026-03-09T00:00:00', { freq: 'daily' }, false), [
    '03-11T00:00',
    '03-12T00:00',
    '03-13T00:00',
  ]);
});

test('dates end with the count of their rule, and there are none without a rule or a date', () => {
  assert.deepEqual(dates('2026-03-11T08:00:00', { freq: 'daily', count: 3 }), ['03-12T08:00', '03-13T08:00']);
  const counted = { freq: 'daily', count: 2, from: 'completion' };
  assert.deepEqual(dates('2026-03-11T08:00:00', counted), ['03-12T08:00']);
  assert.deepEqual([dates('2026-03-11T08:00:00', null), dates(null, { freq: 'daily' })], [[], []]);
});
