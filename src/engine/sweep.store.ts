/** The SQL of the sweep. It runs for every nudge, so it is hand-written and works on batches only. */
import { type Selectable, sql } from 'kysely';
import { rowsInserted } from '../db/insert-rows.ts';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter, notAmong, preparedRows } from '../db/rows.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';
import type { DeliveryKind, DeliveryStatus, WaitsFor } from '../db/tables/deliveries.ts';

const taskColumns = [
  'id',
  'owner_id',
  'assigner_id',
  'space_id',
  'title',
  'due_at',
  'due_written',
  'has_time',
  'lead_time_days',
  'mode',
  'break_quiet_hours',
  'status',
  'accepted_by_owner',
  'deferred_until',
  'run',
  'run_started_at',
  'step',
  'heads_up_at',
  'escalation_stage',
  'nudge_count',
  'last_nudge_at',
  'next_fire_at',
  'wanted_at',
  'max_stage',
  'shortest_wait',
  'kind',
  'ladder',
  'ladder_label',
  'heads_ups',
  'rings_anyway_at',
  'plan_version',
] as const;

type Task = Selectable<Database['tasks']>;
export type DueTask = Pick<Task, (typeof taskColumns)[number]>;

/**
 * Claims the most overdue tasks that no other engine has locked; leaves out the tasks of some owners. Read the owners'
 * settings after this, in a separate statement. The settings decide, not the stored plan: a change of settings has
 * replanned the tasks, or left them stale (`tasks/current-plans.ts`).
 */
export async function claimDueTasks(
  trx: Db,
  now: Date,
  limit: number,
  exceptOwners: readonly string[],
): Promise<DueTask[]> {
  if (exceptOwners.length === 0) return mostOverdue(trx, now, limit);
  return dueTasks(trx, now)
    .where(notAmong(trx, 'owner_id', exceptOwners))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

const mostOverdue = prepared((trx, now: Date, limit: number) =>
  dueTasks(trx, now).limit(limit).forUpdate().skipLocked(),
);

const dueTasks = (trx: Db, now: Date) =>
  trx.selectFrom('tasks').select(taskColumns).where('next_fire_at', '<=', now).orderBy('next_fire_at');

export async function claimTask(trx: Db, id: string, now: Date): Promise<DueTask | undefined> {
  return dueTasks(trx, now).where('id', '=', id).forUpdate().skipLocked().executeTakeFirst();
}

export async function findNextFireAt(db: Db): Promise<Date | null> {
  const [row] = await nextToFire(db);
  return row?.next_fire_at ?? null;
}

const nextToFire = prepared((db) =>
  db.selectFrom('tasks').select('next_fire_at').where('next_fire_at', 'is not', null).orderBy('next_fire_at').limit(1),
);

export type NewActivity = Pick<
  Selectable<Database['live_activities']>,
  'id' | 'task_id' | 'device_id' | 'push_env' | 'started_at'
>;

export async function insertActivities(trx: Db, activities: readonly NewActivity[]): Promise<void> {
  if (activities.length > 0) await trx.insertInto('live_activities').values(activities).execute();
}

export type Advance = Pick<
  Task,
  'id' | 'step' | 'heads_up_at' | 'escalation_stage' | 'nudge_count' | 'last_nudge_at' | 'next_fire_at' | 'wanted_at'
>;

const ADVANCE = {
  id: 'uuid',
  step: 'integer',
  heads_up_at: 'timestamptz',
  escalation_stage: 'integer',
  nudge_count: 'integer',
  last_nudge_at: 'timestamptz',
  next_fire_at: 'timestamptz',
  wanted_at: 'timestamptz',
} as const;

export const advanceTasks = preparedRows<keyof Advance, [now: Date]>(
  'advance',
  ADVANCE,
  (_, advance, now) => sql`
    update tasks set step = advance.step, heads_up_at = advance.heads_up_at, escalation_stage = advance.escalation_stage,
      nudge_count = advance.nudge_count, last_nudge_at = advance.last_nudge_at, next_fire_at = advance.next_fire_at,
      wanted_at = advance.wanted_at, updated_at = ${now}, changed_at = crescendo_now()
    from ${advance} where tasks.id = advance.id`,
);

/** Does nothing if the task is no longer due, because a change in between has planned it again. */
export async function postponeTask(db: Db, id: string, now: Date, until: Date): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ next_fire_at: until, wanted_at: until, updated_at: now, changed_at: sql<Date>`crescendo_now()` })
    .where('id', '=', id)
    .where('next_fire_at', '<=', now)
    .execute();
}

