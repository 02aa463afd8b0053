/**
 * Delays nudges by the holds: quiet hours, the pause and the planned pause. A held nudge waits for the hold
 * to end. It is never lost, and its step does not rise while it waits. A must-not-miss task passes quiet
 * hours, and also a pause that keeps such tasks. A nudge at a moment that its owner named passes all holds, once.
 */
import type { PlanSettings } from './plan-settings.ts';

export type Hold = 'quiet_hours' | 'pause';

export interface Released {
  /** The first moment, at or after the wanted one, outside of all holds. */
  readonly at: Date;
  /** The holds that delayed it, in their order of time. */
  readonly holds: readonly Hold[];
}

export function releaseFrom(wanted: Date, mustNotMiss: boolean, settings: PlanSettings): Released {
  const holds: Hold[] = [];
  const pauses = listPauses(settings).filter(({ keepsMustNotMiss }) => !(mustNotMiss && keepsMustNotMiss));
  let at = wanted;
  // Each round moves to the end of a hold, or to a clock change inside it. There are at most two pauses,
  // and quiet hours leave at least one minute of the day free, so the loop ends after a few rounds.
  for (;;) {
    const pauseEnd = pauses.find(({ from, until }) => at >= from && at < until)?.until;
    const end = pauseEnd ?? (mustNotMiss ? undefined : endOfQuietHours(at, settings));
    if (!end) return { at, holds };
    const hold = pauseEnd ? 'pause' : 'quiet_hours';
    if (!holds.includes(hold)) holds.push(hold);
    at = end;
  }
}

/** The engine may be late, and a provider may fail at first. Later than this the owner no longer expects a nudge. */
const RINGS_ANYWAY_FOR_MS = 15 * 60_000;

/**
 * Whether what belongs to the named moment may still be sent. Its owner named it after being told that it would be
 * held, so it passes a pause too. The next nudge is held as usual.
 */
export const ringsAnyway = (ringsAnywayAt: Date | null, at: Date): boolean =>
  ringsAnywayAt !== null && at >= ringsAnywayAt && at.getTime() - ringsAnywayAt.getTime() < RINGS_ANYWAY_FOR_MS;

interface Pause {
  readonly from: Date;
  readonly until: Date;
  readonly keepsMustNotMiss: boolean;
}

/**
 * Without overlap: where two pauses meet, the one that ends last counts from its start on. `settlePause` stores them
 * by the same rule, so a plan stays true when the planned pause begins.
 */
function listPauses(settings: PlanSettings): Pause[] {
  const running = toPause(settings.pause_from, settings.pause_until, settings.keep_must_not_miss);
  const { planned_pause_from, planned_pause_until, planned_keep_must_not_miss } = settings;
  const planned = toPause(planned_pause_from, planned_pause_until, planned_keep_must_not_miss);
  if (!running || !planned) return [running, planned].filter((pause) => pause !== undefined);
  if (running.until >= planned.until) return [running];
  return [running.until > planned.from ? { ...running, until: planned.from } : running, planned];
}

const toPause = (from: Date | null, until: Date | null, keepsMustNotMiss: boolean | null): Pause | undefined =>
  from && until ? { from, until, keepsMustNotMiss: keepsMustNotMiss ?? true } : undefined;

/** Undefined if the instant is outside of quiet hours. */
function endOfQuietHours(at: Date, settings: PlanSettings): Date | undefined {
  const { quiet_hours_start: start, quiet_hours_end: end, timezone } = settings;
  if (start === null || end === null || start === end) return undefined;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  const clock = local.toPlainTime().toString({ smallestUnit: 'minute' });
  const overMidnight = start > end;
  const isQuiet = overMidnight ? clock >= start || clock < end : clock >= start && clock < end;
  if (!isQuiet) return undefined;
  const endDate = overMidnight && clock >= start ? local.toPlainDate().add({ days: 1 }) : local.toPlainDate();
  const wallEnd = firstAfter(at, endDate.toPlainDateTime(Temporal.PlainTime.from(end)), timezone);
  // A clock change before the end may jump out of the quiet hours, so the caller checks again from there.
  const change = local.getTimeZoneTransition('next')?.epochMilliseconds;
  return change !== undefined && change < wallEnd.getTime() ? new Date(change) : wallEnd;
}

/** A wall time occurs twice when the clock is set back, and the first occurrence may already be over. */
function firstAfter(at: Date, wall: Temporal.PlainDateTime, timezone: string): Date {
  const [first, second] = (['compatible', 'later'] as const).map(
    (disambiguation) => wall.toZonedDateTime(timezone, { disambiguation }).epochMilliseconds,
  ) as [number, number];
  return new Date(first > at.getTime() ? first : second);
}
