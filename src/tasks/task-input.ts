/** Reads what callers send about a task into the forms that the rest works with, or says what is wrong with it. */
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { dueFrom } from './due.ts';
import { canEverFall } from './occurrences.ts';
import { parseRecurrence, type Rule, RuleError } from './recurrence.ts';
import type { TaskEdit } from './task-edit.ts';
import type { Task } from './task-state.ts';

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

/** Absent leaves a field as it is. */
export type TaskUpdate = Partial<Omit<TaskCreation, 'owner_id'>>;

export function readDueText(text: string | null): WrittenDateTime | null {
  if (text === null) return null;
  const written = parseDateTime(text);
  if (written) return written;
  throw new InvalidInput({
    type: 'datetime_parsing',
    loc: ['body', 'due_at'],
    msg: 'Input should be a valid ISO 8601 date-time',
  });
}

/** The instant meant by a date-time that has already passed the shape check. */
export function readInstant(text: string, zone: string): Date {
  const written = parseDateTime(text);
  if (!written) throw new Error('A date-time reached the service unchecked.');
  return toInstant(written, zone);
}

/** What to store of a recurrence: the text, as it was sent. A form we know is checked whole. */
export function readRecurrence(value: FreeForm | null): string | null {
  if (value === null) return null;
  parseOrRefuse(value);
  return JSON.stringify(value);
}

/** A rule that never falls after the first date is refused: nobody would ever hear of that task again. */
export function refuseBarrenRule(recurrence: string | null, seriesFirst: string | null): void {
  const rule = readStoredRule(recurrence);
  if (!rule || seriesFirst === null) return;
  if (canEverFall(rule, Temporal.PlainDateTime.from(seriesFirst).toPlainDate())) return;
  throw invalidRecurrence([], 'The rule never falls on any day');
}

/** What is stored was checked when it came in. */
export const readStoredRule = (text: string | null): Rule | undefined =>
  text === null ? undefined : parseRecurrence(JSON.parse(text));

function parseOrRefuse(value: FreeForm): Rule | undefined {
  try {
    return parseRecurrence(value);
  } catch (error) {
    throw error instanceof RuleError ? invalidRecurrence([error.key], error.message) : error;
  }
}

const invalidRecurrence = (path: string[], msg: string) =>
  new InvalidInput({ type: 'value_error', loc: ['body', 'recurrence', ...path], msg });

/** What is sent back unchanged changes nothing; a new rule, or a new way to be due, begins the series at what is due then. */
export function readEdit(task: Task, zone: string, input: TaskUpdate): TaskEdit {
  const { due_at, has_time = task.has_time, recurrence, ...plain } = input;
  const rule = recurrence === undefined ? task.recurrence : readRecurrence(recurrence);
  const given = readDueText(due_at ?? null);
  const givenAt = given && toInstant(given, zone);
  const redated = due_at !== undefined && givenAt?.getTime() !== task.due_at?.getTime();
  if (!redated && has_time === task.has_time && rule === task.recurrence) return plain;
  const { overdue_at: _, ...due } = dueFrom(redated ? given : readDueText(task.due_written), has_time, zone);
  refuseBarrenRule(rule, due.series_first);
  return { ...plain, recurrence: rule, due: { ...due, due_at: redated ? due.due_at : task.due_at, overdue_at: null } };
}
