/**
 * Decides what an app means by the text that it stores over a task: which fields its user changed, and whether the task
 * was done. Apps say "done" in these ways:
 *
 * | form | who                                  | what arrives                                                      |
 * | ---- | ------------------------------------ | ----------------------------------------------------------------- |
 * | A    | Tasks.org, GNOME, Apple, OpenTasks   | the same rule, DUE at a later date of it, and no COMPLETED          |
 * | B    | Home Assistant, Nextcloud Tasks      | STATUS:COMPLETED, the rule still there                              |
 * | C    | Thunderbird, jtx Board               | a second VTODO with RECURRENCE-ID and COMPLETED                     |
 * | D    | todoman, Outlook                     | STATUS:COMPLETED without the rule; the series goes on under a new UID |
 * | E    | KDE                                  | a property of its own at a later date of the rule                   |
 *
 * A Done is for the occurrence that the app knew. If the task has moved on since, it changes nothing.
 */
import { nextDueFields } from '../tasks/due.ts';
import type { TaskEdit } from '../tasks/task-edit.ts';
import { parseStoredRule } from '../tasks/task-input.ts';
import type { Task } from '../tasks/task-state.ts';
import {
  type Base,
  baseOf,
  dueKeyOf,
  type FieldKeys,
  isChanged,
  isDay,
  isSameSeries,
  secondOf,
} from './todo-fields.ts';
import type { Kept, ReadEntry } from './todo-reader.ts';

export type DoneForm = 'A' | 'B' | 'C' | 'D' | 'E';

export interface PlannedChange {
  readonly edit: TaskEdit;
  readonly action: 'none' | 'complete' | 'drop' | 'reopen';
  readonly form: DoneForm | null;
  /** After form A: the occurrence that the app has gone on to. Those in between are skipped. */
  readonly goOnTo: string | null;
  /** The app knew another occurrence than the present one, so its date and its Done count for nothing. */
  readonly isStale: boolean;
}

export interface KnownTask {
  readonly task: Pick<
    Task,
    'due_at' | 'due_written' | 'has_time' | 'series_first' | 'recurrence' | 'occurrence_number' | 'status'
  >;
  readonly zone: string;
  /** The fields as they are written for apps. */
  readonly keys: FieldKeys;
  readonly kept: Kept | null;
  /** Whether the app proved by If-Match that it knew the task as it is. */
  readonly isVerified: boolean;
  /** Occurrences that were closed, by the keys of their dates. */
  readonly closed: ReadonlySet<string>;
}

/** More would be another plan of its user than "done". */
const MOST_SKIPPED = 20;
const DAY_SECONDS = 86_400;

export function planChange(known: KnownTask, read: ReadEntry): PlannedChange {
  const base = baseFor(known, read);
  const changes = (name: keyof FieldKeys) => isChanged(base, read.keys, name) && read.keys[name] !== known.keys[name];
  const texts: TaskEdit = {
    ...(changes('title') && { title: read.fields.title }),
    ...(changes('notes') && { notes: read.fields.notes }),
  };
  const nothing = { form: null, goOnTo: null, isStale: false } as const;
  if (known.task.status !== 'open') {
    const action = isReopened(known, read, base) ? 'reopen' : 'none';
    return { ...nothing, action, edit: action === 'none' ? texts : { ...texts, ...otherEdits(known, read, changes) } };
  }
  const label: TaskEdit = changes('label') ? { kind: read.fields.kind } : {};
  const isStale = isStaleSchedule(known, read, base);
  const done = findDone(known, read, base, isStale);
  const isKeptSeries = done.form !== null && done.form !== 'D';
  const schedule = isStale || isKeptSeries ? {} : scheduleEdits(known, read, changes);
  return { ...nothing, ...done, isStale, edit: { ...texts, ...label, ...schedule } };
}

type Changes = (name: keyof FieldKeys) => boolean;

/** What the app had when its user began. Without a word about it, the task as it is. */
const baseFor = ({ keys, isVerified }: KnownTask, { base }: ReadEntry): Base =>
  isVerified || !base ? baseOf(keys) : base;

const isSeries = ({ task }: KnownTask): boolean =>
  task.due_at !== null && parseStoredRule(task.recurrence) !== undefined;

function isStaleSchedule(known: KnownTask, { base, keys }: ReadEntry, used: Base): boolean {
  if (known.isVerified || !isSeries(known)) return false;
  if (base) return isChanged(used, known.keys, 'due');
  return keys.due !== known.keys.due && known.closed.has(keys.due);
}

