/** What an edit does to a task beyond the fields it names. */
import type { DueFields } from './due.ts';
import { newRun, type Task } from './task-state.ts';

/** The fields of a task that its people may change; undefined leaves one as it is. */
export interface TaskEdit {
  readonly title?: string | undefined;
  readonly notes?: string | null | undefined;
  readonly kind?: string | undefined;
  readonly mode?: string | undefined;
  readonly break_quiet_hours?: boolean | undefined;
  readonly lead_time_days?: number | null | undefined;
  /** JSON as it was sent. */
  readonly recurrence?: string | null | undefined;
  readonly space_id?: string | null | undefined;
  /** Set where the edit changes when the task is due, or the rule that is counted from there. */
  readonly due?: DueFields | undefined;
}

const ALWAYS_EDITABLE: readonly string[] = ['title', 'notes'];

/** A closed task keeps its history: only its words may still be named in an edit. */
export const isRefusedWhenClosed = (task: Task, input: object): boolean =>
  task.status !== 'open' && Object.keys(input).some((name) => !ALWAYS_EDITABLE.includes(name));

export function applyEdit(task: Task, edit: TaskEdit, now: Date): Partial<Task> {
  const { due, ...rest } = edit;
  const plain: Partial<Task> = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const redated = due !== undefined && (!isSame(due.due_at, task.due_at) || due.has_time !== task.has_time);
  const reruled = rest.recurrence !== undefined && rest.recurrence !== task.recurrence;
  const remoded = rest.mode !== undefined && rest.mode !== task.mode;
  return {
    ...plain,
    ...(due && { ...due }),
    ...(redated && { deferred_until: null }),
    // What reopening would bring back is another series by now.
    ...((redated || reruled) && { occurrence_number: 1, undo: null }),
    ...((redated || reruled || remoded) && newRun(now)),
  };
}

const isSame = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();
