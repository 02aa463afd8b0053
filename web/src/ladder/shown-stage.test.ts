import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStage, ringsOnTime, shownStage } from './shown-stage.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const task = { escalation_stage: 1, last_nudge_at: '2026-03-02T08:50:00Z', due_at: '2026-03-02T08:00:00Z' };

test('the badge shows the stage of the nudges that came for this occurrence', () => {
  assert.equal(shownStage({ ...task, deferred_until: null }, NOW), 1);
  assert.equal(shownStage({ ...task, deferred_until: null, last_nudge_at: null }, NOW), undefined);
});

test('after Done the next occurrence shows no stage before its first nudge, although the series has had some', () => {
  const next = { ...task, escalation_stage: 0, deferred_until: null };
  assert.equal(shownStage({ ...next, due_at: '2026-03-03T08:00:00Z' }, NOW), undefined);
  // Due, but quiet hours hold its first nudge.
  assert.equal(shownStage({ ...next, due_at: '2026-03-02T08:55:00Z' }, NOW), undefined);
});

test('a heads-up is shown before the task is due; a snoozed task shows nothing', () => {
  const later = { due_at: '2026-03-03T08:00:00Z', deferred_until: null };
  assert.equal(shownStage({ ...task, ...later, escalation_stage: -1 }, NOW), -1);
  assert.equal(shownStage({ ...task, deferred_until: '2026-03-02T10:00:00Z' }, NOW), undefined);
});

test('the first nudge of a task is its heads-up or the one at its moment; what was nudged or planned nowhere has none', () => {
  const planned = { ...task, last_nudge_at: null, due_at: '2026-03-03T08:00:00Z', deferred_until: null };
  const headsUp = '2026-03-03T07:59:59Z';
  assert.equal(nextStage({ ...planned, next_fire_at: headsUp }, NOW), -1);
  assert.equal(nextStage({ ...planned, next_fire_at: planned.due_at }, NOW), 0);
  // A snooze has no heads-up, also if it ends before the task is due.
  assert.equal(nextStage({ ...planned, next_fire_at: headsUp, deferred_until: headsUp }, NOW), 0);
  assert.equal(nextStage({ ...planned, next_fire_at: headsUp, due_at: null }, NOW), 0);
  assert.equal(nextStage({ ...planned, next_fire_at: null }, NOW), undefined);
  assert.equal(nextStage({ ...task, deferred_until: null, next_fire_at: headsUp }, NOW), undefined);
});

test('a task that rings when it is due, or when its snooze ends, is held by nothing', () => {
  const [due, later] = ['2026-03-03T08:00:00Z', '2026-03-03T09:00:00Z'];
  const rings = (next_fire_at: string, deferred_until: string | null) =>
    ringsOnTime({ ...task, due_at: due, next_fire_at, deferred_until });
  assert.deepEqual([rings(due, null), rings(later, null)], [true, false]);
  assert.deepEqual([rings(later, later), rings(due, later)], [true, false]);
});
