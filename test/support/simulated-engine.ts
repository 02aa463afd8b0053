/** The engine as the planner sees it: nudges sent one after another, on time or late. */
import assert from 'node:assert/strict';
import { afterNudge } from '../../src/escalation/forecast.ts';
import { type NudgeSettings, type NudgeTask, type PlannedNudge, planNudge } from '../../src/escalation/plan-nudge.ts';

export const MINUTE_MS = 60_000;
export const HEADS_UP = -1;

export const minutesAfter = (start: Date, minutes: number): Date => new Date(start.getTime() + minutes * MINUTE_MS);

export interface Sent extends PlannedNudge {
  /** The task as it was before. */
  readonly task: NudgeTask;
  /** Each time that it was planned: after the nudge before, and as the engine woke up for it. */
  readonly plans: readonly { readonly now: Date; readonly plan: PlannedNudge }[];
}

/** Sends nudges one after another; each time the engine wakes up `delays` minutes late, and plans again. */
export function run(task: NudgeTask, settings: NudgeSettings, count: number, delays: readonly number[] = []): Sent[] {
  const sent: Sent[] = [];
  let [current, now] = [task, task.runStartedAt];
  while (sent.length < count) {
    const plan = planNudge(current, settings, now);
    if (!plan) break;
    const wokenAt = minutesAfter(plan.at, delays[sent.length] ?? 0);
    const nudge = planNudge(current, settings, wokenAt);
    assert.ok(nudge, 'a planned nudge vanished while the engine slept');
    const plans = [
      { now, plan },
      { now: wokenAt, plan: nudge },
    ];
    sent.push({ ...nudge, task: current, plans });
    [current, now] = [afterNudge(current, nudge), nudge.at];
  }
  return sent;
}

/** Kolkata's clock never changes, so that the arithmetic of the tables can be done by hand. */
export function local(wall: string): Date {
  return new Date(`${wall}+05:30`);
}

/** An accepted, open task of the first of May, due at the end of June. */
export const TASK = {
  isOpen: true,
  isAccepted: true,
  mode: 'escalate',
  mustNotMiss: false,
  due: local('2026-06-30T17:00'),
  leadTimeDays: null,
  deferredUntil: null,
  runStartedAt: local('2026-05-01T12:00'),
  step: 0,
  lastNudgeAt: null,
  headsUpAt: null,
  maxStage: null,
} satisfies NudgeTask;

export const timesOf = (sent: readonly Pick<PlannedNudge, 'at' | 'stage'>[]) =>
  sent.map(({ at, stage }) => `${at.toISOString()} stage ${stage}`);
