/**
 * Plans the next nudge of a task: when it comes, its stage, and which holds delay it. A pure function of
 * the task, its owner's settings and the current time.
 *
 * Guarantees: a due nudge never comes before the task is due; no nudge comes inside a hold; stages never
 * fall within a run; an open, accepted, dated task in mode `escalate` always has a next nudge, unless its owner is
 * suspended. Waits count from the previous nudge, so after an outage or a long hold there is one nudge and never a burst.
 */
import { type Hold, releaseFrom } from './holds.ts';
import { HEADS_UP_STAGE, stageOfStep, waitAfterStepMs } from './ladder.ts';
import type { PlanSettings } from './plan-settings.ts';

const HOUR_MS = 3_600_000;

export interface NudgeTask {
  readonly isOpen: boolean;
  readonly isAccepted: boolean;
  readonly mode: string;
  readonly mustNotMiss: boolean;
  /** An instant if the task has a time, otherwise a calendar date. */
  readonly due: Date | Temporal.PlainDate | null;
  readonly leadTimeDays: number | null;
  readonly deferredUntil: Date | null;
  /** A run starts at creation, acceptance, snooze, re-dating, reopening, or the next occurrence. */
  readonly runStartedAt: Date;
  /** The number of due nudges that the run has had. */
  readonly step: number;
  readonly lastNudgeAt: Date | null;
  /** Heads-ups wanted up to this moment do not come any more: one was sent then, or they are not wanted again. */
  readonly headsUpAt: Date | null;
  /** The highest stage of the task's nudges; null for no limit. */
  readonly maxStage: number | null;
}

export interface PlannedNudge {
  readonly at: Date;
  readonly stage: number;
  /** When the nudge would have come without holds. */
  readonly wantedAt: Date;
  readonly holds: readonly Hold[];
}

export function planNudge(task: NudgeTask, settings: PlanSettings, now: Date): PlannedNudge | null {
  if (!task.isOpen || !task.isAccepted || settings.suspended_at !== null) return null;
  const firstAt = firstDueNudgeAt(task, settings);
  if (!firstAt) return null;
  if (task.step === 0) return planHeadsUp(task, settings, firstAt, now) ?? release(firstAt, 0, task, settings, now);
  if (task.mode !== 'escalate' || !task.lastNudgeAt) return null;
  // A change of the time zone or of `day_start` can move the due moment past a nudge that was already sent.
  const wantedAt = new Date(Math.max(task.lastNudgeAt.getTime() + waitAfterStepMs(task.step - 1), firstAt.getTime()));
  return release(wantedAt, stageOfStep(task.step, task.maxStage), task, settings, now);
}

/**
 * A snooze that ends after the task is due delays the first nudge, and one that ends earlier does not. A task
 * without a due date is nudged from the end of its snooze.
 */
function firstDueNudgeAt(task: NudgeTask, settings: PlanSettings): Date | null {
  const dueAt = dueMoment(task, settings);
  const { deferredUntil, runStartedAt } = task;
  if (!dueAt) return deferredUntil;
  const moments = [dueAt, runStartedAt, ...(deferredUntil ? [deferredUntil] : [])];
  return new Date(Math.max(...moments.map((moment) => moment.getTime())));
}

function dueMoment({ due }: NudgeTask, { timezone, day_start: dayStart }: PlanSettings): Date | null {
  return due instanceof Temporal.PlainDate ? startOfDay(due, timezone, dayStart) : due;
}

function startOfDay(date: Temporal.PlainDate, timezone: string, dayStart: string): Date {
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(dayStart));
  return new Date(wall.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds);
}

/**
 * A heads-up whose moment has passed when the run starts comes at once. It must be more than an hour
 * before the first due nudge, which would otherwise follow too closely. Skips heads-ups that holds would
 * delay until then.
 */
function planHeadsUp(task: NudgeTask, settings: PlanSettings, firstAt: Date, now: Date): PlannedNudge | null {
  const { headsUpAt, runStartedAt } = task;
  // A snoozed task gets no heads-up before its snooze ends.
  const earliest = task.deferredUntil ?? runStartedAt;
  const moments = headsUpMoments(task, settings).filter((moment) => headsUpAt === null || moment > headsUpAt);
  moments.sort((a, b) => a.getTime() - b.getTime());
  for (const moment of moments) {
    const hasPassed = moment <= runStartedAt;
    const wantedAt = hasPassed ? runStartedAt : moment;
    if (wantedAt < earliest) continue;
    const planned = release(wantedAt, HEADS_UP_STAGE, task, settings, now);
    if (firstAt.getTime() - planned.at.getTime() > (hasPassed ? HOUR_MS : 0)) return planned;
  }
  return null;
}

function headsUpMoments(
  { due, leadTimeDays, deferredUntil }: NudgeTask,
  { timezone, day_start: dayStart }: PlanSettings,
): Date[] {
  const moments = deferredUntil ? [deferredUntil] : [];
  if (due === null || leadTimeDays === null) return moments;
  const isAllDay = due instanceof Temporal.PlainDate;
  const date = isAllDay
    ? due
    : Temporal.Instant.fromEpochMilliseconds(due.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  // A task without a time gets its first due nudge at the start of its day, so a heads-up there would double it.
  if (isAllDay && leadTimeDays === 0) return moments;
  return [...moments, startOfDay(date.subtract({ days: leadTimeDays }), timezone, dayStart)];
}

/** A nudge that should have come already comes now, unless now is inside a hold. */
function release(wantedAt: Date, stage: number, task: NudgeTask, settings: PlanSettings, now: Date): PlannedNudge {
  return { stage, wantedAt, ...releaseFrom(wantedAt > now ? wantedAt : now, task.mustNotMiss, settings) };
}
