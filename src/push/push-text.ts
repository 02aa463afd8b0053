/** The English text of a notification, for providers that show it unchanged. */
import type { PushedTask } from './gateway.ts';

export const TEST_TITLE = 'Crescendo can reach you here';
export const TEST_BODY = 'This is the test you asked for. Nothing is due.';

const HEADS_UP_STAGE = -1;
/** Every nudge is sent a little late; within this time its text still says "now". */
const STILL_NOW_MS = 120_000;

/** The line under the title: what is due and when, in the owner's time zone. */
export function nudgeBody({ due, timezone }: PushedTask, stage: number, nudgedAt: Date): string {
  if (due === null) return stage <= 0 ? 'Back from its snooze' : 'Still open';
  const when = describeDue(due, timezone, nudgedAt);
  if (stage === HEADS_UP_STAGE) return `Due ${when}`;
  const isPast = due instanceof Date ? nudgedAt.getTime() - due.getTime() > STILL_NOW_MS : when !== 'today';
  if (stage === 0) return isPast ? `Was due ${when}` : due instanceof Date ? 'Due now' : 'Due today';
  return `Still open, due ${when}`;
}

function describeDue(due: Date | Temporal.PlainDate, timezone: string, nudgedAt: Date): string {
  const today = toZoned(nudgedAt, timezone).toPlainDate();
  if (due instanceof Date) {
    const local = toZoned(due, timezone);
    const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
    const day = describeDay(local.toPlainDate(), today);
    return day === 'today' ? `at ${time}` : `${day} at ${time}`;
  }
  return describeDay(due, today);
}

function describeDay(day: Temporal.PlainDate, today: Temporal.PlainDate): string {
  const distance = today.until(day, { largestUnit: 'days' }).days;
  if (distance === 0) return 'today';
  if (distance === 1) return 'tomorrow';
  if (distance === -1) return 'yesterday';
  // Written by hand: an Intl formatter costs ten times as much as the rest of a push.
  const date = `on ${WEEKDAYS[day.dayOfWeek - 1]} ${day.day} ${MONTHS[day.month - 1]}`;
  return day.year === today.year ? date : `${date} ${day.year}`;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const toZoned = (instant: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone);
