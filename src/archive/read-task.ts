/**
 * Converts one archived task into the rows to store. Fields that a new task may have are validated by
 * the same schema and functions as when a task is created. The other fields describe the task's state
 * and are adjusted to a state that the service itself could have reached.
 */
import type { Static } from 'typebox';
import { readArchivedChoice } from '../escalation/read-choice.ts';
import { parseDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { idFromWords } from '../lib/ids.ts';
import { parseSeriesFirst } from '../tasks/due.ts';
import { readHeadsUp } from '../tasks/ladder/heads-ups.ts';
import { newTask } from '../tasks/new-task.ts';
import { deriveFields } from '../tasks/plan-task.ts';
import type { ImportAccount, ImportOutcome, ImportRecord } from '../tasks/task-import.service.ts';
import { checkRuleRecurs, parseInstant } from '../tasks/task-input.ts';
import type { ArchivedAppEntry, ArchivedTask } from './archive.schemas.ts';

type Archived = Static<typeof ArchivedTask>;
type Stored = ImportRecord['task'];

export interface ImportContext extends ImportAccount {
  readonly now: Date;
}

/** One task of a file: ready to be stored, or the reason why it is refused. */
export type ReadItem =
  | {
      readonly title: string;
      readonly record: ImportRecord;
      readonly wasInSpace: boolean;
      readonly wasAssigned: boolean;
      /** What an app sent of the task. */
      readonly appEntry?: Static<typeof ArchivedAppEntry> | undefined;
      /** The task is imported without a nudge. */
      readonly isQuiet: boolean;
    }
  | { readonly title: string | null; readonly reason: string };

/** The largest offset from UTC: fourteen hours today, and never more than sixteen in the past. */
const MAX_OFFSET_MS = 16 * 3_600_000;

export function readTask(archived: Archived, context: ImportContext): ImportRecord {
  const task = { ...asNew(archived, context), ...stateOf(archived, context) };
  const planned = { ...task, ...deriveFields(task, context.owner, context.now) };
  const outcomes = (archived.outcomes ?? []).map((outcome) => readOutcome(outcome, planned, context));
  return { origin: originOf(archived), task: planned, outcomes };
}

/** The same task has the same origin in every import, so it is never imported twice. */
const originOf = (archived: Archived): string =>
  archived.id?.toLowerCase() ?? idFromWords('archived', JSON.stringify(archived));

function asNew(archived: Archived, { owner, now }: ImportContext) {
  const { kind = 'todo', has_time = false, mode = 'escalate', break_quiet_hours = false, due_at = null } = archived;
  const caller = { kind: 'session', userId: owner.id } as const;
  const due = due_at === null ? null : (archived.due_written ?? due_at);
  const created = { ...archived, kind, has_time, mode, break_quiet_hours, due_at: due, space_id: null };
  const task = newTask(owner, caller, created, now);
  const series_first = readSeriesFirst(archived.series_first ?? null) ?? task.series_first;
  // The series that a new task would have is checked already.
  if (series_first !== task.series_first) checkRuleRecurs(task.recurrence, { series_first, has_time });
  return { ...task, due_at: readDueAt(archived, task.due_at, owner.timezone), series_first };
}

/** A series starts at a wall-clock date-time, which has no offset. */
function readSeriesFirst(text: string | null): string | null {
  if (text === null) return null;
  const first = parseSeriesFirst(text);
  if (first === undefined) throw invalid('series_first', 'Input should be a date-time without an offset');
  return first;
}

/** `due_at` is the instant; a `due_written` without an offset may come from another time zone. */
function readDueAt({ due_at, due_written, has_time }: Archived, fromWritten: Date | null, zone: string): Date | null {
  if (due_at == null || due_written == null || fromWritten === null) return fromWritten;
  const at = parseInstant(due_at, zone);
  if (at.getTime() === fromWritten.getTime()) return at;
  const written = parseDateTime(due_written);
  const wall = written?.wall.toZonedDateTime('UTC').epochMilliseconds ?? 0;
  const isSameDay = !has_time && written?.offset === null && Math.abs(at.getTime() - wall) <= MAX_OFFSET_MS;
  if (!isSameDay) throw invalid('due_written', 'Input should be the same moment as due_at');
  return at;
}

/** The state of the task. Past events that a wrong clock dated in the future are moved to now. */
function stateOf(archived: Archived, { owner, now }: ImportContext): Partial<Stored> {
  const past = (text: string | null | undefined) =>
    text == null ? null : atMost(parseInstant(text, owner.timezone), now);
  const created_at = past(archived.created_at) ?? now;
  const updated_at = past(archived.updated_at) ?? created_at;
  const closedAt = past(archived.closed_at) ?? updated_at;
  const { status = 'open', accepted_by_owner = true, occurrence_number = 1 } = archived;
  const instant = (text: string | null | undefined) => (text == null ? null : parseInstant(text, owner.timezone));
  return {
    created_at,
    updated_at,
    status,
    occurrence_number,
    accepted_by_owner: accepted_by_owner && status !== 'declined',
    occurrence_started_at: past(archived.occurrence_started_at) ?? created_at,
    deferred_until: status === 'open' ? instant(archived.deferred_until) : null,
    rings_anyway_at: instant(archived.rings_anyway_at),
    completed_at: past(archived.completed_at) ?? (status === 'done' ? closedAt : null),
    skipped_at: past(archived.skipped_at) ?? (status === 'skipped' ? closedAt : null),
    closed_at: status === 'open' ? null : closedAt,
    ...ladderFields(archived, past, now),
    max_stage: archived.max_stage ?? null,
    ...insistenceOf(archived),
  };
}

/** How hard the task insists, as its owner chose it. */
function insistenceOf({ ladder, ladder_label, heads_ups, shortest_wait }: Archived): Partial<Stored> {
  return {
    ladder: ladder == null ? null : JSON.stringify(within('ladder', () => readArchivedChoice(ladder))),
    ladder_label: ladder_label ?? null,
    heads_ups: heads_ups?.length ? JSON.stringify(within('heads_ups', () => heads_ups.map(readHeadsUp))) : null,
    shortest_wait: shortest_wait ?? null,
  };
}

/** Names the field in which a value is wrong. */
function within<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidInput ? invalid(field, error.problems[0]?.msg ?? 'It is not valid') : error;
  }
}

