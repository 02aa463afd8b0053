import type { Insertable, Kysely } from 'kysely';
import { FREE, type PlanFacts } from '../accounts/plan.ts';
import type { Database } from '../db/schema.ts';
import { isUuid, newId } from '../lib/ids.ts';

export async function hasEvent(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.selectFrom('billing_events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export async function insertEvent(db: Kysely<Database>, row: Insertable<Database['billing_events']>): Promise<void> {
  await db.insertInto('billing_events').values(row).execute();
}

/** What never says anything about a purchase, and may be said often. */
const IDLE_TYPES = ['TEST', 'EXPERIMENT_ENROLLMENT', 'VIRTUAL_CURRENCY_TRANSACTION', 'INVOICE_ISSUANCE'];

export async function listPayloads(db: Kysely<Database>, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('billing_events')
    .select('payload')
    .where('group_id', '=', groupId)
    .where('type', 'not in', IDLE_TYPES)
    .where('type', 'not like', 'PAYWALL%')
    .execute();
  return rows.map(({ payload }) => payload);
}

/** These names, and all that share a group with one of them. */
export async function listGroupNames(db: Kysely<Database>, names: readonly string[]): Promise<string[]> {
  const groups = await listGroups(db, names);
  if (groups.length === 0) return [...names];
  const rows = await db.selectFrom('billing_names').select('app_user_id').where('group_id', 'in', groups).execute();
  return [...new Set([...names, ...rows.map(({ app_user_id }) => app_user_id)])];
}

async function listGroups(db: Kysely<Database>, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const known = db.selectFrom('billing_names').select('group_id').distinct().where('app_user_id', 'in', names);
  return (await known.orderBy('group_id').execute()).map(({ group_id }) => group_id);
}

/** Puts the names, and whoever shared a group with one of them, into one group. */
export async function joinGroup(trx: Kysely<Database>, names: readonly string[]): Promise<string | null> {
  if (names.length === 0) return null;
  const [group_id = newId(), ...others] = await listGroups(trx, names);
  if (others.length > 0) {
    await trx.updateTable('billing_names').set({ group_id }).where('group_id', 'in', others).execute();
    await trx.updateTable('billing_events').set({ group_id }).where('group_id', 'in', others).execute();
  }
  await trx
    .insertInto('billing_names')
    .values(names.map((app_user_id) => ({ app_user_id, group_id })))
    .onConflict((conflict) => conflict.column('app_user_id').doNothing())
    .execute();
  return group_id;
}

interface Account extends PlanFacts {
  readonly id: string;
}

/** The accounts among the names, each kept from changing or going until the transaction is over. */
export async function lockAccounts(trx: Kysely<Database>, names: readonly string[]): Promise<Account[]> {
  const ids = names.filter(isUuid);
  if (ids.length === 0) return [];
  const accounts = trx.selectFrom('users').select(['id', 'plan', 'plan_expires_at']).where('id', 'in', ids);
  return accounts.orderBy('id').forUpdate().execute();
}

/** What was told before anybody knew whom it concerned. */
export async function attributeEvents(trx: Kysely<Database>, groupId: string, userId: string): Promise<void> {
  await trx
    .updateTable('billing_events')
    .set({ user_id: userId })
    .where('group_id', '=', groupId)
    .where('user_id', 'is', null)
    .execute();
}

export async function setPlan(
  trx: Kysely<Database>,
  account: Account,
  { plan, plan_expires_at }: PlanFacts = FREE,
): Promise<void> {
  if (account.plan === plan && account.plan_expires_at?.getTime() === plan_expires_at?.getTime()) return;
  await trx.updateTable('users').set({ plan, plan_expires_at }).where('id', '=', account.id).execute();
}

export async function deleteGroup(trx: Kysely<Database>, groupId: string): Promise<void> {
  await trx.deleteFrom('billing_events').where('group_id', '=', groupId).execute();
  await trx.deleteFrom('billing_names').where('group_id', '=', groupId).execute();
}

export async function findGroup(db: Kysely<Database>, name: string): Promise<string | undefined> {
  const known = db.selectFrom('billing_names').select('group_id').where('app_user_id', '=', name);
  return (await known.executeTakeFirst())?.group_id;
}

export async function lockEvents(
  trx: Kysely<Database>,
  groupId: string,
): Promise<{ readonly id: string; readonly payload: string }[]> {
  const events = trx.selectFrom('billing_events').select(['id', 'payload']).where('group_id', '=', groupId);
  return events.orderBy('id').forUpdate().execute();
}

export async function listKnownNames(db: Kysely<Database>, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const known = db.selectFrom('billing_names').select('app_user_id').where('app_user_id', 'in', names);
  return (await known.execute()).map(({ app_user_id }) => app_user_id);
}

export async function renameInGroup(trx: Kysely<Database>, names: ReadonlyMap<string, string>): Promise<void> {
  for (const [from, app_user_id] of names) {
    await trx.updateTable('billing_names').set({ app_user_id }).where('app_user_id', '=', from).execute();
  }
}

/** Whoever still has the account's purchases takes its events over; null where nobody has. */
export async function passOn(trx: Kysely<Database>, fromId: string, toId: string | null): Promise<void> {
  await trx.updateTable('billing_events').set({ user_id: toId }).where('user_id', '=', fromId).execute();
}

export async function replaceEvent(
  trx: Kysely<Database>,
  id: string,
  changes: { readonly app_user_id: string | null; readonly payload: string },
): Promise<void> {
  await trx.updateTable('billing_events').set(changes).where('id', '=', id).execute();
}
