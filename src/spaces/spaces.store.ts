import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Space = Selectable<Database['spaces']>;
export type Role = 'owner' | 'member';

export interface Member {
  readonly user_id: string;
  readonly role: string;
  readonly display_name: string | null;
}

const changedNow = sql<Date>`crescendo_now()`;

export async function insertSpace(trx: Kysely<Database>, space: Space): Promise<void> {
  await trx.insertInto('spaces').values(space).execute();
}

/** False where the person is a member already. */
export async function insertMember(
  trx: Kysely<Database>,
  member: { space_id: string; user_id: string; role: Role; joined_at: Date },
): Promise<boolean> {
  const inserted = await trx
    .insertInto('space_members')
    .values({ ...member, changed_at: changedNow })
    .onConflict((conflict) => conflict.columns(['space_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function listSpacesOf(db: Kysely<Database>, userId: string): Promise<Space[]> {
  return db
    .selectFrom('spaces')
    .innerJoin('space_members', 'space_members.space_id', 'spaces.id')
    .selectAll('spaces')
    .where('space_members.user_id', '=', userId)
    .orderBy('space_members.joined_at')
    .orderBy('spaces.id')
    .execute();
}

export async function getSpace(db: Kysely<Database>, id: string): Promise<Space> {
  return db.selectFrom('spaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function findRole(db: Kysely<Database>, spaceId: string, userId: string): Promise<Role | undefined> {
  const member = await db
    .selectFrom('space_members')
    .select('role')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return member?.role as Role | undefined;
}

export async function listMembers(db: Kysely<Database>, spaceId: string): Promise<Member[]> {
  return db
    .selectFrom('space_members')
    .innerJoin('users', 'users.id', 'space_members.user_id')
    .select(['space_members.user_id', 'space_members.role', 'users.display_name'])
    .where('space_members.space_id', '=', spaceId)
    .orderBy('space_members.joined_at')
    .orderBy('space_members.user_id')
    .execute();
}

/** Whoever is just adding a task to the space as this member finishes first. */
export async function lockMember(trx: Kysely<Database>, spaceId: string, userId: string): Promise<void> {
  await trx
    .selectFrom('space_members')
    .select('role')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();
}

/** Everyone who enters or leaves the space waits until the transaction is over. */
export async function lockSpace(trx: Kysely<Database>, spaceId: string): Promise<void> {
  await trx.selectFrom('spaces').select('id').where('id', '=', spaceId).forUpdate().execute();
}

export async function deleteMember(trx: Kysely<Database>, spaceId: string, userId: string): Promise<void> {
  await trx.deleteFrom('space_members').where('space_id', '=', spaceId).where('user_id', '=', userId).execute();
}

/** Where no owner is left, the member who has been there longest becomes one. */
export async function promoteOldest(trx: Kysely<Database>, spaceId: string): Promise<void> {
  const members = await trx
    .selectFrom('space_members')
    .select(['user_id', 'role'])
    .where('space_id', '=', spaceId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .execute();
  const [oldest] = members;
  if (!oldest || members.some(({ role }) => role === 'owner')) return;
  await trx
    .updateTable('space_members')
    .set({ role: 'owner' })
    .where('space_id', '=', spaceId)
    .where('user_id', '=', oldest.user_id)
    .execute();
}

export async function listOwnedSpaceIds(trx: Kysely<Database>, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('space_members')
    .select('space_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .orderBy('space_id')
    .execute();
  return rows.map(({ space_id }) => space_id);
}
