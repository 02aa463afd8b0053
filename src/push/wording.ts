/** The words of a nudge, for providers that show them as they are. */
import type { PushedTask } from './gateway.ts';

const HEADS_UP_STAGE = -1;
/** A nudge is always a little late; this much of it nobody calls past. */
const STILL_NOW_MS = 120_000;

/** The line under the title: what is due, and when, on the owner's clock. */
export function bodyOf({ due, timezone }: PushedTask, stage: number, nudgedAt: Date): string {
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
    const clock = local.toPlainTime().toString({ smallestUnit: 'minute' });
    const day = describeDay(local.toPlainDate(), today);
    return day === 'today' ? `at ${clock}` : `${day} at ${clock}`;
  }
  return describeDay(due, today);
}

function describeDay(day: Temporal.PlainDate, today: Temporal.PlainDate): string {
  const distance = today.until(day, { largestUnit: 'days' }).days;
  if (distance === 0) return 'today';
  if (distance === 1) return 'tomorrow';
  if (distance === -1) return 'yesterday';
  // By hand: building a formatter costs ten times what the rest of a push does.
  const date = `on ${WEEKDAYS[day.dayOfWeek - 1]} ${day.day} ${MONTHS[day.month - 1]}`;
  return day.year === today.year ? date : `${date} ${day.year}`;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const toZoned = (instant: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone);

/** The longest beginning of the text that fits into so many bytes of UTF-8, cut between characters, never inside one. */
export function fitBytes(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const ellipsis = '…';
  let room = mostBytes - Buffer.byteLength(ellipsis);
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    room -= Buffer.byteLength(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept + ellipsis;
}
