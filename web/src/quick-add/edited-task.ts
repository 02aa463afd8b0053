/** What the person changed in a task as it was understood. Pure. */
import { type ParsedTask, type ParseOptions, readSchedule } from '../../../src/words/parse-task.ts';
import { beginsOn } from '../../../src/words/recurrence.ts';
import {
  addDays,
  formatIsoTime,
  parseWallTime,
  toInstant,
  toWallTime,
  type WallTime,
} from '../../../src/words/wall-time.ts';

export interface Edits {
  /** The values of a date and a time field; no time for the whole day. */
  readonly due?: { readonly date: string; readonly time: string };
  /** Words, "every mon and thu". */
  readonly recurrence?: string;
}

export function applyEdits(parsed: ParsedTask, edits: Edits, options: ParseOptions): ParsedTask {
  const repeated = edits.recurrence === undefined ? parsed : withRule(parsed, edits.recurrence, options);
  const due = edits.due && parseWallTime(edits.due.date, edits.due.time || '12:00');
  if (!edits.due || !due) return repeated;
  const hasTime = edits.due.time !== '';
  return {
    ...repeated,
    due,
    hasTime,
    isPast: isPast(due, hasTime, options),
    guesses: repeated.guesses.filter(({ part }) => part !== 'due'),
  };
}

/** Words that are no rule change nothing. Words without a time keep the time. */
function withRule(parsed: ParsedTask, words: string, options: ParseOptions): ParsedTask {
  const changed = readSchedule(words, options);
  if (!changed?.recurrence) return parsed;
  if (changed.hasTime || !parsed.due || !parsed.hasTime) return { ...parsed, ...changed };
  if (beginsOn(changed.recurrence, parsed.due)) return { ...parsed, recurrence: changed.recurrence };
  return { ...parsed, ...readSchedule(`${words} ${formatIsoTime(parsed.due)}`, options) };
}

export const isRule = (words: string, options: ParseOptions): boolean =>
  Boolean(readSchedule(words, options)?.recurrence);

function isPast(due: WallTime, hasTime: boolean, { now, zone }: ParseOptions): boolean {
  return toInstant(hasTime ? due : { ...due, hour: 23, minute: 59 }, zone) <= now;
}

/** The same time on the first day on which it is ahead. */
export function movedAhead({ due, hasTime }: ParsedTask, options: ParseOptions): WallTime | null {
  if (!due) return null;
  const today = { ...toWallTime(options.now, options.zone), hour: due.hour, minute: due.minute };
  return isPast(today, hasTime, options) ? addDays(today, 1) : today;
}
