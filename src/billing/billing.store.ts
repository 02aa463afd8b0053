import type { Insertable } from 'kysely';
import { FREE, type PlanFacts } from '../accounts/plan.ts';
import type { Database, Db } from '../db/schema.ts';
import { isUuid, newId } from '../lib/ids.ts';

export async function hasEvent(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('billing_events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export async function insertEvent(db: Db, row: Insertable<Database['billing_events']>): Promise<void> {
  await db.insertInto('billing_events').values(row).execute();
}

/** These never concern a purchase and can be frequent. */
const IRRELEVANT_TYPES = ['TEST', 'EXPERIMENT_ENROLLMENT', 'VIRTUAL_CURRENCY_TRANSACTION', 'INVOICE_ISSUANCE'];

export async function listPayloads(db: Db, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('billing_events')
    .select('payload')
    .where('group_id', '=', groupId)
    .where('type', 'not in', IRRELEVANT_TYPES)
    .where('type', 'not like', 'PAYWALL%')
    .execute();
  return rows.map(({ payload }) => payload);
}

/** The given names and all names that share a group with one of them. */
export async function listGroupNames(db: Db, names: readonly string[]): Promise<string[]> {
  const groups = await listGroups(db, names);
  if (groups.length === 0) return [...names];
  const rows = await db.selectFrom('billing_names').select('app_user_id').where('group_id', 'in', groups).execute();
  return [...new Set([...names, ...rows.map(({ app_user_id }) => app_user_id)])];
}

async function listGroups(db: Db, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const known = db.selectFrom('billing_names').select('group_id').distinct().where('app_user_id', 'in', names);
  return (await known.orderBy('group_id').execute()).map(({ group_id }) => group_id);
}

/** Merges the groups of the names into one and returns its id; null without names. */
export async function joinGroup(trx: Db, names: readonly string[]): Promise<string | null> {
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

/** The accounts among the names, locked against change and deletion until the transaction ends. */
export async function lockAccounts(trx: Db, names: readonly string[]): Promise<Account[]> {
  const ids = names.filter(isUuid);
  if (ids.length === 0) return [];
  const accounts = trx.selectFrom('users').select(['id', 'plan', 'plan_expires_at']).where('id', 'in', ids);
  return accounts.where('deleted_at', 'is', null).orderBy('id').forUpdate().execute();
}

/** Assigns to the account the events that arrived before their customer was known. */
export async function attributeEvents(trx: Db, groupId: string, userId: string): Promise<void> {
  await trx
    .updateTable('billing_events')
    .set({ user_id: userId })
    .where('group_id', '=', groupId)
    .where('user_id', 'is', null)
    .execute();
}

export async function setPlan(trx: Db, account: Account, { plan, plan_expires_at }: PlanFacts = FREE): Promise<void> {
  if (account.plan === plan && account.plan_expires_at?.getTime() === plan_expires_at?.getTime()) return;
  await trx.updateTable('users').set({ plan, plan_expires_at }).where('id', '=', account.id).execute();
}

export async function deleteGroup(trx: Db, groupId: string): Promise<void> {
  await trx.deleteFrom('billing_events').where('group_id', '=', groupId).execute();
  await trx.deleteFrom('billing_names').where('group_id', '=', groupId).execute();
}

export async function findGroup(db: Db, name: string): Promise<string | undefined> {
  const known = db.selectFrom('billing_names').select('group_id').where('app_user_id', '=', name);
  return (await known.executeTakeFirst())?.group_id;
}

export async function lockEvents(
  trx: Db,
  groupId: string,
): Promise<{ readonly id: string; readonly payload: string }[]> {
  const events = trx.selectFrom('billing_events').select(['id', 'payload']).where('group_id', '=', groupId);
  return events.orderBy('id').forUpdate().execute();
}

export async function listKnownNames(db: Db, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const known = db.selectFrom('billing_names').select('app_user_id').where('app_user_id', 'in', names);
  return (await known.execute()).map(({ app_user_id }) => app_user_id);
}

export async function renameCustomers(trx: Db, names: ReadonlyMap<string, string>): Promise<void> {
  for (const [from, app_user_id] of names) {
    await trx.updateTable('billing_names').set({ app_user_id }).where('app_user_id', '=', from).execute();
  }
}

/** Moves the account's events to another account that shares its purchases, or to none. */
export async function reassignEvents(trx: Db, fromId: string, toId: string | null): Promise<void> {
  await trx.updateTable('billing_events').set({ user_id: toId }).where('user_id', '=', fromId).execute();
}

export async function updateEvent(
  trx: Db,
  id: string,
  changes: { readonly app_user_id: string | null; readonly payload: string },
): Promise<void> {
  await trx.updateTable('billing_events').set(changes).where('id', '=', id).execute();
}