/** Only if the app knew that the task was done: an old copy is open too. */
function isReopened({ task, kept, isVerified }: KnownTask, { fields, keys, base }: ReadEntry, used: Base): boolean {
  if (task.status !== 'done' || fields.status !== 'open') return false;
  return isVerified || base ? isChanged(used, keys, 'status') : kept?.keys.status === 'done';
}

type Done = Pick<PlannedChange, 'action' | 'form' | 'goOnTo'>;
const NOT_DONE: Done = { action: 'none', form: null, goOnTo: null };

const complete = (form: DoneForm, goOnTo: string | null = null): Done => ({ action: 'complete', form, goOnTo });

function findDone(known: KnownTask, read: ReadEntry, base: Base, isStale: boolean): Done {
  const { status } = read.fields;
  const isStatusNew = isChanged(base, read.keys, 'status');
  if (status === 'dropped') return isStatusNew && !isStale ? { ...NOT_DONE, action: 'drop' } : NOT_DONE;
  if (!isSeries(known)) return status === 'done' && isStatusNew ? complete('B') : NOT_DONE;
  if (read.overrides.some(({ occurrence, isDone }) => isDone && isPresent(known, occurrence))) return complete('C');
  if (isStale) return NOT_DONE;
  return status === 'done' && isStatusNew ? completedSeries(known, read) : advancedSeries(known, read, base);
}

function completedSeries(known: KnownTask, read: ReadEntry): Done {
  if (read.keys.rule === '' && known.keys.rule !== '') return complete('D');
  const isNamed = known.isVerified || read.base !== undefined || read.keys.due === known.keys.due;
  return isNamed ? complete('B') : NOT_DONE;
}

function advancedSeries(known: KnownTask, read: ReadEntry, base: Base): Done {
  if (read.kdeOccurrence !== undefined && isLater(known, read.kdeOccurrence)) return complete('E');
  const isAdvanced =
    known.keys.rule !== '' && isChanged(base, read.keys, 'due') && isSameSeries(read.keys.rule, known.keys.rule);
  return isAdvanced && isLater(known, read.keys.due) ? complete('A', read.keys.due) : NOT_DONE;
}

/** RECURRENCE-ID is the date by which the series is counted: the start, if there is one. */
function isPresent({ keys, kept }: KnownTask, occurrence: string): boolean {
  if (occurrence === keys.due) return true;
  const before = (kept?.startsBefore ?? 0) * (isDay(keys.due) ? DAY_SECONDS : 1);
  return isDay(keys.due) === isDay(occurrence) && inSeconds(keys.due) - before === inSeconds(occurrence);
}

const inSeconds = (key: string): number => (isDay(key) ? Date.parse(key) / 1_000 : Number(key));

/** Whether this is one of the next dates of the series. */
function isLater({ task, zone }: KnownTask, key: string): boolean {
  const rule = parseStoredRule(task.recurrence);
  let series = task;
  for (let skipped = 0; rule && key !== '' && skipped <= MOST_SKIPPED; skipped += 1) {
    const next = series.due_at && nextDueFields(series, rule, zone, series.due_at);
    if (!next) return false;
    if (dueKeyOf(next) === key) return true;
    // Without the offset: before clocks were set by zones it had seconds, which a stored date cannot have.
    const due_written = next.due_written?.replace(/[+-]\d\d(:\d\d)+$/, '') ?? null;
    series = { ...series, ...next, due_written, occurrence_number: series.occurrence_number + 1 };
  }
  return false;
}

function otherEdits(known: KnownTask, read: ReadEntry, changes: Changes): TaskEdit {
  return { ...(changes('label') && { kind: read.fields.kind }), ...scheduleEdits(known, read, changes) };
}

/** A date of a series whose rule the app does not know moves alone. */
function scheduleEdits(known: KnownTask, { fields, keys }: ReadEntry, changes: Changes): TaskEdit {
  const { due, recurrence } = fields;
  const isRuleNew = changes('rule');
  const rule = isRuleNew ? { recurrence } : {};
  if (!changes('due')) return rule;
  if (!isRuleNew && isSeries(known) && known.keys.rule === '' && due?.hasTime === known.task.has_time)
    return { move: { due_at: due.text, date_only: !due.hasTime } };
  // A series without a date would be idle, and its rule needs one.
  if (due === null) return { due_at: null, ...(keys.rule === '' ? rule : {}) };
  return { due_at: due.text, has_time: due.hasTime, ...rule };
}

/** Of an outcome, in the form in which dates are compared. */
export function keyOfOccurrence(due_at: Date, hasTime: boolean, zone: string): string {
  if (hasTime) return secondOf(due_at);
  return Temporal.Instant.fromEpochMilliseconds(due_at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();
}
