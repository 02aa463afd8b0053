/** Reads tasks for an agenda, a page at a time: an account may have tens of thousands. */
import { type Selectable, sql } from 'kysely';
import { prepared } from '../../db/prepared.ts';
import { among } from '../../db/rows.ts';
import type { Database, Db } from '../../db/schema.ts';
import type { AgendaTask } from './agenda-entries.ts';

type Outcome = Selectable<Database['outcomes']>;

/** The list position of an open task with a date or a snooze, and what decides whether it is read. */
export interface AgendaCandidate {
  readonly id: string;
  readonly list_key: number;
  readonly due_at: Date | null;
  readonly deferred_until: Date | null;
  readonly next_fire_at: Date | null;
  readonly plan_version: number;
  readonly repeats: number;
}

const OPEN_DATED = 0;

/** In the order of the list. Long texts are not read. */
export const listCandidates = prepared((db, ownerId: string, key: number, id: string, limit: number) =>
  db
    .selectFrom('tasks')
    .select(['id', 'list_key', 'due_at', 'deferred_until', 'next_fire_at', 'plan_version'])
    .select(sql<number>`case when recurrence is null then 0 else 1 end`.as('repeats'))
    .where('owner_id', '=', ownerId)
    .where('list_rank', '=', sql.lit(OPEN_DATED))
    .where(({ eb, refTuple, tuple }) => eb(refTuple('list_key', 'id'), '>', tuple(key, id)))
    .orderBy('list_key')
    .orderBy('id')
    .limit(limit),
);

const COLUMNS = [
  'id',
  'title',
  'recurrence',
  'due_at',
  'due_written',
  'has_time',
  'series_first',
  'occurrence_number',
  'lead_time_days',
  'mode',
  'break_quiet_hours',
  'status',
  'accepted_by_owner',
  'deferred_until',
  'rings_anyway_at',
  'run_started_at',
  'step',
  'heads_up_at',
  'last_nudge_at',
  'max_stage',
  'shortest_wait',
  'kind',
  'ladder',
  'ladder_label',
  'heads_ups',
  'next_fire_at',
  'overdue_at',
  'closed_at',
  'created_at',
  'plan_version',
] as const;

/** A task that was closed or given away meanwhile is missing. */
export async function listAgendaTasks(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<(AgendaTask & { readonly plan_version: number })[]> {
  return db
    .selectFrom('tasks')
    .select(COLUMNS)
    .where('id', ...among(db, ids))
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'open')
    .execute();
}

/** Outcomes during which occurrences of these days were missed, in the order of their recording. */
export async function listMissedBetween(
  db: Db,
  ownerId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
  after: Pick<Outcome, 'recorded_at' | 'id'> | undefined,
  limit: number,
): Promise<Outcome[]> {
  let query = db
    .selectFrom('outcomes')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('missed', 'is not', null)
    .where('missed_to', '>=', start)
    .where('missed_from', '<', end)
    // An occurrence is missed before the outcome is recorded.
    .where('recorded_at', '>=', start);
  if (after) {
    const { recorded_at, id } = after;
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('recorded_at', 'id'), '>', tuple(recorded_at, id)));
  }
  return query.orderBy('recorded_at').orderBy('id').limit(limit).execute();
}
