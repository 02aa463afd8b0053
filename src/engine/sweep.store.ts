/** The sweep's SQL. It runs for every nudge ever sent, so it is written by hand and touches rows in batches only. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '../db/engine-of.ts';
import { rowsOf } from '../db/rows.ts';
import type { Database } from '../db/schema.ts';
import type { DeliveryKind, DeliveryStatus } from '../db/tables/deliveries.ts';

const taskColumns = [
  ...(['id', 'owner_id', 'title', 'due_at', 'due_written', 'has_time', 'lead_time_days', 'mode'] as const),
  ...(['break_quiet_hours', 'status', 'accepted_by_owner', 'deferred_until', 'run_started_at', 'step'] as const),
  ...(['heads_up_at', 'escalation_stage', 'nudge_count', 'last_nudge_at', 'next_fire_at', 'wanted_at'] as const),
  'max_stage' as const,
];

type Task = Selectable<Database['tasks']>;
export type DueTask = Pick<Task, (typeof taskColumns)[number]>;
const deviceColumns = [
  ...(['id', 'user_id', 'platform', 'token', 'push_env', 'keys', 'start_token', 'last_seen_at'] as const),
];
export type Device = Pick<Selectable<Database['devices']>, (typeof deviceColumns)[number]>;

/**
 * The most overdue tasks that no other engine has in hand. Their rows stay locked until the
 * transaction is over; the owners' settings are to be read after this, in a statement of their own,
 * since whoever changes them takes the same locks and plans these tasks anew.
 */
export async function claimDueTasks(trx: Kysely<Database>, now: Date, limit: number): Promise<DueTask[]> {
  return dueTasks(trx, now).limit(limit).forUpdate().skipLocked().execute();
}

const dueTasks = (trx: Kysely<Database>, now: Date) =>
  trx.selectFrom('tasks').select(taskColumns).where('next_fire_at', '<=', now).orderBy('next_fire_at');

export async function claimTask(trx: Kysely<Database>, id: string, now: Date): Promise<DueTask | undefined> {
  return dueTasks(trx, now).where('id', '=', id).forUpdate().skipLocked().executeTakeFirst();
}

export async function findNextFireAt(db: Kysely<Database>): Promise<Date | null> {
  const row = await db
    .selectFrom('tasks')
    .select('next_fire_at')
    .where('next_fire_at', 'is not', null)
    .orderBy('next_fire_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_fire_at ?? null;
}

const ownerColumns = [
  ...(['id', 'timezone', 'quiet_hours_start', 'quiet_hours_end', 'day_start'] as const),
  ...(['pause_from', 'pause_until', 'keep_must_not_miss'] as const),
];
export type NudgedOwner = Pick<Selectable<Database['users']>, (typeof ownerColumns)[number]>;

export async function listOwners(trx: Kysely<Database>, ids: readonly string[]): Promise<NudgedOwner[]> {
  return trx
    .selectFrom('users')
    .select(ownerColumns)
    .where('id', ...among(trx, ids))
    .execute();
}

export async function listValidDevices(trx: Kysely<Database>, userIds: readonly string[]): Promise<Device[]> {
  return trx
    .selectFrom('devices')
    .select(deviceColumns)
    .where('user_id', ...among(trx, userIds))
    .where('valid', '=', true)
    .execute();
}

export type Activity = Selectable<Database['live_activities']>;

/** The cards of these tasks that were started since then and not ended. */
export async function listRunningActivities(
  trx: Kysely<Database>,
  taskIds: readonly string[],
  since: Date,
): Promise<Activity[]> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', ...among(trx, taskIds))
    .where('ended_at', 'is', null)
    .where('started_at', '>', since)
    .execute();
}

export type NewActivity = Pick<Activity, 'id' | 'task_id' | 'device_id' | 'push_env' | 'started_at'>;

export async function insertActivities(trx: Kysely<Database>, activities: readonly NewActivity[]): Promise<void> {
  if (activities.length > 0) await trx.insertInto('live_activities').values(activities).execute();
}

/** One parameter however many ids there are, so that the statement is prepared once. */
function among(trx: Kysely<Database>, ids: readonly string[]) {
  const list = isPostgres(trx)
    ? sql<string>`any(${ids}::uuid[])`
    : sql<string>`(select value from json_each(${JSON.stringify(ids)}))`;
  return [isPostgres(trx) ? '=' : 'in', list] as const;
}

export type Advance = Pick<
  Task,
  'id' | 'step' | 'heads_up_at' | 'escalation_stage' | 'nudge_count' | 'last_nudge_at' | 'next_fire_at' | 'wanted_at'
