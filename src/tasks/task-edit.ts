/** Decides which fields of a task an edit changes, beyond those that the caller sent. */
import { toInstant } from '../lib/date-time.ts';
import { parseStoredDue, toDueFields } from './due.ts';
import { checkRuleRecurs, parseDueAt, serialiseRecurrence, type TaskUpdate } from './task-input.ts';
import { newRun, type Task } from './task-state.ts';

const ALWAYS_EDITABLE: readonly string[] = ['title', 'notes'];

/** A closed task keeps its history: an edit may contain only its title and notes. */
export const isRefusedWhenClosed = (task: Task, input: object): boolean =>
  task.status !== 'open' && Object.keys(input).some((name) => !ALWAYS_EDITABLE.includes(name));

/**
 * A value that equals the current one changes nothing. A new due date, a new rule, or adding or removing
 * the time starts a new series at the due date.
 */
export function editTask(task: Task, input: TaskUpdate, zone: string, now: Date): Partial<Task> {
  const { due_at, has_time = task.has_time, recurrence, ...plain } = input;
  const rule = recurrence === undefined ? task.recurrence : serialiseRecurrence(recurrence);
  const given = parseDueAt(due_at ?? null);
  const givenAt = given && toInstant(given, zone);
  const isDateNew = due_at !== undefined && givenAt?.getTime() !== task.due_at?.getTime();
  const isDueNew = isDateNew || has_time !== task.has_time;
  const isSeriesNew = isDueNew || rule !== task.recurrence;
  const isModeNew = plain.mode !== undefined && plain.mode !== task.mode;
  const changes: Partial<Task> = {
    ...plain,
    ...(isDueNew && { deferred_until: null }),
    ...((isSeriesNew || isModeNew) && newRun(now)),
  };
  if (!isSeriesNew) return changes;
  const due = toDueFields(isDateNew ? given : parseStoredDue(task.due_written), has_time, zone);
  checkRuleRecurs(rule, due.series_first);
  return {
    ...changes,
    ...due,
    due_at: isDateNew ? due.due_at : task.due_at,
    recurrence: rule,
    occurrence_number: 1,
    // A closed occurrence of the previous series cannot be reopened.
    undo: null,
  };
}
