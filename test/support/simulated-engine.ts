/** Simulates the engine for the planner: sends nudges one after another, on time or late. */
import assert from 'node:assert/strict';
import { afterNudge } from '../../src/escalation/forecast.ts';
import { type NudgeTask, type PlannedNudge, planNudge } from '../../src/escalation/plan-nudge.ts';
import type { PlanSettings } from '../../src/escalation/plan-settings.ts';
import { PRESETS } from '../../src/escalation/presets.ts';

export const MINUTE_MS = 60_000;
export const HEADS_UP = -1;

export const minutesAfter = (start: Date, minutes: number): Date => new Date(start.getTime() + minutes * MINUTE_MS);

/** Nothing holds a nudge back. */
export const NO_HOLDS: PlanSettings = {
  timezone: 'UTC',
  quiet_hours_start: null,
  quiet_hours_end: null,
  day_start: '09:00',
  pause_from: null,
  pause_until: null,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: null,
  keep_must_not_miss: true,
  suspended_at: null,
  ladders: null,
};

export interface Sent extends PlannedNudge {
  /** The task before the nudge. */
  readonly task: NudgeTask;
  /** The nudge is planned twice: after the previous nudge, and when the engine wakes up for it. */
  readonly plans: readonly { readonly now: Date; readonly plan: PlannedNudge }[];
}

/** Each time, the engine wakes up late by the next of `delays`, in minutes, and plans again. */
export function run(task: NudgeTask, settings: PlanSettings, count: number, delays: readonly number[] = []): Sent[] {
  const sent: Sent[] = [];
  let [current, now] = [task, task.runStartedAt];
  while (sent.length < count) {
    const plan = planNudge(current, settings, now);
    if (!plan) break;
    const wokenAt = minutesAfter(plan.at, delays[sent.length] ?? 0);
    const nudge = planNudge(current, settings, wokenAt);
    assert.ok(nudge, 'a planned nudge is no longer planned when the engine wakes up');
    const plans = [
      { now, plan },
      { now: wokenAt, plan: nudge },
    ];
    sent.push({ ...nudge, task: current, plans });
    [current, now] = [afterNudge(current, nudge), nudge.at];
  }
  return sent;
}

/** Kolkata has no clock changes, so the expected times in the tables are easy to compute. */
export function local(wall: string): Date {
  return new Date(`${wall}+05:30`);
}

/** An accepted, open task, created on 1 May and due on 30 June. */
export const TASK = {
  isOpen: true,
  isAccepted: true,
  mode: 'escalate',
  mustNotMiss: false,
  due: local('2026-06-30T17:00'),
  ladder: PRESETS.default,
  leadTimeDays: null,
  headsUps: [],
  deferredUntil: null,
  runStartedAt: local('2026-05-01T12:00'),
  step: 0,
  lastNudgeAt: null,
  headsUpAt: null,
  maxStage: null,
  shortestWait: null,
  ringsAnywayAt: null,
} satisfies NudgeTask;

export const timesOf = (sent: readonly Pick<PlannedNudge, 'at' | 'stage'>[]) =>
  sent.map(({ at, stage }) => `${at.toISOString()} stage ${stage}`);
