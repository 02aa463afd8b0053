import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '../db/engine-of.ts';
import { rowsOf } from '../db/rows.ts';
import type { Database } from '../db/schema.ts';
import type { DeliveryStatus } from '../db/tables/deliveries.ts';
import type { Provider } from '../push/gateway.ts';
import type { DeliveryKey } from './shipment.ts';

export type Delivery = Selectable<Database['deliveries']>;

/**
 * Takes deliveries that are waiting, or whose lease has run out, and leases them. An engine that
 * dies gives its leases back by not renewing them.
 */
export async function leaseDeliveries(
  db: Kysely<Database>,
  provider: Provider,
  now: Date,
  until: Date,
  limit: number,
): Promise<Delivery[]> {
  const lock = isPostgres(db) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<Delivery>`
    update deliveries set next_attempt_at = ${until}
    where status = 'pending' and (entry_id, target_id, kind) in (
      select entry_id, target_id, kind from deliveries
      where status = 'pending' and provider = ${provider} and next_attempt_at <= ${now}
      order by next_attempt_at limit ${limit} ${lock})
    returning *`.execute(db);
  return rows;
}

export async function findNextAttemptAt(db: Kysely<Database>, provider: Provider): Promise<Date | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('provider', '=', provider)
    .where('status', '=', 'pending')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

/** After the machine's clock was set back, leases and pauses that end absurdly late end now. */
export async function hastenDeliveries(
  db: Kysely<Database>,
  provider: Provider,
  now: Date,
  latest: Date,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where('provider', '=', provider)
    .where('status', '=', 'pending')
    .where('next_attempt_at', '>', latest)
    .execute();
}

const shownColumns = [
  ...(['tasks.id', 'tasks.owner_id', 'tasks.title', 'tasks.due_at', 'tasks.due_written', 'tasks.has_time'] as const),
  ...(['tasks.break_quiet_hours', 'tasks.next_fire_at', 'users.timezone', 'users.quiet_hours_start'] as const),
  ...(['users.quiet_hours_end', 'users.day_start', 'users.pause_from', 'users.pause_until'] as const),
  'users.keep_must_not_miss' as const,
];

export type ShownTask = Awaited<ReturnType<typeof listShownTasks>>[number];

/** What a nudge shows of its tasks, and what may hold it. */
export async function listShownTasks(db: Kysely<Database>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom('tasks')
    .innerJoin('users', 'users.id', 'tasks.owner_id')
    .select(shownColumns)
    .where('tasks.id', 'in', ids)
    .execute();
}

export async function listDevices(db: Kysely<Database>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db.selectFrom('devices').selectAll().where('id', 'in', ids).execute();
}

export interface Outcome extends DeliveryKey {
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
}

const OUTCOME = {
  ...({ entry_id: 'uuid', target_id: 'uuid', kind: 'text', status: 'text', reason: 'text' } as const),
  ...({ attempts: 'integer', next_attempt_at: 'timestamptz' } as const),
};

/** What was called back while it was in flight stays so. */
export async function recordOutcomes(trx: Kysely<Database>, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await sql`
    update deliveries set status = told.status, reason = told.reason, attempts = told.attempts,
      next_attempt_at = told.next_attempt_at
    from ${rowsOf(trx, 'told', OUTCOME, outcomes)}
    where deliveries.entry_id = told.entry_id and deliveries.target_id = told.target_id
      and deliveries.kind = told.kind and deliveries.status = 'pending'`.execute(trx);
}

const SENT = { entry_id: 'uuid', target_id: 'uuid', kind: 'text', attempts: 'integer' } as const;

/** By far the most frequent outcome, so it has a statement of its own. Called back or not, that it was taken is the truth. */
export async function recordSent(trx: Kysely<Database>, sent: readonly Outcome[], sentAt: Date): Promise<void> {
  if (sent.length === 0) return;
  await sql`
    update deliveries set status = 'sent', reason = null, attempts = taken.attempts, sent_at = ${sentAt}
    from ${rowsOf<keyof typeof SENT>(trx, 'taken', SENT, sent)}
    where deliveries.entry_id = taken.entry_id and deliveries.target_id = taken.target_id
      and deliveries.kind = taken.kind`.execute(trx);
}

export async function listActivities(db: Kysely<Database>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db.selectFrom('live_activities').selectAll().where('id', 'in', ids).execute();
}

export interface Loss {
  readonly kind: DeliveryKey['kind'];
  /** The device, or the Live Activity. */
  readonly target_id: string;
  /** The token that was used: a newer one is another matter. */
  readonly token: string;
  readonly reason: string;
  /** The token has been dead since then; one that was reported later is another matter. */
  readonly since: Date;
}

const LOSS = { target_id: 'uuid', reason: 'text', since: 'timestamptz' } as const;

/** A token that is dead ends what it stood for: the device, the way to start a card on it, or the card. */
export async function recordLosses(trx: Kysely<Database>, losses: readonly Loss[]): Promise<void> {
  const idsOf = (...kinds: readonly string[]) =>
    losses.filter(({ kind }) => kinds.includes(kind)).map(({ target_id }) => target_id);
  await invalidateDevices(
    trx,
    losses.filter(({ kind }) => kind === 'nudge'),
  );
  for (const { target_id, token } of losses.filter(({ kind }) => kind === 'activity_start')) {
    const lost = trx.updateTable('devices').set({ start_token: null }).where('id', '=', target_id);
    await lost.where('start_token', '=', token).execute();
  }
  const cards = idsOf('activity_update', 'activity_end');
  if (cards.length > 0) await trx.deleteFrom('live_activities').where('id', 'in', cards).execute();
}

/** A card that could not be started does not run, so the next nudge may try again. */
export async function forgetUnstarted(trx: Kysely<Database>, outcomes: readonly Outcome[]): Promise<void> {
  const failed = outcomes.filter(({ kind, status }) => kind === 'activity_start' && status.startsWith('failed'));
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

async function invalidateDevices(trx: Kysely<Database>, losses: readonly Loss[]): Promise<void> {
  if (losses.length === 0) return;
  await sql`
    update devices set valid = ${false}, invalid_reason = lost.reason
    from ${rowsOf<keyof typeof LOSS>(trx, 'lost', LOSS, losses)}
    where devices.id = lost.target_id and devices.registered_at <= lost.since`.execute(trx);
}
