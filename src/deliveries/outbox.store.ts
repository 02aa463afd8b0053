import { type Selectable, sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter, preparedRows, rowsAsTable } from '../db/rows.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';
import type { DeliveryStatus, WaitsFor } from '../db/tables/deliveries.ts';
import { PLAN_SETTINGS } from '../escalation/plan-settings.ts';
import type { Provider } from '../push/gateway.ts';
import type { DeliveryKey } from './outgoing-push.ts';

export type Delivery = Selectable<Database['deliveries']>;

interface Attempts {
  readonly first: Date | null;
  readonly last: Date | null;
}

/** The first and the last attempt in the outbox; null if it is empty. Costs less than a lease that finds nothing. */
export async function findAttempts(db: Db, provider: Provider): Promise<Attempts> {
  const [attempts] = await pendingAttempts(db, provider);
  return attempts ?? { first: null, last: null };
}

const pendingAttempts = prepared((db, provider: Provider) => {
  const pending = sql`select next_attempt_at from deliveries where provider = ${provider} and status = 'pending'`;
  const query = sql<Attempts>`
    select (${pending} order by next_attempt_at limit 1) as first,
      (${pending} order by next_attempt_at desc limit 1) as last`;
  return { compile: () => query.compile(db) };
});

/** After the machine's clock was set back, leases and retries lie too far in the future. This makes them due now. */
export async function hastenDeliveries(db: Db, provider: Provider, now: Date, latest: Date): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where('provider', '=', provider)
    .where('status', '=', sql.lit('pending'))
    .where('next_attempt_at', '>', latest)
    .execute();
}

/**
 * Makes the first deliveries due that wait for a retry later than `after`. Returns the moment up to which it did; null
 * if there are none. Ignores deliveries that are in flight, which wait for nothing, and those that wait for something
 * else: a held one would be made due again and again.
 */
export async function hastenRetries(
  db: Db,
  provider: Provider,
  { now, after, limit }: { readonly now: Date; readonly after: Date; readonly limit: number },
): Promise<Date | null> {
  const retries = sql`
    status = 'pending' and provider = ${provider} and next_attempt_at > ${after} and waits_for = 'retry'`;
  const first = await sql<{ next_attempt_at: Date }>`
    select next_attempt_at from deliveries where ${retries} order by next_attempt_at limit ${limit}`.execute(db);
  const upTo = first.rows.at(-1)?.next_attempt_at;
  if (!upTo) return null;
  const lock = isPostgres(db) ? sql`for update skip locked` : sql``;
  await sql`
    with waiting as materialized (
      select entry_id, target_id, kind from deliveries where ${retries} and next_attempt_at <= ${upTo} ${lock})
    update deliveries set next_attempt_at = ${now}
    where status = 'pending' and (entry_id, target_id, kind) in (select entry_id, target_id, kind from waiting)`.execute(
    db,
  );
  return upTo;
}

const taskColumns = [
  'tasks.id',
  'tasks.owner_id',
  'tasks.title',
  'tasks.due_at',
  'tasks.due_written',
  'tasks.has_time',
  'tasks.mode',
  'tasks.break_quiet_hours',
  'tasks.rings_anyway_at',
  'tasks.next_fire_at',
  'tasks.space_id',
  'tasks.status',
  'tasks.run',
  'tasks.step',
  'tasks.kind',
  'tasks.ladder_label',
] as const;

export type TaskToPush = Awaited<ReturnType<typeof listTasksToPush>>[number];

/** What a push shows of its task, and the owner's settings for holds. */
export async function listTasksToPush(db: Db, ids: readonly string[]) {
  return ids.length === 0 ? [] : tasksToPush(db, idsParameter(db, ids));
}

const tasksToPush = prepared((db, ids: unknown) =>
  db
    .selectFrom('tasks')
    .innerJoin('users', 'users.id', 'tasks.owner_id')
    .select(taskColumns)
    .select(PLAN_SETTINGS)
    .where('tasks.id', ...amongParameter(db, ids)),
);

/** The names of these people, and the settings that hold what is sent to them. */
export const listStandInPeople = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'display_name', ...PLAN_SETTINGS])
    .where('id', ...amongParameter(db, idsParameter(db, ids)))
    .execute();

export async function listDevices(db: Db, ids: readonly string[]) {
  return ids.length === 0 ? [] : devicesById(db, idsParameter(db, ids));
}

const devicesById = prepared((db, ids: unknown) =>
  db
    .selectFrom('devices')
    .selectAll()
    .where('id', ...amongParameter(db, ids)),
);

export interface DeliveryResultRow extends DeliveryKey {
  readonly status: DeliveryStatus;
  readonly waits_for: WaitsFor | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  /** The channel provider's reference of the message. */
  readonly ref: string | null;
}

const RESULT = {
  entry_id: 'uuid',
  target_id: 'uuid',
  kind: 'text',
  status: 'text',
  waits_for: 'text',
  reason: 'text',
  attempts: 'integer',
  next_attempt_at: 'timestamptz',
} as const;

