/**
 * Plans the next nudge of a task: when it comes, its stage, and which holds delay it. A pure function of
 * the task, its owner's settings and the current time.
 *
 * Guarantees: a due nudge never comes before the task is due; no nudge comes inside a hold, except at the moment that
 * its owner named; stages never fall within a run while its ladder stays; an open, accepted, dated task in mode
 * `escalate` always has a next nudge where its ladder has no end or it must not be missed, unless its owner is
 * suspended. Waits count from the previous nudge and have a shortest length whatever the ladder says, so after an outage
 * or a long hold there is one nudge and never a burst.
 */
import { type Hold, releaseFrom, ringsAnyway } from './holds.ts';
import { type After, HEADS_UP_STAGE, type Ladder, lastingRung, rungAt, shortestWait } from './ladder.ts';
import type { PlanSettings } from './plan-settings.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Before the due moment; days end at the start of the owner's day. */
export type HeadsUp = { readonly minutes: number } | { readonly hours: number } | { readonly days: number };

export interface NudgeTask {
  readonly isOpen: boolean;
  readonly isAccepted: boolean;
  readonly mode: string;
  readonly mustNotMiss: boolean;
  /** An instant if the task has a time, otherwise a calendar date. */
  readonly due: Date | Temporal.PlainDate | null;
  readonly ladder: Ladder;
  readonly leadTimeDays: number | null;
  /** Besides the one of `leadTimeDays`. */
  readonly headsUps: readonly HeadsUp[];
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
  /** The shortest wait between due nudges in minutes, where a token has limited it; null for no limit of its own. */
  readonly shortestWait: number | null;
  /** The nudge that is wanted at exactly this moment passes the holds. Any other date or snooze makes it meaningless. */
  readonly ringsAnywayAt: Date | null;
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
  if (task.step === 0) return planHeadsUp(task, settings, firstAt, now) ?? planFirst(task, settings, firstAt, now);
  if (task.mode !== 'escalate' || !task.lastNudgeAt) return null;
  const rung = rungAt(task.ladder, task.step) ?? (task.mustNotMiss ? lastingRung(task.ladder) : null);
  if (!rung) return null;
  const after = momentAfter(task.lastNudgeAt, rung.after, task, settings);
  // A change of the time zone or of `day_start` can move the due moment past a nudge that was already sent.
  const wantedAt = new Date(Math.max(after, firstAt.getTime()));
  return release(wantedAt, atMost(rung.stage, task), task, settings, now);
}

function planFirst(task: NudgeTask, settings: PlanSettings, firstAt: Date, now: Date): PlannedNudge {
  return release(firstAt, atMost(task.ladder.rungs[0]?.stage ?? 0, task), task, settings, now);
}

/** `maxStage` limits the stage, not the waits. */
const atMost = (stage: number, { maxStage }: NudgeTask): number =>
  maxStage === null ? stage : Math.min(stage, maxStage);

/** A nudge this long before the start of a day belongs to the night before it, which to its owner is the day before. */
const NIGHT_MS = 4 * HOUR_MS;

/** A moment of the next day that would come too soon is the one of the day after. */
function momentAfter(
  nudgedAt: Date,
  after: After,
  task: NudgeTask,
  { timezone, day_start: dayStart }: PlanSettings,
): number {
  const waitMs = Math.max(shortestWait(task.mustNotMiss), task.shortestWait ?? 0) * MINUTE_MS;
  const earliest = nudgedAt.getTime() + waitMs;
  if (typeof after === 'number') return Math.max(nudgedAt.getTime() + after * MINUTE_MS, earliest);
  const clock = after === 'day_start' ? dayStart : after;
  const today = dateOf(nudgedAt, timezone);
  const isNight = atWallTime(today, dayStart, timezone).getTime() - nudgedAt.getTime() >= NIGHT_MS;
  const soonest = isNight ? Math.max(earliest, nudgedAt.getTime() + NIGHT_MS) : earliest;
  let date = isNight ? today : today.add({ days: 1 });
  for (;;) {
    const moment = atWallTime(date, clock, timezone).getTime();
    if (moment >= soonest) return moment;
    date = date.add({ days: 1 });
  }
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
  return due instanceof Temporal.PlainDate ? atWallTime(due, dayStart, timezone) : due;
}

const dateOf = (instant: Date, timezone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone).toPlainDate();

function atWallTime(date: Temporal.PlainDate, clock: string, timezone: string): Date {
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(clock));
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

function headsUpMoments({ due, leadTimeDays, headsUps, deferredUntil }: NudgeTask, settings: PlanSettings): Date[] {
  const snoozed = deferredUntil ? [deferredUntil] : [];
  if (due === null) return snoozed;
  const all = leadTimeDays === null ? headsUps : [{ days: leadTimeDays }, ...headsUps];
  return [...snoozed, ...all.flatMap((headsUp) => momentBefore(due, headsUp, settings) ?? [])];
}

function momentBefore(due: Date | Temporal.PlainDate, headsUp: HeadsUp, settings: PlanSettings): Date | undefined {
  const { timezone, day_start: dayStart } = settings;
  const isAllDay = due instanceof Temporal.PlainDate;
  if ('days' in headsUp) {
    // A task without a time gets its first due nudge at the start of its day, so a heads-up there would double it.
    if (isAllDay && headsUp.days === 0) return undefined;
    const date = isAllDay ? due : dateOf(due, timezone);
    return atWallTime(date.subtract({ days: headsUp.days }), dayStart, timezone);
  }
  const dueAt = isAllDay ? atWallTime(due, dayStart, timezone) : due;
  return new Date(dueAt.getTime() - ('hours' in headsUp ? headsUp.hours * HOUR_MS : headsUp.minutes * MINUTE_MS));
}

/** A nudge that should have come already comes now, unless now is inside a hold. */
function release(wantedAt: Date, stage: number, task: NudgeTask, settings: PlanSettings, now: Date): PlannedNudge {
  const { mustNotMiss, ringsAnywayAt } = task;
  const at = wantedAt > now ? wantedAt : now;
  const isNamed = ringsAnywayAt?.getTime() === wantedAt.getTime();
  if (isNamed && ringsAnyway(ringsAnywayAt, at)) return { stage, wantedAt, at, holds: [] };
  return { stage, wantedAt, ...releaseFrom(at, mustNotMiss, settings) };
}
