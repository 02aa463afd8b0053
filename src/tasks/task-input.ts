/** Parses and checks the values that callers send for a task. */
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { canRecur } from '../recurrence/occurrences.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import { type Rule, RuleError } from '../recurrence/rule.ts';

type FreeForm = Readonly<Record<string, unknown>>;

export interface TaskCreation {
  readonly title: string;
  readonly notes?: string | null;
  readonly kind: string;
  readonly due_at?: string | null;
  readonly has_time: boolean;
  readonly recurrence?: FreeForm | null;
  readonly lead_time_days?: number | null;
  readonly mode: string;
  readonly break_quiet_hours: boolean;
  readonly owner_id?: string | null;
  readonly space_id?: string | null;
}

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

/** Parses a date-time that the schema has validated. */
export function parseInstant(text: string, zone: string): Date {
  const written = parseDateTime(text);
  if (!written) throw new Error('A date-time was not validated by the schema.');
  return toInstant(written, zone);
}

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

/** Refuses a rule that matches no day from the first date on: the task would never be nudged again. */
export function checkRuleRecurs(recurrence: string | null, seriesFirst: string | null): void {
  const rule = parseStoredRule(recurrence);
  if (!rule || seriesFirst === null) return;
  if (canRecur(rule, Temporal.PlainDateTime.from(seriesFirst).toPlainDate())) return;
  throw invalidRecurrence([], 'The rule never falls on any day');
}

/** Never throws for a stored value, which was checked before it was stored. */
export const parseStoredRule = (text: string | null): Rule | undefined =>
  text === null ? undefined : parseRule(JSON.parse(text));

const invalidRecurrence = (path: string[], msg: string) =>
  new InvalidInput({ type: 'value_error', loc: ['body', 'recurrence', ...path], msg });
