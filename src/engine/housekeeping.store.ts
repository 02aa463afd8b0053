/** What is cleared away. Each statement takes a limited number of rows and tells how many it took. */
import { type Kysely, sql } from 'kysely';
import { rowsOf } from '../db/rows.ts';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { takeTurn } from '../db/turn.ts';
import { firstIdAt } from '../lib/ids.ts';

export async function deleteExpired(
  db: Kysely<Database>,
  table: 'sessions' | 'email_codes' | 'mfa_challenges' | 'idempotency_keys',
  now: Date,
  limit: number,
): Promise<number> {
  return deleteBefore(db, table, 'expires_at', now, limit);
}

export async function deleteRestedThrottles(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'throttles', 'resets_at', now, limit);
}

export async function deleteRemovals(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'task_removals', 'changed_at', before, limit);
}

/** Cards that iOS has long ended. */
export async function deleteOldActivities(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'live_activities', 'started_at', before, limit);
}

/** Devices that their provider gave up, and that nobody has registered again since then. */
export async function deleteDeadDevices(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const dead = db.selectFrom('devices').select('id').where('valid', '=', false).where('registered_at', '<', before);
  const { numDeletedRows } = await db
    .deleteFrom('devices')
    .where('id', 'in', dead.limit(limit))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The keys of the tables that are cleared by age. */
const KEYS = {
  sessions: ['id'],
  email_codes: ['email'],
  mfa_challenges: ['token_hash'],
  idempotency_keys: ['user_id', 'key_hash'],
  throttles: ['key'],
  task_removals: ['viewer_id', 'task_id'],
  live_activities: ['id'],
} as const;

async function deleteBefore(
  db: Kysely<Database>,
  table: keyof typeof KEYS,
  column: string,
  before: Date,
  limit: number,
): Promise<number> {
  const key = sql.join(KEYS[table].map((name) => sql.ref(name)));
  const result = await sql`
    delete from ${sql.table(table)} where ${sql.ref(column)} < ${before} and (${key}) in (
      select ${key} from ${sql.table(table)} where ${sql.ref(column)} < ${before} limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

const SUMMARY = { id: 'uuid', reached: 'integer' } as const;

/** The rows of a nudge's deliveries go; how many devices took it stays in its timeline. */
export async function sumUpDeliveries(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  return transact(db, async (trx) => {
    const { rows } = await sql<{ id: string; reached: number }>`
      select entry_id as id, sum(case when status = 'sent' and kind = 'nudge' then 1 else 0 end) as reached
      from deliveries where entry_id < ${firstIdAt(before)}
      group by entry_id order by entry_id limit ${limit}`.execute(trx);
    if (rows.length === 0) return 0;
    await sql`
      update timeline set devices_reached = summed.reached
      from ${rowsOf(trx, 'summed', SUMMARY, rows)} 
      where timeline.id = summed.id and timeline.kind = 'nudge'`.execute(trx);
    const ids = rows.map(({ id }) => id);
    await trx.deleteFrom('deliveries').where('entry_id', 'in', ids).execute();
    return rows.length;
  });
}

/** Billing events of which no account ever became known, and the names that nothing is known by any more. */
export async function deleteUnknownBilling(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  return transact(db, async (trx) => {
    await takeTurn(trx, 'billing');
    const unknown = trx.selectFrom('billing_events').select('id').where('user_id', 'is', null);
    const old = unknown.where('received_at', '<', before).orderBy('received_at').limit(limit);
    const deleted = await trx.deleteFrom('billing_events').where('id', 'in', old).returning('group_id').execute();
    const groups = [...new Set(deleted.flatMap(({ group_id }) => group_id ?? []))];
    if (groups.length > 0) {
      const left = trx.selectFrom('billing_events').select('group_id').where('group_id', 'in', groups);
      await trx
        .deleteFrom('billing_names')
        .where('group_id', 'in', groups)
        .where('group_id', 'not in', left.where('group_id', 'is not', null))
        .execute();
    }
    return deleted.length;
  });
}
