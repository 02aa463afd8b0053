/** Deletes expired rows. Each statement deletes a limited number and returns how many. */
import { type SelectQueryBuilder, sql } from 'kysely';
import { rowsAsTable } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { lockUntilCommit, transact } from '../db/transact.ts';
import { lowestIdAt } from '../lib/ids.ts';

export async function deleteExpired(
  db: Db,
  table:
    | 'sessions'
    | 'email_codes'
    | 'mfa_challenges'
    | 'address_changes'
    | 'idempotency_keys'
    | 'connection_codes'
    | 'connection_secrets',
  now: Date,
  limit: number,
): Promise<number> {
  return deleteBefore(db, table, 'expires_at', now, limit);
}

/** Files that waited for a choice, then the rows about imports. Their pages first: they can be large. */
export async function deleteExpiredMoveIns(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db.selectFrom('move_ins').select('id').where('expires_at', '<', now);
  return deleteWithParts(db, 'move_ins', ['move_in_pages', 'move_in_id', 'page'], expired, limit);
}

export async function deleteExpiredThrottles(db: Db, now: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'throttles', 'resets_at', now, limit);
}

export async function deleteRemovals(db: Db, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'task_removals', 'changed_at', before, limit);
}

/** What edits replaced long ago cannot be put back any more. */
export async function deleteOldChanges(db: Db, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'task_changes', 'changed_at', before, limit);
}

/** Messages about requests that were decided long ago. */
export async function deleteOldRequestMessages(db: Db, before: Date, limit: number): Promise<number> {
  const old = db.selectFrom('request_messages').select('id').where('created_at', '<', before);
  const { numDeletedRows } = await db
    .deleteFrom('request_messages')
    .where('id', 'in', old.where('due_at', 'is', null).limit(limit))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** What stand-ins were shown of who settled a task. */
export async function deleteSettledStandIns(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .selectFrom('stand_in_tasks')
    .select(['task_id', 'person_id'])
    .where('settled_at', '<', before)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('stand_in_tasks')
    .where(({ eb, refTuple }) => eb(refTuple('task_id', 'person_id'), 'in', old.$asTuple('task_id', 'person_id')))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Live Activities that iOS ended long ago. */
export async function deleteOldActivities(db: Db, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'live_activities', 'started_at', before, limit);
}

/** Devices that were not registered again after the provider declared their token dead. */
export async function deleteDeadDevices(db: Db, before: Date, limit: number): Promise<number> {
  const dead = db.selectFrom('devices').select('id').where('valid', '=', false).where('registered_at', '<', before);
  const { numDeletedRows } = await db
    .deleteFrom('devices')
    .where('id', 'in', dead.limit(limit))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Processes that were killed long ago. */
export async function deleteSilentProcesses(db: Db, before: Date, limit: number): Promise<number> {
  return deleteBefore(db, 'processes', 'seen_at', before, limit);
}

/** Old outages. People first, whose late nudges go with them. */
export async function deleteOldOutages(db: Db, before: Date, limit: number): Promise<number> {
  const old = db.selectFrom('outages').select('id').where('real_ended_at', '<', before);
  return deleteWithParts(db, 'outages', ['outage_people', 'outage_id', 'user_id'], old, limit);
}

/** The rows that belong to the old ones go first: there can be many. */
async function deleteWithParts(
  db: Db,
  table: 'move_ins' | 'outages',
  [parts, owner, rest]: readonly [table: string, owner: string, rest: string],
  old: SelectQueryBuilder<Database, 'move_ins' | 'outages', { id: string }>,
  limit: number,
): Promise<number> {
  const key = sql`${sql.ref(owner)}, ${sql.ref(rest)}`;
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(parts)} where (${key}) in (
      select ${key} from ${sql.table(parts)} where ${sql.ref(owner)} in (${old}) limit ${limit})`.execute(db);
  if (Number(numAffectedRows) >= limit) return Number(numAffectedRows);
  const { numDeletedRows } = await db.deleteFrom(table).where('id', 'in', old.limit(limit)).executeTakeFirstOrThrow();
  return Number(numAffectedRows) + Number(numDeletedRows);
}

/** The primary keys of the tables that are pruned by age. */
const KEYS = {
  sessions: ['id'],
  email_codes: ['id'],
  mfa_challenges: ['token_hash'],
  address_changes: ['id'],
  idempotency_keys: ['user_id', 'key_hash'],
  connection_codes: ['code_hash'],
  connection_secrets: ['secret_hash'],
  throttles: ['key'],
  task_removals: ['viewer_id', 'task_id'],
  live_activities: ['id'],
  task_changes: ['entry_id'],
  processes: ['id'],
} as const;

async function deleteBefore(
  db: Db,
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

/** Deletes the deliveries of old nudges; the timeline keeps how many devices each nudge reached. */
export async function sumUpDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  return transact(db, async (trx) => {
    const { rows } = await sql<{ id: string; reached: number }>`
      select entry_id as id, sum(case when status = 'sent' and kind = 'nudge' then 1 else 0 end) as reached
      from deliveries where entry_id < ${lowestIdAt(before)}
      group by entry_id order by entry_id limit ${limit}`.execute(trx);
    if (rows.length === 0) return 0;
    await sql`
      update timeline set devices_reached = summed.reached
      from ${rowsAsTable(trx, 'summed', SUMMARY, rows)} 
      where timeline.id = summed.id and timeline.kind = 'nudge'`.execute(trx);
    const ids = rows.map(({ id }) => id);
    await trx.deleteFrom('deliveries').where('entry_id', 'in', ids).execute();
    return rows.length;
  });
}

/** Billing events that never matched an account, and customer names that no other event uses. */
export async function deleteUnknownBilling(db: Db, before: Date, limit: number): Promise<number> {
  return transact(db, async (trx) => {
    await lockUntilCommit(trx, 'billing');
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
