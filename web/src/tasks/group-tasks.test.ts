import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { groupTasks } from './group-tasks.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const ME = 'me';

const task = (title: string, fields: Partial<Task>): Task => ({
  id: title,
  title,
  owner_id: ME,
  assigner_id: null,
  space_id: null,
  notes: null,
  kind: 'todo',
  due_at: null,
  has_time: true,
  mode: 'escalate',
  break_quiet_hours: false,
  status: 'open',
  accepted_by_owner: true,
  escalation_stage: 0,
  nudge_count: 0,
  next_fire_at: null,
  completed_at: null,
  recurrence: null,
  lead_time_days: null,
  deferred_until: null,
  skipped_at: null,
  last_nudge_at: null,
  created_at: '2026-03-01T00:00:00Z',
  updated_at: '2026-03-01T00:00:00Z',
  ...fields,
});

test('every open task of the user is under exactly one heading, in the order of time', () => {
  const groups = groupTasks(
    [
      task('a minute ago', { due_at: '2026-03-02T08:59:00Z' }),
      task('yesterday', { due_at: '2026-03-01T12:00:00Z', has_time: false }),
      task('this day', { due_at: '2026-03-02T00:00:00Z', has_time: false }),
      task('tonight', { due_at: '2026-03-02T20:00:00Z' }),
      task('tomorrow', { due_at: '2026-03-03T09:00:00Z' }),
      task('on Monday', { due_at: '2026-03-09T23:59:00Z' }),
      task('in spring', { due_at: '2026-03-10T00:00:00Z' }),
      task('put off for days', { due_at: '2026-03-01T08:00:00Z', deferred_until: '2026-03-03T00:00:00Z' }),
      task('nudged without a date', { deferred_until: '2026-03-02T08:45:00Z' }),
      task('put off', { due_at: '2026-03-02T08:00:00Z', deferred_until: '2026-03-02T11:00:00Z' }),
      task('back again', { due_at: '2026-03-02T07:00:00Z', deferred_until: '2026-03-02T08:30:00Z' }),
      task('whenever', {}),
      task('asked', { assigner_id: 'you', accepted_by_owner: false, due_at: '2026-03-02T08:00:00Z' }),
      task('closed', { status: 'done' }),
      task("another's", { owner_id: 'you' }),
    ],
    ME,
    NOW,
    'UTC',
  );
  const titles = Object.fromEntries(
    Object.entries(groups).map(([name, list]) => [name, list.map(({ title }) => title)]),
  );
  assert.deepEqual(titles, {
    overdue: ['yesterday', 'back again', 'nudged without a date', 'a minute ago'],
    due: ['this day', 'tonight'],
    later: ['put off'],
    upcoming: ['put off for days', 'tomorrow', 'on Monday', 'in spring'],
    someday: ['whenever'],
    requests: ['asked'],
  });
});

test('a day ends at midnight in the zone of the account', () => {
  const late = task('late', { due_at: '2026-03-01T23:30:00Z', has_time: false });
  assert.equal(groupTasks([late], ME, NOW, 'UTC').overdue.length, 1);
  assert.equal(groupTasks([late], ME, NOW, 'Europe/Amsterdam').due.length, 1);
});

test('an expired snooze is sorted by the due moment', () => {
  const groups = groupTasks(
    [
      task('second', { due_at: '2026-03-02T08:00:00Z' }),
      task('first', { due_at: '2026-03-02T07:00:00Z', deferred_until: '2026-03-02T08:30:00Z' }),
    ],
    ME,
    NOW,
    'UTC',
  );
  assert.deepEqual(
    groups.overdue.map(({ title }) => title),
    ['first', 'second'],
  );
});

test('a day of 23 or 25 hours ends at its midnight too', () => {
  const now = Date.parse('2026-03-29T00:30:00Z');
  const at = (due_at: string) => groupTasks([task('x', { due_at })], ME, now, 'Europe/Amsterdam');
  assert.equal(at('2026-03-29T21:59:00Z').due.length, 1);
  assert.equal(at('2026-03-29T22:00:00Z').upcoming.length, 1);
});

test('a task is overdue from its moment on, and one without a date once its snooze has ended, also if it has no time', () => {
  const names = (fields: Partial<Task>) => {
    const groups = Object.entries(groupTasks([task('x', fields)], ME, NOW, 'UTC'));
    return groups.filter(([, tasks]) => tasks.length > 0).map(([name]) => name);
  };
  assert.deepEqual(names({ due_at: '2026-03-02T09:00:00Z' }), ['overdue']);
  assert.deepEqual(names({ due_at: '2026-03-02T09:00:00Z', has_time: false }), ['due']);
  assert.deepEqual(names({ deferred_until: '2026-03-02T08:45:00Z', has_time: false }), ['overdue']);
});

test('tasks without a date are in the order they were made, and those of one moment in that of their titles', () => {
  const titles = (...tasks: Task[]) => {
    const { someday, upcoming } = groupTasks(tasks, ME, NOW, 'UTC');
    return [...someday, ...upcoming].map(({ title }) => title);
  };
  const made = (title: string, created_at: string) => task(title, { created_at });
  assert.deepEqual(titles(made('a', '2026-03-01T10:00:00Z'), made('b', '2026-03-01T09:00:00Z')), ['b', 'a']);
  const due_at = '2026-03-04T09:00:00Z';
  assert.deepEqual(titles(task('b', { due_at }), task('a', { due_at })), ['a', 'b']);
});
