import { type Selectable, sql } from 'kysely';
import { countRows } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type Space = Selectable<Database['spaces']>;
export type Role = 'owner' | 'member';

export interface Member {
  readonly user_id: string;
  readonly role: string;
  readonly display_name: string | null;
}

const changedNow = sql<Date>`crescendo_now()`;

export async function insertSpace(trx: Db, space: Space): Promise<void> {
  await trx.insertInto('spaces').values(space).execute();
}

export async function updateSpaceName(trx: Db, id: string, name: string): Promise<Space> {
  return trx.updateTable('spaces').set({ name }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Does nothing if the user is already a member. */
export async function insertMember(
  trx: Db,
  member: { space_id: string; user_id: string; role: Role; joined_at: Date },
): Promise<void> {
  await trx
    .insertInto('space_members')
    .values({ ...member, changed_at: changedNow })
    .onConflict((conflict) => conflict.columns(['space_id', 'user_id']).doNothing())
    .execute();
}

export async function listSpacesOf(db: Db, userId: string): Promise<Space[]> {
  return db
    .selectFrom('spaces')
    .innerJoin('space_members', 'space_members.space_id', 'spaces.id')
    .selectAll('spaces')
    .where('space_members.user_id', '=', userId)
    .orderBy('space_members.joined_at')
    .orderBy('spaces.id')
    .execute();
}

/** Counts the spaces of a user. Locks the account, so that concurrent counts run one after another. */
export async function countSpacesOf(trx: Db, userId: string): Promise<number> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  return countRows(trx.selectFrom('space_members').where('user_id', '=', userId));
}

export async function countMembers(trx: Db, spaceId: string): Promise<number> {
  return countRows(trx.selectFrom('space_members').where('space_id', '=', spaceId));
}

export async function getSpace(db: Db, id: string): Promise<Space> {
  return db.selectFrom('spaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function findRole(db: Db, spaceId: string, userId: string): Promise<Role | undefined> {
  const member = db.selectFrom('space_members').where('space_id', '=', spaceId).where('user_id', '=', userId);
  return (await member.select('role').executeTakeFirst())?.role as Role | undefined;
}

export async function listMembers(db: Db, spaceId: string): Promise<Member[]> {
  return db
    .selectFrom('space_members')
    .innerJoin('users', 'users.id', 'space_members.user_id')
    .select(['space_members.user_id', 'space_members.role', 'users.display_name'])
    .where('space_members.space_id', '=', spaceId)
    .orderBy('space_members.joined_at')
    .orderBy('space_members.user_id')
    .execute();
}

/** Waits for transactions in which this member adds a task to the space. */
export async function lockMember(trx: Db, spaceId: string, userId: string): Promise<void> {
  await trx
    .selectFrom('space_members')
    .select('role')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();
}

/** Anyone joining or leaving the space waits until the transaction ends. */
export async function lockSpace(trx: Db, spaceId: string): Promise<void> {
  await trx.selectFrom('spaces').select('id').where('id', '=', spaceId).forUpdate().execute();
}

export async function deleteMember(trx: Db, spaceId: string, userId: string): Promise<void> {
  await trx.deleteFrom('space_members').where('space_id', '=', spaceId).where('user_id', '=', userId).execute();
}

/** `leftAt` is real time, because it is compared with the creation of invites. */
export async function upsertDeparture(trx: Db, spaceId: string, userId: string, leftAt: Date): Promise<void> {
  await trx
    .insertInto('space_departures')
    .values({ space_id: spaceId, user_id: userId, left_at: leftAt })
    .onConflict((conflict) => conflict.columns(['space_id', 'user_id']).doUpdateSet({ left_at: leftAt }))
    .execute();
}

export async function findDeparture(db: Db, spaceId: string, userId: string): Promise<Date | undefined> {
  const departure = db.selectFrom('space_departures').where('space_id', '=', spaceId).where('user_id', '=', userId);
  return (await departure.select('left_at').executeTakeFirst())?.left_at;
}

/** If the space has no owner left, the longest-standing member becomes one. A space without members loses its name. */
export async function ensureOwner(trx: Db, spaceId: string): Promise<void> {
  const members = await trx
    .selectFrom('space_members')
    .select(['user_id', 'role'])
    .where('space_id', '=', spaceId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .execute();
  const [longest] = members;
  if (!longest) {
    await trx.updateTable('spaces').set({ name: '' }).where('id', '=', spaceId).execute();
    return;
  }
  if (members.some(({ role }) => role === 'owner')) return;
  await trx
    .updateTable('space_members')
    .set({ role: 'owner' })
    .where('space_id', '=', spaceId)
    .where('user_id', '=', longest.user_id)
    .execute();
}

export async function listOwnedSpaceIds(trx: Db, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('space_members')
    .select('space_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .orderBy('space_id')
    .execute();
  return rows.map(({ space_id }) => space_id);
}
