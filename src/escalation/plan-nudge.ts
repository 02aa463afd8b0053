/**
 * When the next nudge of a task comes, how strong it is, and what it waits for: one pure function
 * of the task, its owner's settings and the present moment.
 *
 * Guarantees: never before due; never inside a hold; stages never fall within a run; an open,
 * accepted, dated task in mode `escalate` always has a next nudge. Waits count from the nudge
 * before, so that after an outage or a long hold there is one nudge and never a burst.
 */

import { type Hold, type HoldSettings, releaseFrom } from './holds.ts';
import { HEADS_UP_STAGE, stageOfStep, waitAfterStepMs } from './ladder.ts';

export interface NudgeTask {
  readonly isOpen: boolean;
  readonly isAccepted: boolean;
  readonly mode: string;
  readonly mustNotMiss: boolean;
  /** When a task with a time is due, or the calendar date of one without. */
  readonly due: Date | Temporal.PlainDate | null;
  readonly leadTimeDays: number | null;
  readonly deferredUntil: Date | null;
  /** When the current run began: creation, acceptance, snooze, re-dating, the next occurrence. */
  readonly runStartedAt: Date;
  /** How many due nudges the run has had, and when the last was. */
  readonly step: number;
  readonly lastNudgeAt: Date | null;
  /** The run's last heads-up. */
  readonly headsUpAt: Date | null;
  /** The strongest stage its nudges may reach; null for the whole ladder. */
  readonly maxStage: number | null;
}

export interface NudgeSettings extends HoldSettings {
  /** When the day begins, "HH:MM". */
  readonly dayStart: string;
}

export interface PlannedNudge {
  readonly at: Date;
  readonly stage: number;
  /** When it would have come without the holds. */
  readonly wantedAt: Date;
  readonly holds: readonly Hold[];
}

export function planNudge(task: NudgeTask, settings: NudgeSettings, now: Date): PlannedNudge | null {
  if (!task.isOpen || !task.isAccepted) return null;
  const firstAt = firstDueNudgeAt(task, settings);
  if (!firstAt) return null;
  if (task.step === 0) return planHeadsUp(task, settings, firstAt, now) ?? release(firstAt, 0, task, settings, now);
  if (task.mode !== 'escalate' || !task.lastNudgeAt) return null;
  // A change of zone or of the day's start can put the due moment after a nudge that was already sent.
  const wantedAt = new Date(Math.max(task.lastNudgeAt.getTime() + waitAfterStepMs(task.step - 1), firstAt.getTime()));
  return release(wantedAt, stageOfStep(task.step, task.maxStage), task, settings, now);
}

/** A snooze past the due moment replaces it; before it, or without one, the ladder keeps to what is due. */
function firstDueNudgeAt(task: NudgeTask, settings: NudgeSettings): Date | null {
  const dueAt = dueMoment(task, settings);
  const { deferredUntil, runStartedAt } = task;
  if (!dueAt) return deferredUntil;
  const moments = [dueAt, runStartedAt, ...(deferredUntil ? [deferredUntil] : [])];
  return new Date(Math.max(...moments.map((moment) => moment.getTime())));
}

function dueMoment({ due }: NudgeTask, { timezone, dayStart }: NudgeSettings): Date | null {
  return due instanceof Temporal.PlainDate ? startOfDay(due, timezone, dayStart) : due;
}

function startOfDay(date: Temporal.PlainDate, timezone: string, dayStart: string): Date {
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(dayStart));
  return new Date(wall.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds);
}

/** The next heads-up that is neither past when the run began nor held until the task itself is due. */
function planHeadsUp(task: NudgeTask, settings: NudgeSettings, firstAt: Date, now: Date): PlannedNudge | null {
  const after = task.headsUpAt ?? task.runStartedAt;
  // A snoozed task keeps quiet until its snooze is over, whatever else it had announced for that time.
  const quietUntil = task.deferredUntil ?? after;
  const wanted = headsUpMoments(task, settings).filter(
    (moment) => moment > after && moment >= quietUntil && moment < firstAt,
  );
  wanted.sort((a, b) => a.getTime() - b.getTime());
  const planned = wanted.map((moment) => release(moment, HEADS_UP_STAGE, task, settings, now));
  return planned.find(({ at }) => at < firstAt) ?? null;
}

function headsUpMoments(
  { due, leadTimeDays, deferredUntil }: NudgeTask,
  { timezone, dayStart }: NudgeSettings,
): Date[] {
  const moments = deferredUntil ? [deferredUntil] : [];
  if (due === null || leadTimeDays === null) return moments;
  const isAllDay = due instanceof Temporal.PlainDate;
  const date = isAllDay
    ? due
    : Temporal.Instant.fromEpochMilliseconds(due.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  // On its own day, a task without a time already begins at the start of the day.
  if (isAllDay && leadTimeDays === 0) return moments;
  return [...moments, startOfDay(date.subtract({ days: leadTimeDays }), timezone, dayStart)];
}

/** What should have come already comes now, unless now is inside a hold. */
function release(wantedAt: Date, stage: number, task: NudgeTask, settings: NudgeSettings, now: Date): PlannedNudge {
  return { stage, wantedAt, ...releaseFrom(wantedAt > now ? wantedAt : now, task.mustNotMiss, settings) };
}
