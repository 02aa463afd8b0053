import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countPassedRungs, momentOfRung } from './rungs.ts';

const entry = (kind: string, stage: number | null = null) => ({ kind, stage });

test('only the nudges since the run began count, and no heads-up does', () => {
  const timeline = [entry('nudge', 1), entry('stand_in_told', 0), entry('nudge', 0), entry('nudge', -1)];
  assert.equal(countPassedRungs([...timeline, entry('created')]), 2);
  assert.equal(countPassedRungs([...timeline, entry('snoozed'), entry('nudge', 2), entry('created')]), 2);
  assert.equal(countPassedRungs([entry('snoozed'), ...timeline]), 0);
});

test('a rung has the moment of its nudge, one that has passed that of the next', () => {
  const forecast = [
    { at: '09:00', stage: -1 },
    { at: '10:00', stage: 0 },
    { at: '10:15', stage: 1 },
  ];
  assert.equal(momentOfRung(0, 0, forecast), '10:00');
  assert.equal(momentOfRung(1, 0, forecast), '10:15');
  assert.equal(momentOfRung(2, 0, forecast), undefined);
  assert.equal(momentOfRung(0, 3, forecast), '10:00');
  assert.equal(momentOfRung(4, 3, forecast), '10:15');
});

test('every start of a ladder begins the count anew, and what was done beside it does not', () => {
  const timeline = (kind: string) => [entry('nudge', 0), entry(kind), entry('nudge', 1), entry('created')];
  for (const kind of ['accepted', 'rescheduled', 'snoozed', 'snooze_undone', 'done', 'skipped', 'reopened'])
    assert.equal(countPassedRungs(timeline(kind)), 1, kind);
  for (const kind of ['edited', 'acknowledged', 'held']) assert.equal(countPassedRungs(timeline(kind)), 2, kind);
});
