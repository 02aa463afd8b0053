/** Reads the dates that a model wrote. A due date in the past is refused until the user has confirmed it. */
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { readExactTime } from '../words/read-time.ts';
import { distanceInWords, type TimeContext, timeInWords, zonedAt } from './format-time.ts';
import type { ReadRecurrence } from './recurrence-input.ts';
import { ToolFailure } from './tool-failure.ts';

interface DueInput {
  readonly due_at?: string;
  readonly has_time?: boolean;
  readonly allow_past?: boolean;
}

interface Due {
  readonly due_at: string;
  readonly has_time: boolean;
}

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A due date this short ago is not a mistake: time has passed since the model read the clock. */
const GRACE_MS = 120_000;

/** A day may be written as the midnight of another zone. The midnight before today's is at least 23 hours before it. */
const DAY_SLACK_MS = 15 * 3_600_000;

const IN_WORDS = /^(\d{4}-\d{2}-\d{2})(?:[Tt]| +(?:at +)?)(\d{1,2}(?::\d{2})?(?::00)? *(?:[ap]m)?)$/i;
const IN_ZONE = /^(\S+?) *(?:\[([A-Za-z_/+-]+)\]|([A-Z][A-Za-z_]+\/[A-Za-z_/+-]+))$/;

/** As the API reads it. Models also write a space for the T, 9:00 or 9 am, and the zone after the time. */
export function dateTimeText(text: string): string {
  const [, date, time] = IN_WORDS.exec(text.trim()) ?? [];
  if (date !== undefined && time !== undefined) return `${date}T${readExactTime(time) ?? time}`;
  const spaced = text.trim().replace(/^(\d{4}-\d{2}-\d{2}) +(?=\d)/, '$1T');
  const [, local, bracketed, named] = IN_ZONE.exec(spaced) ?? [];
  if (local === undefined || !local.includes('T')) return spaced;
  try {
    const zoned = Temporal.ZonedDateTime.from(`${dateTimeText(local)}[${bracketed ?? named}]`);
    return zoned.toString({ timeZoneName: 'never' });
  } catch {
    return spaced;
  }
}

/** For arguments that name an occurrence: a bare date is an all-day task as it is shown. */
export const occurrenceText = (text: string): string => {
  const normal = dateTimeText(text);
  return BARE_DATE.test(normal) ? `${normal}T00:00` : normal;
};

export const isBareDate = (text: string): boolean => BARE_DATE.test(dateTimeText(text));

/** `has_time` defaults to true if the model gives a time. The API, made for forms, would use the date alone. */
export function readDue(input: DueInput, context: TimeContext, rule?: ReadRecurrence): Due | undefined {
  if (input.due_at === undefined) return undefined;
  const text = dateTimeText(input.due_at);
  const time = BARE_DATE.test(text) ? timeOfRule(text, rule, context) : undefined;
  const isAllDay = BARE_DATE.test(text) && time === undefined;
  if (isAllDay && input.has_time) throw invalid('has_time is true, so it needs a time beside the date');
  const due_at = BARE_DATE.test(text) ? `${text}T${time ?? '00:00:00'}` : text;
  const has_time = isAllDay ? false : (input.has_time ?? true);
  const written = parseDateTime(due_at);
  if (!written) throw invalid('Input should be a date such as 2026-12-01, or a date-time such as 2026-12-01T18:00');
  if (!input.allow_past) refusePast(toInstant(written, context.zone), has_time, context);
  return { due_at, has_time };
}

/** The instant of a date-time as `dateTimeText` writes it; null if it is none. */
export function instantText(text: string, { zone }: TimeContext): string | null {
  const written = parseDateTime(text);
  return written ? toInstant(written, zone).toISOString() : null;
}

/** The user's day of a date or a date-time. The API refuses a date that does not exist. */
export function localDay(name: string, text: string, context: TimeContext): string {
  const normal = dateTimeText(text);
  if (BARE_DATE.test(normal)) return normal;
  const instant = instantText(normal, context);
  if (instant === null)
    throw new ToolFailure('invalid_input', `${name}: Input should be a date that exists, such as 2026-12-01`);
  return zonedAt(new Date(instant), context.zone).toPlainDate().toString();
}

const invalid = (why: string) => new ToolFailure('invalid_input', `due_at: ${why}`);

/** A rule with times of the day gives a bare date its first time; today gets the next time that is still ahead. */
function timeOfRule(date: string, rule: ReadRecurrence | undefined, { zone, now }: TimeContext): string | undefined {
  const local = zonedAt(now, zone);
  if (local.toPlainDate().toString() !== date) return rule?.times[0];
  return rule?.times.find((time) => time > local.toPlainTime().toString().slice(0, 5)) ?? rule?.times[0];
}

function refusePast(due: Date, hasTime: boolean, { zone, now }: TimeContext): void {
  const today = zonedAt(now, zone).startOfDay().epochMilliseconds;
  const isPast = hasTime ? due.getTime() < now.getTime() - GRACE_MS : due.getTime() < today - DAY_SLACK_MS;
  if (!isPast) return;
  const day = timeInWords(due, zone);
  throw invalid(
    `${hasTime ? day : day.replace(/ at .*/, '')} has passed (${distanceInWords(now, due)}), and reminders would start ` +
      'at once. Ask the user which date is meant; if that one is, call again with allow_past: true',
  );
}