>;

const ADVANCE = {
  ...({ id: 'uuid', step: 'integer', heads_up_at: 'timestamptz', escalation_stage: 'integer' } as const),
  ...({ nudge_count: 'integer', last_nudge_at: 'timestamptz' } as const),
  ...({ next_fire_at: 'timestamptz', wanted_at: 'timestamptz' } as const),
};

export async function advanceTasks(trx: Kysely<Database>, advances: readonly Advance[]): Promise<void> {
  await sql`
    update tasks set step = moved.step, heads_up_at = moved.heads_up_at, escalation_stage = moved.escalation_stage,
      nudge_count = moved.nudge_count, last_nudge_at = moved.last_nudge_at, next_fire_at = moved.next_fire_at,
      wanted_at = moved.wanted_at, changed_at = crescendo_now()
    from ${rowsOf(trx, 'moved', ADVANCE, advances)} where tasks.id = moved.id`.execute(trx);
}

/** Only if it is still as it was: whoever changed it meanwhile knows better. */
export async function postponeTask(db: Kysely<Database>, id: string, now: Date, until: Date): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ next_fire_at: until, wanted_at: until, changed_at: sql<Date>`crescendo_now()` })
    .where('id', '=', id)
    .where('next_fire_at', '<=', now)
    .execute();
}

export interface NudgeEntry {
  readonly id: string;
  readonly task_id: string;
  readonly owner_id: string;
  readonly at: Date;
  readonly kind: 'nudge' | 'held';
  readonly stage: number;
  readonly until: Date | null;
  readonly holds: string | null;
  readonly occurrence_due_at: Date | null;
  readonly devices: number | null;
}

const ENTRY = {
  ...({ id: 'uuid', task_id: 'uuid', owner_id: 'uuid', at: 'timestamptz', kind: 'text', stage: 'integer' } as const),
  ...({ until: 'timestamptz', holds: 'text', occurrence_due_at: 'timestamptz', devices: 'integer' } as const),
};

export async function insertNudgeEntries(trx: Kysely<Database>, entries: readonly NudgeEntry[]): Promise<void> {
  await insertRows(trx, 'timeline', ENTRY, entries);
}

export interface NewDelivery {
  readonly entry_id: string;
  readonly target_id: string;
  readonly kind: DeliveryKind;
  readonly task_id: string;
  readonly provider: string;
  readonly stage: number;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly created_at: Date;
}

const DELIVERY = {
  ...({ entry_id: 'uuid', target_id: 'uuid', kind: 'text', task_id: 'uuid', provider: 'text' } as const),
  ...({ stage: 'integer', status: 'text', reason: 'text', attempts: 'integer' } as const),
  ...({ next_attempt_at: 'timestamptz', created_at: 'timestamptz' } as const),
};

export async function insertDeliveries(trx: Kysely<Database>, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length > 0) await insertRows(trx, 'deliveries', DELIVERY, deliveries);
}

async function insertRows<C extends string>(
  trx: Kysely<Database>,
  table: 'timeline' | 'deliveries',
  columns: Readonly<Record<C, Parameters<typeof rowsOf>[2][string]>>,
  rows: readonly Readonly<Record<C, unknown>>[],
): Promise<void> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names}) select ${names} from ${rowsOf(trx, 'added', columns, rows)}
    where true`.execute(trx);
}

/** An older nudge that has not got through is not worth sending once there is a newer one. */
export async function supersedeDeliveries(trx: Kysely<Database>, taskIds: readonly string[]): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'superseded' })
    .where('task_id', ...among(trx, taskIds))
    .where('status', '=', 'pending')
    .where('kind', 'in', ['nudge', 'activity_update'])
    .execute();
}

/** In the order of the ids, so that engines that count for the same people wait for each other instead of colliding. */
export async function countNudges(trx: Kysely<Database>, sent: ReadonlyMap<string, number>): Promise<void> {
  const rows = [...sent]
    .map(([user_id, nudges]) => ({ user_id, nudges }))
    .toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));
  await sql`
    insert into task_counts (user_id, open, done, skipped, nudges_sent, seconds_to_done)
    select user_id, 0, 0, 0, nudges, 0 from ${rowsOf(trx, 'sent', { user_id: 'uuid', nudges: 'integer' }, rows)} where true
    on conflict (user_id) do update set nudges_sent = task_counts.nudges_sent + excluded.nudges_sent`.execute(trx);
}