export interface NudgeEntry {
  readonly id: string;
  readonly task_id: string;
  readonly owner_id: string;
  /** The stand-in who is told; null for a nudge to the owner. */
  readonly person_id: string | null;
  readonly at: Date;
  readonly kind: 'nudge' | 'held' | 'stand_in_told';
  readonly stage: number;
  readonly run: number;
  readonly nudge: number;
  readonly until: Date | null;
  readonly holds: string | null;
  readonly occurrence_due_at: Date | null;
  readonly devices: number | null;
  readonly unreached: string | null;
}

const ENTRY = {
  id: 'uuid',
  task_id: 'uuid',
  owner_id: 'uuid',
  person_id: 'uuid',
  at: 'timestamptz',
  kind: 'text',
  stage: 'integer',
  run: 'integer',
  nudge: 'integer',
  until: 'timestamptz',
  holds: 'text',
  occurrence_due_at: 'timestamptz',
  devices: 'integer',
  unreached: 'text',
} as const;

export const insertNudgeEntries: (trx: Db, entries: readonly NudgeEntry[]) => Promise<void> = rowsInserted(
  'timeline',
  ENTRY,
);

export interface NewDelivery {
  readonly entry_id: string;
  readonly target_id: string;
  readonly kind: DeliveryKind;
  readonly task_id: string;
  readonly recipient_id: string;
  readonly run: number;
  readonly nudge: number;
  readonly provider: string;
  readonly server: string | null;
  readonly stage: number;
  readonly tier: number;
  readonly status: DeliveryStatus;
  readonly waits_for: WaitsFor | null;
  readonly fell_because: 'unanswered' | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly created_at: Date;
}

const DELIVERY = {
  entry_id: 'uuid',
  target_id: 'uuid',
  kind: 'text',
  task_id: 'uuid',
  recipient_id: 'uuid',
  run: 'integer',
  nudge: 'integer',
  provider: 'text',
  server: 'text',
  stage: 'integer',
  tier: 'integer',
  status: 'text',
  waits_for: 'text',
  fell_because: 'text',
  reason: 'text',
  attempts: 'integer',
  next_attempt_at: 'timestamptz',
  created_at: 'timestamptz',
} as const;

export const insertDeliveries: (trx: Db, deliveries: readonly NewDelivery[]) => Promise<void> = rowsInserted(
  'deliveries',
  DELIVERY,
);

/** The new nudge replaces older nudges that were not delivered yet. */
export async function supersedeDeliveries(trx: Db, taskIds: readonly string[]): Promise<void> {
  await superseded(trx, idsParameter(trx, taskIds));
}

const superseded = prepared((trx, taskIds: unknown) =>
  trx
    .updateTable('deliveries')
    .set({ status: 'superseded', waits_for: null })
    .where('task_id', ...amongParameter(trx, taskIds))
    .where('status', '=', sql.lit('pending'))
    .where('kind', 'in', ['nudge', 'activity_update']),
);

export interface OwnerSums {
  readonly user_id: string;
  readonly nudges: number;
  /** The time that the deliveries of this batch book. */
  readonly booked_ms: number;
}

const SUMS = { user_id: 'uuid', nudges: 'integer', booked_ms: 'bigint' } as const;

/**
 * Adds to the booked time instead of replacing it, since two engines may nudge one owner at once. Writes in the order
 * of the ids, so that two engines wait for each other instead of deadlocking. `now` is real time.
 */
export async function addNudges(trx: Db, sums: readonly OwnerSums[], now: Date): Promise<void> {
  const rows = sums.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));
  await nudgesAdded(trx, rows, now.getTime());
}

const nudgesAdded = preparedRows('sent', SUMS, (db, sent, nowMs: number) => {
  const greatest = sql.raw(isPostgres(db) ? 'greatest' : 'max');
  return sql`
    insert into task_counts (user_id, open, done, skipped, nudges_sent, seconds_to_done, booked_ms, booked_at_ms)
    select user_id, 0, 0, 0, nudges, 0, booked_ms, cast(${nowMs} as bigint) from ${sent} where true
    on conflict (user_id) do update set nudges_sent = task_counts.nudges_sent + excluded.nudges_sent,
      booked_ms = ${greatest}(0, task_counts.booked_ms - ${greatest}(0, excluded.booked_at_ms - task_counts.booked_at_ms))
        + excluded.booked_ms,
      booked_at_ms = excluded.booked_at_ms`;
});
