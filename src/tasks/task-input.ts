/** Parses and checks the values that callers send for a task. */
import type { Static } from 'typebox';
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { canRecur } from '../recurrence/occurrences.ts';
import { hasUnreadKeys, parseRule } from '../recurrence/parse-rule.ts';
import { needsTime, type Rule, RuleError } from '../recurrence/rule.ts';
import { dueOf } from './due.ts';
import type { Task } from './task-state.ts';
import type { TaskCreate } from './tasks.schemas.ts';

type FreeForm = Readonly<Record<string, unknown>>;

type Fields = Static<typeof TaskCreate>;

/** What a caller may leave out has its default by now. */
export type TaskCreation = Fields & Required<Pick<Fields, 'kind' | 'has_time' | 'mode' | 'break_quiet_hours'>>;

/** An absent field stays as it is. */
export type TaskUpdate = Partial<Omit<TaskCreation, 'owner_id'>>;

export function parseDueAt(text: string | null): WrittenDateTime | null {
  if (text === null) return null;
  const written = parseDateTime(text);
  if (written) return written;
  throw new InvalidInput({
    type: 'datetime_parsing',
    loc: ['body', 'due_at'],
    msg: 'Input should be a valid ISO 8601 date-time',
  });
}

type Copied = Pick<
  Task,
  | 'title'
  | 'notes'
  | 'kind'
  | 'has_time'
  | 'recurrence'
  | 'lead_time_days'
  | 'mode'
  | 'break_quiet_hours'
  | 'space_id'
  | 'due_at'
  | 'due_written'
>;

/** What a caller would send to get the same task for another owner: a date without a time stays the same day there. */
export function toCreation(task: Copied): TaskCreation {
  const { title, notes, kind, has_time, lead_time_days, mode, break_quiet_hours, space_id } = task;
  const recurrence = task.recurrence === null ? null : JSON.parse(task.recurrence);
  const due = dueOf(task);
  const due_at = due === null ? null : due instanceof Date ? task.due_written : `${due}T00:00:00`;
  return { title, notes, kind, has_time, lead_time_days, mode, break_quiet_hours, space_id, recurrence, due_at };
}

/** Parses a date-time that the schema has validated. */
export function parseWritten(text: string): WrittenDateTime {
  const written = parseDateTime(text);
  if (!written) throw new Error('A date-time was not validated by the schema.');
  return written;
}

export const parseInstant = (text: string, zone: string): Date => toInstant(parseWritten(text), zone);

/** Returns the text to store. An object that looks like a rule must be a valid one; any other is kept as it is. */
export function serialiseRecurrence(value: FreeForm | null): string | null {
  if (value === null) return null;
  try {
    parseRule(value);
  } catch (error) {
    throw error instanceof RuleError ? invalidRecurrence([error.key], error.message) : error;
  }
  return JSON.stringify(value);
}

interface SeriesStart {
  readonly series_first: string | null;
  readonly has_time: boolean;
}

/** Refuses a rule by which the task would never be nudged again: it matches no day, or needs a time that is not given. */
export function checkRuleRecurs(recurrence: string | null, { series_first, has_time }: SeriesStart): void {
  const rule = parseStoredRule(recurrence);
  if (!rule) return;
  const first = series_first === null ? null : Temporal.PlainDateTime.from(series_first).toPlainDate();
  // Without a due date the task is idle, and gets its time together with the date.
  if (first && needsTime(rule) && !has_time) {
    throw invalidRecurrence([], 'The rule repeats by the time of day, so the task needs has_time: true');
  }
  if (canRecur(rule, first)) return;
  throw invalidRecurrence([], 'The rule never falls on any day');
}

/** Undefined for a free-form object, and for a rule that was free-form when it was stored and is invalid today. */
export function parseStoredRule(text: string | null): Rule | undefined {
  const rule = text === null ? undefined : tryParseRule(JSON.parse(text));
  return rule instanceof RuleError ? undefined : rule;
}

/** Whether the task repeats by all, by a part, or by none of its stored recurrence. */
export function understandingOf(text: string): 'understood' | 'partly-understood' | 'not-understood' {
  const value: FreeForm = JSON.parse(text);
  const rule = tryParseRule(value);
  if (rule === undefined || rule instanceof RuleError) return 'not-understood';
  return hasUnreadKeys(value) ? 'partly-understood' : 'understood';
}

/**
 * Refuses an object that is not a rule and would only be stored. An invalid rule is refused later, with its own reason.
 */
export function refuseFreeForm(recurrence: FreeForm | null): void {
  if (recurrence === null || tryParseRule(recurrence) !== undefined) return;
  const frequencies = 'daily, weekly, monthly, yearly, hourly or minutely';
  throw invalidRecurrence([], `The task would not repeat: freq should be ${frequencies}`);
}

function tryParseRule(value: FreeForm): Rule | RuleError | undefined {
  try {
    return parseRule(value);
  } catch (error) {
    if (error instanceof RuleError) return error;
    throw error;
  }
}

const invalidRecurrence = (path: string[], msg: string) =>
  new InvalidInput({ type: 'value_error', loc: ['body', 'recurrence', ...path], msg });