type Past = (text: string | null | undefined) => Date | null;

/** The run continues where it was. A step without a last nudge starts over: no nudge would ever follow it. */
function ladderFields(archived: Archived, past: Past, now: Date): Partial<Stored> {
  const { run = 1, step = 0, nudge_count = 0, escalation_stage = 0 } = archived;
  const last_nudge_at = past(archived.last_nudge_at);
  const isUnderWay = last_nudge_at !== null;
  return {
    last_nudge_at,
    nudge_count,
    heads_up_at: past(archived.heads_up_at),
    run,
    run_started_at: past(archived.run_started_at) ?? now,
    step: isUnderWay ? step : 0,
    escalation_stage: isUnderWay ? escalation_stage : 0,
  };
}

type ArchivedOutcome = NonNullable<Archived['outcomes']>[number];

function readOutcome(outcome: ArchivedOutcome, task: Stored, { owner, now }: ImportContext): ImportOutcome {
  const recorded_at = atMost(parseInstant(outcome.recorded_at, owner.timezone), now);
  const { occurrence_due_at, missed, missed_from, missed_to } = outcome;
  const instant = (text: string) => parseInstant(text, owner.timezone);
  const taken = Math.max(0, Math.round((recorded_at.getTime() - task.created_at.getTime()) / 1_000));
  return {
    title: outcome.title ?? task.title,
    outcome: outcome.outcome,
    recorded_at,
    occurrence_due_at: occurrence_due_at == null ? null : instant(occurrence_due_at),
    seconds_taken: outcome.seconds_taken ?? taken,
    ...(missed != null && missed_from != null && missed_to != null
      ? { missed, missed_from: instant(missed_from), missed_to: instant(missed_to) }
      : { missed: null, missed_from: null, missed_to: null }),
  };
}

/** It is overdue, or its first reminder was to come before now. A snooze that is not over yet holds it. */
export const isDueAlready = ({ status, overdue_at, wanted_at, deferred_until }: Stored, now: Date): boolean =>
  status === 'open' &&
  (deferred_until === null || deferred_until <= now) &&
  [overdue_at, wanted_at].some((at) => at !== null && at <= now);

const LONG_OVERDUE_MS = 86_400_000;

export const isLongOverdue = ({ status, overdue_at }: Stored, now: Date): boolean =>
  status === 'open' && overdue_at !== null && now.getTime() - overdue_at.getTime() > LONG_OVERDUE_MS;

/**
 * Marks the task's only nudge as sent. A list from another program can have years of tasks that were
 * never ticked off; nudging about all of them at once would make their owner turn nudges off. The
 * task still shows as overdue.
 */
export function withoutNudges({ task, ...record }: ImportRecord, { owner, now }: ImportContext): ImportRecord {
  const quiet = { ...task, mode: 'notify_once', step: 1, last_nudge_at: now, run_started_at: now };
  return { ...record, task: { ...quiet, ...deriveFields(quiet, owner, now) } };
}

const atMost = (at: Date, limit: Date): Date => (at > limit ? limit : at);

const invalid = (field: string, msg: string) => new InvalidInput({ type: 'value_error', loc: ['body', field], msg });
