import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';

export type Channel = Selectable<Database['channels']>;
type NewChannel = Insertable<Database['channels']>;

export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly fallback_minutes: number;
  readonly created_at: Date;
}

export async function findAccount(db: Db, userId: string): Promise<Account | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'fallback_minutes', 'created_at'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Requests that add a channel to the same account wait here, so each counts the channels of the one before. */
export async function lockAccount(trx: Db, userId: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
}

export async function setFallbackMinutes(db: Db, userId: string, minutes: number): Promise<void> {
  await db.updateTable('users').set({ fallback_minutes: minutes }).where('id', '=', userId).execute();
}

export async function silenceRequests(db: Db, userId: string): Promise<void> {
  await db.updateTable('users').set({ hears_requests: false }).where('id', '=', userId).execute();
}

/** In the order in which they are used. */
export async function listChannels(db: Db, userId: string): Promise<Channel[]> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('tier')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Bounds the work for an account with tens of thousands of open tasks. */
const MOST_LOOKED_AT = 2_000;

/** The tasks that messages to an account are about: open ones that were nudged, and requests to and from it. */
export async function listToldTaskIds(db: Db, userId: string, limit: number): Promise<string[]> {
  const nudged = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('tasks')
        .select(['id', 'last_nudge_at'])
        .where('owner_id', '=', userId)
        .where('status', '=', 'open')
        // The order of an index: what nudges comes before what does not.
        .orderBy('list_rank')
        .orderBy('list_key')
        .orderBy('id')
        .limit(MOST_LOOKED_AT)
        .as('next'),
    )
    .select('id')
    .where('last_nudge_at', 'is not', null)
    .orderBy('last_nudge_at', 'desc')
    .limit(limit)
    .execute();
  const requests = await db
    .selectFrom('request_messages')
    .select('task_id as id')
    .where('recipient_id', '=', userId)
    .where('task_id', 'is not', null)
    .where('sent_at', 'is not', null)
    .orderBy('sent_at', 'desc')
    .limit(limit)
    .execute();
  return [...new Set([...nudged, ...requests].flatMap(({ id }) => id ?? []))];
}

export async function findChannel(db: Db, id: string, userId?: string): Promise<Channel | undefined> {
  const channel = db.selectFrom('channels').selectAll().where('id', '=', id);
  return (userId === undefined ? channel : channel.where('user_id', '=', userId)).executeTakeFirst();
}

/** Undefined if the account has a channel with this address already. */
export async function insertChannel(db: Db, channel: NewChannel): Promise<Channel | undefined> {
  announce(db, [channel.user_id]);
  return db
    .insertInto('channels')
    .values(channel)
    .onConflict((conflict) => conflict.columns(['user_id', 'address_hash']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/**
 * If an address is given, changes the channel only while it has that address: a fact about one says nothing of another.
 */
export async function updateChannel(
  db: Db,
  id: string,
  changes: Updateable<Database['channels']>,
  addressHash?: string,
): Promise<Channel | undefined> {
  const byId = db.updateTable('channels').set(changes).where('id', '=', id);
  const query = addressHash === undefined ? byId : byId.where('address_hash', '=', addressHash);
  const changed = await query.returningAll().executeTakeFirst();
  if (changed) announce(db, [changed.user_id]);
  return changed;
}

/** Channels with an address and no server, by id. An import leaves the label of a channel without an address empty. */
export async function listWithoutServer(
  db: Db,
  provider: string,
  after: string | null,
  limit: number,
): Promise<Pick<Channel, 'id' | 'address'>[]> {
  const channels = db
    .selectFrom('channels')
    .select(['id', 'address'])
    .where('provider', '=', provider)
    .where('server', 'is', null)
    .where('label', '<>', '');
  const rest = after === null ? channels : channels.where('id', '>', after);
  return rest.orderBy('id').limit(limit).execute();
}

/** Unless its owner has entered another address meanwhile. */
export async function setServer(db: Db, id: string, server: string | null): Promise<void> {
  await db.updateTable('channels').set({ server }).where('id', '=', id).where('server', 'is', null).execute();
}

/** The channel of this kind that the service made by itself. */
export async function switchOffAutomatic(
  db: Db,
  userId: string,
  provider: string,
  off: Updateable<Database['channels']>,
): Promise<void> {
  const automatic = db.updateTable('channels').set(off).where('user_id', '=', userId).where('automatic', '=', true);
  await automatic.where('provider', '=', provider).execute();
}

export async function deleteChannel(db: Db, id: string): Promise<void> {
  const deleted = await db.deleteFrom('channels').where('id', '=', id).returning('user_id').executeTakeFirst();
  if (deleted) announce(db, [deleted.user_id]);
}

/** Channels of any account with one of these hashes: the same address under every key. */
export async function listByAddress(db: Db, provider: string, hashes: readonly string[]): Promise<Channel[]> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('provider', '=', provider)
    .where('address_hash', 'in', hashes)
    .execute();
}

/** The same, locked: of accounts that confirm one address at the same time, each sees the one before it. */
export async function lockByAddress(trx: Db, provider: string, hashes: readonly string[]): Promise<Channel[]> {
  return trx
    .selectFrom('channels')
    .selectAll()
    .where('provider', '=', provider)
    .where('address_hash', 'in', hashes)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** A new code replaces the one before it. */
export async function saveCode(db: Db, code: Insertable<Database['channel_codes']>): Promise<void> {
  await db
    .insertInto('channel_codes')
    .values(code)
    .onConflict((conflict) =>
      conflict.column('channel_id').doUpdateSet({
        code_hash: code.code_hash,
        tries: 0,
        expires_at: code.expires_at,
      }),
    )
    .execute();
}

/** Counts the try. Undefined if the channel has no valid code, or its tries are used up. */
export async function tryCode(db: Db, channelId: string, most: number, now: Date): Promise<string | undefined> {
  const row = await db
    .updateTable('channel_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('channel_id', '=', channelId)
    .where('expires_at', '>', now)
    .where('tries', '<', most)
    .returning('code_hash')
    .executeTakeFirst();
  return row?.code_hash;
}

/** For a code that is long enough not to be guessed. */
export async function findByCode(db: Db, hashes: readonly string[], now: Date): Promise<Channel | undefined> {
  return db
    .selectFrom('channel_codes')
    .innerJoin('channels', 'channels.id', 'channel_codes.channel_id')
    .selectAll('channels')
    .where('channel_codes.code_hash', 'in', hashes)
    .where('channel_codes.expires_at', '>', now)
    .executeTakeFirst();
}

export async function deleteCode(db: Db, channelId: string): Promise<void> {
  await db.deleteFrom('channel_codes').where('channel_id', '=', channelId).execute();
}
