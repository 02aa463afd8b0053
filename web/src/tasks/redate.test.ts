import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { redate, todayIn } from './redate.ts';

const ZONE = 'Europe/Amsterdam';
const NOW = Date.parse('2026-03-02T09:00:00Z');
const task = (fields: Partial<Task>) => ({ due_at: null, has_time: true, recurrence: null, ...fields }) as Task;
const bodyOf = (fields: Partial<Task>, date: string) => {
  const { kind, body } = redate(task(fields), date, NOW, ZONE);
  return { kind, ...body };
};

test('a moved task keeps its time on the wall, across a change of clocks', () => {
  assert.deepEqual(bodyOf({ due_at: '2026-03-01T17:00:00Z' }, '2026-03-02'), {
    kind: 'edit',
    due_at: '2026-03-02T18:00:00+01:00',
    has_time: true,
  });
  assert.deepEqual(bodyOf({ due_at: '2026-03-01T17:00:00Z' }, '2026-04-02'), {
    kind: 'edit',
    due_at: '2026-04-02T18:00:00+02:00',
    has_time: true,
  });
});

test('a task moved to today is never overdue again at once: a time that has passed is left out', () => {
  assert.equal(todayIn(ZONE, NOW), '2026-03-02');
  assert.deepEqual(bodyOf({ due_at: '2026-03-01T07:00:00Z' }, '2026-03-02'), {
    kind: 'edit',
    due_at: '2026-03-02T08:00:00+01:00',
    has_time: false,
  });
  assert.equal(bodyOf({ due_at: '2026-02-27T11:00:00Z', has_time: false }, '2026-03-02').has_time, false);
  assert.equal(bodyOf({}, '2026-03-05').has_time, false);
});

test('a repeating task is snoozed, so that its later occurrences keep their days', () => {
  const weekly = { recurrence: { freq: 'weekly' } };
  assert.deepEqual(bodyOf({ ...weekly, due_at: '2026-03-01T17:00:00Z' }, '2026-03-02'), {
    kind: 'snooze',
    occurrence_due_at: '2026-03-01T17:00:00Z',
    until: '2026-03-02T17:00:00.000Z',
  });
  // A snooze must end in the future.
  assert.equal(bodyOf({ ...weekly, due_at: '2026-03-01T07:00:00Z' }, '2026-03-02').until, '2026-03-02T10:00:00.000Z');
});
