import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editTask, moveTask } from './task-edit.ts';
import type { Task } from './task-state.ts';

const ZONE = 'Europe/Berlin';
const NOW = new Date('2026-03-02T09:00:00Z');
const EARLIER = new Date('2026-03-02T08:00:00Z');

/** Due on a Thursday at ten in the morning. */
const TASK = {
  due_at: new Date('2026-03-05T09:00:00Z'),
  due_written: '2026-03-05T10:00:00',
  has_time: true,
  recurrence: null,
  mode: 'escalate',
  lead_time_days: null,
  heads_ups: '[{"hours":2}]',
  heads_up_at: null,
  last_nudge_at: null,
  deferred_until: null,
  run: 4,
} as unknown as Task;

const edit = (fields: Partial<Task>, input: Parameters<typeof editTask>[1]) =>
  editTask({ ...TASK, ...fields }, input, ZONE, NOW);

test('a heads-up that was sent does not come again because of an edit, unless the task has another date', () => {
  const sent = { heads_up_at: EARLIER, last_nudge_at: EARLIER };
  for (const input of [
    { heads_ups: '[{"hours":2},{"hours":1}]' },
    { lead_time_days: 3 },
    { mode: 'notify_once' as const },
  ])
    assert.deepEqual(edit(sent, input).heads_up_at, EARLIER, JSON.stringify(input));
  assert.equal(edit(sent, { due_at: '2026-03-06T10:00:00' }).heads_up_at, null);
});

test('a heads-up that is added comes although its moment has passed, and one that is there is not wanted anew', () => {
  // A snooze has begun a run, in which nothing was sent so far.
  const snoozed = { heads_up_at: EARLIER, last_nudge_at: null };
  assert.equal(edit(snoozed, { lead_time_days: 3 }).heads_up_at, null);
  assert.equal(edit(snoozed, { heads_ups: '[{"hours":70}]' }).heads_up_at, null);
  assert.ok(!('heads_up_at' in edit(snoozed, { heads_ups: '[{"hours":2}]', title: 'pills' })));
  assert.deepEqual(edit(snoozed, { mode: 'notify_once' }).heads_up_at, NOW);
});

test('a task without a time keeps its day when it begins to repeat, whatever offset it was written with', () => {
  const written = {
    has_time: false,
    due_written: '2026-03-05T23:30:00-05:00',
    due_at: new Date('2026-03-05T22:30:00Z'),
  };
  const { due_at, series_first } = edit(written, { recurrence: { freq: 'daily' } });
  assert.deepEqual([due_at, series_first?.slice(0, 10)], [written.due_at, '2026-03-05']);
});

test('an occurrence that moves to another day keeps its time by the clock of its owner, also when clocks change', () => {
  const series = { recurrence: '{"freq":"weekly"}', series_first: '2026-03-05T10:00:00' };
  const moved = moveTask({ ...TASK, ...series }, { due_at: '2026-03-30T00:00:00', date_only: true }, ZONE, NOW);
  assert.deepEqual(moved.due_at, new Date('2026-03-30T08:00:00Z'));
  assert.deepEqual([moved.run, moved.heads_up_at, moved.recurrence], [5, null, undefined]);
});
