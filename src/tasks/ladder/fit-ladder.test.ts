import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ladder } from '../../escalation/ladder.ts';
import { newTask } from '../new-task.ts';
import type { Task } from '../task-state.ts';
import { showLadder } from './fit-ladder.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const OWNER = { id: 'ada', timezone: 'UTC' } as Parameters<typeof newTask>[0];
const INPUT = { title: 'pills', kind: 'todo', has_time: false, mode: 'escalate', break_quiet_hours: false };
const SHORT: Ladder = {
  rungs: [
    { after: 0, stage: 0 },
    { after: 2, stage: 2 },
  ],
  end: { repeat_last: 1, times: null },
};

function fitted(ladder: Ladder, fields: Partial<Task>) {
  const task = newTask(OWNER, { kind: 'session', userId: OWNER.id }, INPUT, NOW) as Task;
  return showLadder({ ...task, ladder: JSON.stringify(ladder), ...fields }, null, true).fitted;
}

test('of a task that notifies once, only the first rung is fitted, and only a ladder with more is cut', () => {
  const once = { mode: 'notify_once', max_stage: 1, shortest_wait: 30 };
  assert.deepEqual(fitted(SHORT, { mode: 'escalate' }), ['waits_lengthened']);
  assert.deepEqual(fitted(SHORT, once), ['once_only']);
  assert.deepEqual(fitted({ rungs: SHORT.rungs.slice(0, 1), end: null }, once), []);
});

test('a ladder with an end goes on for a task that must not be missed, and one without an end is as it was chosen', () => {
  const urgent = { break_quiet_hours: true };
  assert.deepEqual(fitted({ ...SHORT, end: null }, urgent), ['repeats_although_ended']);
  assert.deepEqual(fitted({ ...SHORT, end: { repeat_last: 1, times: 3 } }, urgent), ['repeats_although_ended']);
  assert.deepEqual(fitted(SHORT, urgent), []);
});

test('what a token may not bring is told, by stage and by wait', () => {
  const urgent = { break_quiet_hours: true };
  assert.deepEqual(fitted(SHORT, { ...urgent, max_stage: 1 }), ['stage_limited']);
  assert.deepEqual(fitted(SHORT, { ...urgent, max_stage: 2, shortest_wait: 2 }), []);
  assert.deepEqual(fitted(SHORT, { ...urgent, shortest_wait: 3 }), ['waits_limited_by_token']);
});
