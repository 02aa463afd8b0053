/**
 * What holds a nudge back: quiet hours and the global pause. A held nudge waits for the hold to end;
 * it is never lost and never climbs meanwhile. A must-not-miss task (`breakQuietHours`) passes quiet
 * hours, and the pause too while the pause keeps must-not-miss tasks.
 */
export interface HoldSettings {
  readonly timezone: string;
  /** Wall-clock times, "HH:MM"; quiet hours hold where both are set and differ. */
  readonly quietHoursStart: string | null;
  readonly quietHoursEnd: string | null;
  readonly pausedFrom: Date | null;
  readonly pausedUntil: Date | null;
  readonly keepMustNotMiss: boolean;
}

export type Hold = 'quiet_hours' | 'pause';

export interface Released {
  /** The first moment at or after the wanted one that nothing holds. */
  readonly at: Date;
  /** What held it, in the order met. */
  readonly holds: readonly Hold[];
}

export function releaseFrom(wanted: Date, mustNotMiss: boolean, settings: HoldSettings): Released {
  const holds: Hold[] = [];
  let at = wanted;
  // Each round moves on to the end of a hold or to a change of the clock inside it: the pause is one
  // interval, and quiet hours leave at least a minute of the day free, so this ends after a few rounds.
  for (;;) {
    const pauseEnd = mustNotMiss && settings.keepMustNotMiss ? undefined : endOfPause(at, settings);
    const end = pauseEnd ?? (mustNotMiss ? undefined : endOfQuietHours(at, settings));
    if (!end) return { at, holds };
    const hold = pauseEnd ? 'pause' : 'quiet_hours';
    if (!holds.includes(hold)) holds.push(hold);
    at = end;
  }
}

function endOfPause(at: Date, { pausedFrom, pausedUntil }: HoldSettings): Date | undefined {
  return pausedFrom && pausedUntil && at >= pausedFrom && at < pausedUntil ? pausedUntil : undefined;
}

/** The end of the quiet hours that the instant lies in, or undefined outside of them. */
function endOfQuietHours(at: Date, settings: HoldSettings): Date | undefined {
  const { quietHoursStart: start, quietHoursEnd: end, timezone } = settings;
  if (start === null || end === null || start === end) return undefined;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  const clock = local.toPlainTime().toString({ smallestUnit: 'minute' });
  const overMidnight = start > end;
  const isQuiet = overMidnight ? clock >= start || clock < end : clock >= start && clock < end;
  if (!isQuiet) return undefined;
  const endDate = overMidnight && clock >= start ? local.toPlainDate().add({ days: 1 }) : local.toPlainDate();
  const wallEnd = firstAfter(at, endDate.toPlainDateTime(Temporal.PlainTime.from(end)), timezone);
  // Where the clock is changed before that, it may jump out of the quiet hours: look again from there.
  const change = local.getTimeZoneTransition('next')?.epochMilliseconds;
  return change !== undefined && change < wallEnd.getTime() ? new Date(change) : wallEnd;
}

/** Where the clock is set back, the wall time comes twice, and the first time may already be over. */
function firstAfter(at: Date, wall: Temporal.PlainDateTime, timezone: string): Date {
  const [first, second] = (['compatible', 'later'] as const).map(
    (disambiguation) => wall.toZonedDateTime(timezone, { disambiguation }).epochMilliseconds,
  ) as [number, number];
  return new Date(first > at.getTime() ? first : second);
}
