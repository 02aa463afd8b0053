import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownStage } from './shown-stage.ts';

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
