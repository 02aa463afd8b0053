/** Decides which fields of a task an edit changes, beyond those that the caller sent. */
import type { WrittenDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { formatWritten, movedDueFields, parseStoredDue, toDueFields } from './due.ts';
import { checkRuleRecurs, parseDueAt, parseStoredRule, serialiseRecurrence, type TaskUpdate } from './task-input.ts';
import { newRun, newRunWithHeadsUp, type Task } from './task-state.ts';

/** In code points. */
const MOST_IN_NOTES = 10_000;
const ALWAYS_EDITABLE: readonly string[] = ['title', 'notes', 'append_notes'];

/** A closed task keeps its history: an edit may contain only its title and notes. */
export const isRefusedWhenClosed = (task: Task, input: object): boolean =>
  task.status !== 'open' && Object.keys(input).some((name) => !ALWAYS_EDITABLE.includes(name));

/** As they are stored. */
export type LadderEdit = Partial<Pick<Task, 'ladder' | 'heads_ups' | 'lead_time_days'>>;

interface Restart {
  /** The reminders begin again, whatever else is changed. */
  readonly restarts?: boolean;
}

/**
 * A value that equals the current one changes nothing. A new due date, a new rule, or adding or removing
 * the time starts a new series at the due date.
 */
export function editTask(task: Task, input: TaskUpdate & LadderEdit & Restart, zone: string, now: Date): Partial<Task> {
  const { due_at, has_time = task.has_time, recurrence, restarts = false, ...plain } = input;
  const rule = recurrence === undefined ? task.recurrence : serialiseRecurrence(recurrence);
  const given = parseDueAt(due_at ?? null);
  const isDueNew = has_time !== task.has_time || (due_at !== undefined && !isDueAt(task, given, zone));
  const isSeriesNew = isDueNew || rule !== task.recurrence;
  const isModeNew = plain.mode !== undefined && plain.mode !== task.mode;
  const changes: Partial<Task> = {
    ...plain,
    ...(isDueNew && { deferred_until: null }),
    ...((isSeriesNew || isModeNew || restarts) && newRun(task, now)),
    ...(hadHeadsUp(task) ? { heads_up_at: task.heads_up_at } : isHeadsUpNew(task, input) && { heads_up_at: null }),
    ...(isDueNew && newRunWithHeadsUp(task, now)),
  };
  if (!isSeriesNew) return changes;
  const due = toDueFields(isDueNew && due_at !== undefined ? given : storedDue(task, has_time), has_time, zone);
  checkRuleRecurs(rule, due);
  return {
    ...changes,
    ...due,
    recurrence: rule,
    occurrence_number: 1,
    // A closed occurrence of the previous series cannot be reopened.
    undo: null,
  };
}

/** An edit and a move of the current occurrence in one step. */
export interface TaskEdit extends TaskUpdate, Restart {
  readonly append_notes?: string;
  readonly move?: Move;
}

export function applyEdit(task: Task, edit: TaskEdit, zone: string, now: Date): Partial<Task> {
  const { append_notes, move, ...fields } = edit;
  const input = append_notes === undefined ? fields : { ...fields, notes: appendNotes(task.notes, append_notes) };
  const changes = editTask(task, input, zone, now);
  return move ? { ...changes, ...moveTask({ ...task, ...changes }, move, zone, now) } : changes;
}

/** The added text begins on a line of its own. */
function appendNotes(notes: string | null, added: string): string {
  const joined = notes === null || notes === '' ? added : `${notes}${notes.endsWith('\n') ? '' : '\n'}${added}`;
  const excess = [...joined].length - MOST_IN_NOTES;
  if (excess <= 0) return joined;
  const room = Math.max([...added].length - excess, 0);
  const msg = `The notes have room for ${room} more characters, and this has ${[...added].length}. Shorten one of them`;
  throw new InvalidInput({ type: 'string_too_long', loc: ['body', 'append_notes'], msg });
}

export interface Move {
  readonly due_at: string;
  /** Only the date of `due_at` counts: a task with a time keeps its time of day. */
  readonly date_only?: boolean;
}

/** Another due date for the current occurrence alone. The later occurrences of a series stay where its rule has them. */
export function moveTask(task: Task, move: Move, zone: string, now: Date): Partial<Task> {
  const { written, hasTime } = destinationOf(task, move, zone);
  const isSeries = task.due_at !== null && parseStoredRule(task.recurrence) !== undefined;
  if (!isSeries) return editTask(task, { due_at: formatWritten(written), has_time: hasTime }, zone, now);
  if (hasTime !== task.has_time) throw new InvalidInput(NO_TIME_OF_DAY);
  if (isDueAt(task, written, zone)) return {};
  return { ...movedDueFields(task, written, zone), deferred_until: null, ...newRunWithHeadsUp(task, now) };
}

const NO_TIME_OF_DAY = {
  type: 'value_error',
  loc: ['body', 'due_at'],
  msg: 'The series has no time of day, so its occurrence cannot get one: send the date with date_only',
};

function destinationOf(task: Task, { due_at, date_only = false }: Move, zone: string) {
  const written = parseDueAt(due_at) as WrittenDateTime;
  if (!date_only) return { written, hasTime: true };
  if (!task.has_time || task.due_at === null) return { written: { ...written, offset: null }, hasTime: false };
  const time = Temporal.Instant.fromEpochMilliseconds(task.due_at.getTime()).toZonedDateTimeISO(zone).toPlainTime();
  return { written: { wall: written.wall.toPlainDate().toPlainDateTime(time), offset: null }, hasTime: true };
}

const isDueAt = (task: Task, given: WrittenDateTime | null, zone: string): boolean =>
  toDueFields(given, task.has_time, zone).due_at?.getTime() === task.due_at?.getTime();

/** A task without a time keeps its day, whatever offset it was once written with. */
function storedDue(task: Task, hasTime: boolean): WrittenDateTime | null {
  const stored = parseStoredDue(task.due_written);
  return stored && !task.has_time && !hasTime ? { ...stored, offset: null } : stored;
}

const isHeadsUpNew = (task: Task, { lead_time_days, heads_ups }: LadderEdit): boolean =>
  (lead_time_days !== undefined && lead_time_days !== task.lead_time_days) ||
  (heads_ups !== undefined && heads_ups !== task.heads_ups);

/** Whether a heads-up was sent in this run. A new run sets `heads_up_at` without a nudge. */
const hadHeadsUp = ({ heads_up_at, last_nudge_at }: Task): boolean =>
  heads_up_at !== null && last_nudge_at !== null && last_nudge_at >= heads_up_at;

export const isAnyChanged = <T extends Partial<Task>>(task: T, changes: Partial<T>): boolean =>
  Object.entries(changes).some(([name, value]) => comparable(task[name as keyof T]) !== comparable(value));

const comparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);