/**
 * A delivery that was cancelled while it was in flight stays cancelled. A refused message needs no retraction; a
 * message without an answer may have arrived and does.
 */
export async function recordResults(trx: Db, results: readonly DeliveryResultRow[]): Promise<void> {
  if (results.length > 0) await storedResults(trx, results);
}

const storedResults = preparedRows<keyof typeof RESULT>(
  'result',
  RESULT,
  (_, result) => sql`
    update deliveries set status = result.status, waits_for = result.waits_for, reason = result.reason, attempts = result.attempts,
      next_attempt_at = result.next_attempt_at,
      ref = case when result.status = 'failed_permanent' then null else deliveries.ref end
    from ${result}
    where deliveries.entry_id = result.entry_id and deliveries.target_id = result.target_id
      and deliveries.kind = result.kind and deliveries.status = 'pending'`,
);

const SENT = { entry_id: 'uuid', target_id: 'uuid', kind: 'text', attempts: 'integer', ref: 'text' } as const;

/** The most frequent result, so it has its own statement. Includes cancelled deliveries, if the push was accepted. */
export async function recordSent(trx: Db, sent: readonly DeliveryResultRow[], sentAt: Date): Promise<void> {
  if (sent.length === 0) return;
  await stored(trx, sent, sentAt);
}

const stored = preparedRows<keyof typeof SENT, [Date]>(
  'accepted',
  SENT,
  (_, accepted, sentAt) => sql`
    update deliveries set status = 'sent', waits_for = null, reason = null, attempts = accepted.attempts, sent_at = ${sentAt},
      ref = accepted.ref
    from ${accepted}
    where deliveries.entry_id = accepted.entry_id and deliveries.target_id = accepted.target_id
      and deliveries.kind = accepted.kind`,
);

export async function listActivities(db: Db, ids: readonly string[]) {
  return ids.length === 0 ? [] : activitiesById(db, idsParameter(db, ids));
}

const activitiesById = prepared((db, ids: unknown) =>
  db
    .selectFrom('live_activities')
    .selectAll()
    .where('id', ...amongParameter(db, ids)),
);

export interface DeadToken {
  readonly kind: DeliveryKey['kind'];
  /** The device, the Live Activity, or the channel. */
  readonly target_id: string;
  readonly isChannel: boolean;
  /** The token that was used; a newer one stays valid. */
  readonly token: string;
  readonly reason: string;
  /** A token reported after this moment stays valid. */
  readonly since: Date;
}

const DEAD_TOKEN = { target_id: 'uuid', reason: 'text', since: 'timestamptz' } as const;

/** A dead token invalidates what it belongs to: the device, its push-to-start token, the Live Activity, the channel. */
export async function recordDeadTokens(trx: Db, tokens: readonly DeadToken[]): Promise<void> {
  const idsOf = (...kinds: readonly string[]) =>
    tokens.filter(({ kind }) => kinds.includes(kind)).map(({ target_id }) => target_id);
  const shown = tokens.filter(({ kind }) => kind === 'nudge' || kind === 'request');
  await invalidate(
    trx,
    'devices',
    shown.filter(({ isChannel }) => !isChannel),
  );
  await invalidate(
    trx,
    'channels',
    tokens.filter(({ isChannel }) => isChannel),
  );
  for (const { target_id, token } of tokens.filter(({ kind }) => kind === 'activity_start')) {
    const device = trx.updateTable('devices').set({ start_token: null }).where('id', '=', target_id);
    await device.where('start_token', '=', token).execute();
  }
  const activities = idsOf('activity_update', 'activity_end');
  if (activities.length > 0) await trx.deleteFrom('live_activities').where('id', 'in', activities).execute();
}

/** A Live Activity that could not be started is not running, so the next nudge may start one. */
export async function deleteUnstartedActivities(trx: Db, results: readonly DeliveryResultRow[]): Promise<void> {
  const failed = results.filter(({ kind, status }) => kind === 'activity_start' && status.startsWith('failed'));
  for (const { entry_id, target_id } of failed) {
    const start = trx.selectFrom('deliveries').select('task_id').where('entry_id', '=', entry_id);
    await trx
      .deleteFrom('live_activities')
      .where('device_id', '=', target_id)
      .where('token', 'is', null)
      .where('task_id', 'in', start)
      .execute();
  }
}

async function invalidate(trx: Db, table: 'devices' | 'channels', tokens: readonly DeadToken[]): Promise<void> {
  if (tokens.length === 0) return;
  const target = sql.table(table);
  await sql`
    update ${target} set valid = ${false}, invalid_reason = dead.reason
    from ${rowsAsTable<keyof typeof DEAD_TOKEN>(trx, 'dead', DEAD_TOKEN, tokens)}
    where ${target}.id = dead.target_id and ${target}.registered_at <= dead.since`.execute(trx);
}
