/** What the form of a pause asks the service for. Pure. */
import { addDays, formatIsoDate, parseWallTime, toIsoString, toWallTime } from '../../../src/words/wall-time.ts';

/** The values of a date and a time field. */
export interface PauseMoment {
  readonly date: string;
  readonly time: string;
}

export interface PauseFields {
  readonly isLater: boolean;
  /** Of no account for a pause that starts now. */
  readonly start: PauseMoment;
  readonly finish: PauseMoment;
}

export interface PauseToStart {
  /** Undefined if the pause starts now. */
  readonly from: string | undefined;
  readonly until: string;
}

const DAYS_OF_LATER_PAUSE = 7;

export const isBackwards = ({ isLater, start, finish }: PauseFields): boolean =>
  isLater && `${finish.date} ${finish.time}` <= `${start.date} ${start.time}`;

/** Undefined while a field is empty, or the end is not after the start. */
export function pauseOf(fields: PauseFields, zone: string): PauseToStart | undefined {
  const [first, last] = [fields.start, fields.finish].map(({ date, time }) => parseWallTime(date, time));
  if (!last || isBackwards(fields) || (fields.isLater && !first)) return undefined;
  return { from: fields.isLater && first ? toIsoString(first, zone) : undefined, until: toIsoString(last, zone) };
}

/** A later pause ends a week after tomorrow, unless the end was set after its start. */
export function withLater(
  { start, finish }: PauseFields,
  isLater: boolean,
  inDays: (days: number) => string,
): PauseFields {
  const date = isLater && finish.date <= start.date ? inDays(1 + DAYS_OF_LATER_PAUSE) : finish.date;
  return { isLater, start, finish: { ...finish, date } };
}

export const dateInDays = (now: number, zone: string, days: number): string =>
  formatIsoDate(addDays(toWallTime(now, zone), days));
