/** What an edit changed, and how it is put back. Pure. */
import { type DueFields, nextDueFields, parseStoredDue, toDueFields } from '../due.ts';
import { editTask, isAnyChanged } from '../task-edit.ts';
import { parseStoredRule } from '../task-input.ts';
import { newRunWithHeadsUp, type Task } from '../task-state.ts';

const PLAIN = ['title', 'notes', 'kind', 'mode', 'break_quiet_hours', 'lead_time_days', 'heads_ups', 'ladder'] as const;
const SCHEDULE = ['due_at', 'due_written', 'has_time', 'recurrence', 'series_first', 'occurrence_number'] as const;
/** The fields of a schedule that a person sees. */
const SHOWN_SCHEDULE = ['due_at', 'has_time', 'recurrence'] as const;

/** The replaced columns. An edit that touches the schedule replaces all of it. */
type Replaced = Partial<Pick<Task, (typeof PLAIN)[number]>> & Partial<StoredSchedule>;
type StoredSchedule = Pick<Task, Exclude<(typeof SCHEDULE)[number], 'due_at'>> & { readonly due_at: string | null };

const SHOWN = [...PLAIN, 'space_id', ...SHOWN_SCHEDULE] as const;

/** The names of the changed fields, as the API has them. */
export function changedFields(before: Task, changes: Partial<Task>): (typeof SHOWN)[number][] {
  return SHOWN.filter((name) => name in changes && isAnyChanged(before, { [name]: changes[name] }));
}

export const isScheduleChanged = (fields: readonly string[]): boolean =>
  SHOWN_SCHEDULE.some((name) => fields.includes(name));

/** JSON of what the edit replaced; undefined if nothing of it can be put back. */
export function replacedBy(before: Task, fields: readonly string[]): string | undefined {
  const columns = [...PLAIN.filter((name) => fields.includes(name)), ...(isScheduleChanged(fields) ? SCHEDULE : [])];
  if (columns.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(columns.map((name) => [name, before[name]])));
}

export const readReplaced = (text: string): Replaced => JSON.parse(text);

/**
 * Puts the replaced columns back into the task as it is now. If an occurrence was closed since `changedAt`, a series
 * goes on with the next one, so that nobody is reminded of a date that is over.
 */
export function restore(task: Task, replaced: Replaced, changedAt: Date, zone: string, now: Date): Partial<Task> {
  const plain = Object.fromEntries(PLAIN.flatMap((name) => (name in replaced ? [[name, replaced[name]]] : [])));
  const changes = editTask(task, plain, zone, now);
  if (!isStoredSchedule(replaced)) return changes;
  const due = dueOf(replaced, zone);
  const { recurrence, occurrence_number } = replaced;
  const rule = parseStoredRule(recurrence);
  const isOver = task.occurrence_started_at > changedAt && due.due_at !== null && due.due_at <= now;
  const next = rule && isOver ? nextDueFields({ ...due, occurrence_number }, rule, zone, now) : null;
  return {
    ...changes,
    ...(next ?? due),
    recurrence,
    occurrence_number: occurrence_number + (next ? 1 : 0),
    deferred_until: null,
    undo: null,
    ...newRunWithHeadsUp(task, now),
  };
}

const isStoredSchedule = (replaced: Replaced): replaced is Replaced & StoredSchedule => 'due_written' in replaced;

/** A task without a time is due on its day in the owner's present zone. */
function dueOf({ due_at, due_written, has_time, series_first }: StoredSchedule, zone: string): DueFields {
  if (has_time) return { due_at: due_at === null ? null : new Date(due_at), due_written, has_time, series_first };
  const written = parseStoredDue(due_written);
  return { ...toDueFields(written && { ...written, offset: null }, false, zone), series_first };
}

const MOST_SHOWN = 500;

/** What a person sees of it: the notes may be long, and a page has many entries. */
export function shownReplaced(text: string): Readonly<Record<string, unknown>> {
  const replaced = readReplaced(text);
  return shownFields(
    Object.fromEntries(
      [...PLAIN, ...SHOWN_SCHEDULE].flatMap((name) => (name in replaced ? [[name, replaced[name]]] : [])),
    ),
  );
}

/** Fields of a task as the API shows them, with notes that are cut. */
export function shownFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { notes } = fields;
  const shown = { ...fields };
  if (typeof notes === 'string' && notes.length > MOST_SHOWN) shown.notes = `${notes.slice(0, MOST_SHOWN)}…`;
  for (const name of ['recurrence', 'ladder', 'heads_ups']) {
    const stored = fields[name];
    if (typeof stored === 'string') shown[name] = JSON.parse(stored);
  }
  return shown;
}
