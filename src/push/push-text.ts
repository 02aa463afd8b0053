/** The text of a notification, for providers that show it unchanged. */
import { words } from '../lib/words.ts';
import type { PushedTask } from './gateway.ts';

const HEADS_UP_STAGE = -1;
/** Every nudge is sent a little late; within this time its text still says "now". */
const STILL_NOW_MS = 120_000;

/** The line under the title: what is due and when, in the time zone of the person. A stand-in reads whose task it is. */
export function nudgeBody(task: PushedTask, stage: number, nudgedAt: Date): string {
  const body = dueBody(task, stage, nudgedAt);
  if (!task.standInFor) return body;
  const { name, isEither } = task.standInFor;
  const whose = isEither ? words.standIn.either : words.standIn.noReaction;
  return `${whose(name ?? words.request.somebody)} ${body}`;
}

function dueBody({ due, timezone }: PushedTask, stage: number, nudgedAt: Date): string {
  const { nudge } = words;
  if (due === null) return stage <= 0 ? nudge.backFromSnooze : nudge.stillOpen;
  // Most nudges end here: a time zone lookup would be an eighth of the cost of a push.
  if (stage === 0 && due instanceof Date && nudgedAt.getTime() - due.getTime() <= STILL_NOW_MS) return nudge.dueNow;
  const today = toZoned(nudgedAt, timezone).toPlainDate();
  const local = due instanceof Date ? toZoned(due, timezone) : undefined;
  const day = local?.toPlainDate() ?? (due as Temporal.PlainDate);
  const time = local?.toPlainTime().toString({ smallestUnit: 'minute' });
  const when = describeDue(day, today, time);
  if (stage === HEADS_UP_STAGE) return nudge.due(when);
  if (stage === 0) return due instanceof Date || !day.equals(today) ? nudge.wasDue(when) : nudge.dueToday;
  return nudge.stillOpenDue(when);
}

/** When the task is due, for a message that is no nudge; null if it has no date. */
export function dueText({ due, timezone }: PushedTask): string | null {
  if (due === null) return null;
  const local = due instanceof Date ? toZoned(due, timezone) : undefined;
  const day = local?.toPlainDate() ?? (due as Temporal.PlainDate);
  const date = words.nudge.onDay(day.dayOfWeek, day.day, day.month, day.year);
  const time = local?.toPlainTime().toString({ smallestUnit: 'minute' });
  return `${words.nudge.due(time === undefined ? date : words.nudge.dayAt(date, time))}.`;
}

function describeDue(day: Temporal.PlainDate, today: Temporal.PlainDate, time: string | undefined): string {
  const { nudge } = words;
  if (time === undefined) return describeDay(day, today);
  return day.equals(today) ? nudge.at(time) : nudge.dayAt(describeDay(day, today), time);
}

function describeDay(day: Temporal.PlainDate, today: Temporal.PlainDate): string {
  const { nudge } = words;
  const distance = today.until(day, { largestUnit: 'days' }).days;
  if (distance === 0) return nudge.today;
  if (distance === 1) return nudge.tomorrow;
  if (distance === -1) return nudge.yesterday;
  return nudge.onDay(day.dayOfWeek, day.day, day.month, day.year === today.year ? null : day.year);
}

const toZoned = (instant: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone);
