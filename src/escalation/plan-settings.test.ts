import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK } from '../../test/support/simulated-engine.ts';
import { chooseLadder } from './choose-ladder.ts';
import { planNudge } from './plan-nudge.ts';
import { differsInPlan, PLAN_SETTINGS, type PlanSettings } from './plan-settings.ts';

const SETTINGS: PlanSettings = {
  timezone: 'Europe/Amsterdam',
  quiet_hours_start: '22:00',
  quiet_hours_end: '07:00',
  day_start: '09:00',
  pause_from: new Date('2026-07-01T00:00:00Z'),
  pause_until: new Date('2026-07-08T00:00:00Z'),
  keep_must_not_miss: true,
  suspended_at: null,
  ladders: null,
  planned_pause_from: new Date('2026-07-20T00:00:00Z'),
  planned_pause_until: new Date('2026-07-27T00:00:00Z'),
  planned_keep_must_not_miss: true,
};

/** Lists the settings that the planner reads for several kinds of tasks. */
function settingsRead(): string[] {
  const read = new Set<string>();
  const recording = new Proxy(SETTINGS, {
    get: (settings, name) => {
      read.add(String(name));
      return Reflect.get(settings, name);
    },
  });
  const allDay = { ...TASK, due: Temporal.PlainDate.from('2026-07-02') };
  for (const task of [TASK, allDay, { ...TASK, mustNotMiss: true }, { ...TASK, leadTimeDays: 1 }]) {
    const { ladder } = chooseLadder({ kind: 'todo', ladder: null, ladder_label: null }, recording.ladders);
    planNudge({ ...task, ladder }, recording, TASK.runStartedAt);
  }
  return [...read].sort();
}

test('the planner depends on exactly the listed settings', () => {
  assert.deepEqual(settingsRead(), [...PLAN_SETTINGS].sort());
});

test('a change of any listed setting is detected, and equal settings are not a change', () => {
  const changed: PlanSettings = {
    timezone: 'Asia/Tokyo',
    quiet_hours_start: null,
    quiet_hours_end: '08:00',
    day_start: '10:00',
    pause_from: null,
    pause_until: new Date('2026-07-09T00:00:00Z'),
    keep_must_not_miss: false,
    suspended_at: new Date('2026-07-03T00:00:00Z'),
    ladders: JSON.stringify({ own: [], labels: [], default: { preset: 'gentle' } }),
    planned_pause_from: new Date('2026-07-21T00:00:00Z'),
    planned_pause_until: null,
    planned_keep_must_not_miss: false,
  };
  for (const name of PLAN_SETTINGS) {
    assert.ok(differsInPlan(SETTINGS, { ...SETTINGS, [name]: changed[name] }), name);
  }
  assert.ok(!differsInPlan(SETTINGS, { ...SETTINGS, pause_from: new Date('2026-07-01T00:00:00Z') }));
});
