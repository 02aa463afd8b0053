/**
 * Reads one archived task into the form it is stored in. What a new task may have is judged by the
 * same schema and the same functions as when it is created; the rest says where the task stands, and
 * is brought into a state that the service itself could have reached.
 */
import type { Static } from 'typebox';
import { parseDateTime } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { idFrom } from '../lib/ids.ts';
import { newTask } from '../tasks/new-task.ts';
import { derive } from '../tasks/plan-task.ts';
import type { Arrival, ArrivingOutcome } from '../tasks/restoration.service.ts';
import { readInstant, refuseBarrenRule } from '../tasks/task-input.ts';
import type { Owner } from '../tasks/tasks.store.ts';
import type { ArchivedTask } from './archive.schemas.ts';

type Archived = Static<typeof ArchivedTask>;
type Stored = Arrival['task'];

export interface Reader {
  readonly owner: Owner;
  /** The account is new and takes over the zone of what is read. */
  readonly isZoneOpen: boolean;
  readonly now: Date;
}

/** No zone is further from UTC than fourteen hours, and none ever was than sixteen. */
const FARTHEST_MS = 16 * 3_600_000;

export function readTask(archived: Archived, reader: Reader): Arrival {
  const task = { ...asNew(archived, reader), ...standing(archived, reader) };
  const planned = { ...task, ...derive(task, reader.owner, reader.now) };
  const outcomes = (archived.outcomes ?? []).map((one) => readOutcome(one, planned, reader));
  return { origin: originOf(archived), task: planned, outcomes };
}

/** The same task is always known by the same words, whoever brings it. */
const originOf = (archived: Archived): string =>
  archived.id?.toLowerCase() ?? idFrom('archived', JSON.stringify(archived));

function asNew(archived: Archived, { owner, now }: Reader) {
  const { kind = 'todo', has_time = false, mode = 'escalate', break_quiet_hours = false, due_at = null } = archived;
  const caller = { kind: 'session', userId: owner.id, sessionId: '' } as const;
  const due = due_at === null ? null : (archived.due_written ?? due_at);
  const created = { ...archived, kind, has_time, mode, break_quiet_hours, due_at: due, space_id: null };
  const task = newTask(owner, caller, created, now);
  const series_first = readSeriesFirst(archived.series_first ?? null) ?? task.series_first;
  refuseBarrenRule(task.recurrence, series_first);
  return { ...task, due_at: readDueAt(archived, task.due_at, owner.timezone), series_first };
}

/** A series is counted from a wall-clock date-time: without an offset. */
function readSeriesFirst(text: string | null): string | null {
  if (text === null) return null;
  const written = parseDateTime(text);
  if (!written || written.offset !== null) throw wrong('series_first', 'Input should be a date-time without an offset');
  return written.wall.toString();
}

/** The instant is the one that was written; a date without an offset may have been written in another zone. */
function readDueAt({ due_at, due_written, has_time }: Archived, meant: Date | null, zone: string): Date | null {
  if (due_at == null || due_written == null || meant === null) return meant;
  const at = readInstant(due_at, zone);
  if (at.getTime() === meant.getTime()) return at;
  const written = parseDateTime(due_written);
  const wall = written?.wall.toZonedDateTime('UTC').epochMilliseconds ?? 0;
  const isSameDay = !has_time && written?.offset === null && Math.abs(at.getTime() - wall) <= FARTHEST_MS;
  if (!isSameDay) throw wrong('due_written', 'Input should be the same moment as due_at');
  return at;
}

/** Where the task stands. Nothing that has happened lies in the future, whatever clock wrote it. */
function standing(archived: Archived, { owner, now }: Reader): Partial<Stored> {
  const past = (text: string | null | undefined) =>
    text == null ? null : atMost(readInstant(text, owner.timezone), now);
  const created_at = past(archived.created_at) ?? now;
  const updated_at = past(archived.updated_at) ?? created_at;
  const { status = 'open', accepted_by_owner = true, occurrence_number = 1, deferred_until } = archived;
  return {
    ...{ created_at, updated_at, status, occurrence_number },
    accepted_by_owner: accepted_by_owner && status !== 'declined',
    occurrence_started_at: past(archived.occurrence_started_at) ?? created_at,
    deferred_until: deferred_until == null || status !== 'open' ? null : readInstant(deferred_until, owner.timezone),
    ...closing(status, past(archived.completed_at), past(archived.skipped_at), past(archived.closed_at) ?? updated_at),
    ...ladder(archived, past, now),
    max_stage: archived.max_stage ?? null,
  };
}

function closing(status: string, completed_at: Date | null, skipped_at: Date | null, closedAt: Date): Partial<Stored> {
  return {
    completed_at: completed_at ?? (status === 'done' ? closedAt : null),
    skipped_at: skipped_at ?? (status === 'skipped' ? closedAt : null),
    closed_at: status === 'open' ? null : closedAt,
  };
}

type Past = (text: string | null | undefined) => Date | null;

/** The run goes on where it was. A step without a nudge before it would never be followed by another. */
function ladder(archived: Archived, past: Past, now: Date): Partial<Stored> {
  const { step = 0, nudge_count = 0, escalation_stage = 0 } = archived;
  const last_nudge_at = past(archived.last_nudge_at);
  const isUnderWay = last_nudge_at !== null;
  return {
    ...{ last_nudge_at, nudge_count, heads_up_at: past(archived.heads_up_at) },
    run_started_at: past(archived.run_started_at) ?? now,
    step: isUnderWay ? step : 0,
    escalation_stage: isUnderWay ? escalation_stage : 0,
  };
}

type ArchivedOutcome = NonNullable<Archived['outcomes']>[number];

function readOutcome(outcome: ArchivedOutcome, task: Stored, { owner, now }: Reader): ArrivingOutcome {
  const recorded_at = atMost(readInstant(outcome.recorded_at, owner.timezone), now);
  const { occurrence_due_at } = outcome;
  const taken = Math.max(0, Math.round((recorded_at.getTime() - task.created_at.getTime()) / 1_000));
  return {
    ...{ title: outcome.title ?? task.title, outcome: outcome.outcome, recorded_at },
    occurrence_due_at: occurrence_due_at == null ? null : readInstant(occurrence_due_at, owner.timezone),
    seconds_taken: outcome.seconds_taken ?? taken,
  };
}

const atMost = (at: Date, limit: Date): Date => (at > limit ? limit : at);

const wrong = (field: string, msg: string) => new InvalidInput({ type: 'value_error', loc: ['body', field], msg });
