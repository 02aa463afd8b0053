/**
 * Spaces: groups whose members see each other's accepted tasks. Only members know that a space
 * exists. What becomes of a leaver's tasks is the tasks' own affair and arrives as a follower.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import {
  deleteMember,
  findRole,
  insertMember,
  insertSpace,
  listMembers,
  listOwnedSpaceIds,
  listSpacesOf,
  lockMember,
  lockSpace,
  type Member,
  promoteOldest,
  type Role,
  type Space,
} from './spaces.store.ts';

export interface SpaceFollower {
  /** Inside the transaction, while the leaver is still a member. */
  memberLeaving(trx: Kysely<Database>, spaceId: string, userId: string): Promise<void>;
}

export class SpacesService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #follower: SpaceFollower;

  constructor(db: Kysely<Database>, clock: Clock, follower: SpaceFollower) {
    this.#db = db;
    this.#clock = clock;
    this.#follower = follower;
  }

  async create({ userId }: SessionCaller, name: string): Promise<Space> {
    const now = this.#clock.now();
    const space = { id: newId(), name, creator_id: userId, created_at: now };
    await transact(this.#db, async (trx) => {
      await insertSpace(trx, space);
      await insertMember(trx, { space_id: space.id, user_id: userId, role: 'owner', joined_at: now });
    });
    return space;
  }

  async list({ userId }: SessionCaller): Promise<Space[]> {
    return listSpacesOf(this.#db, userId);
  }

  async members(caller: SessionCaller, spaceId: string): Promise<Member[]> {
    await this.roleOf(this.#db, caller, spaceId);
    return listMembers(this.#db, spaceId);
  }

  /** Throws for whoever is no member: to them there is no such space. */
  async roleOf(db: Kysely<Database>, { userId }: SessionCaller, spaceId: string): Promise<Role> {
    const role = await findRole(db, spaceId, userId);
    if (!role) throw new AppError('not_found', { sentence: 'There is no such space.' });
    return role;
  }

  async leave(caller: SessionCaller, spaceId: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      await lockSpace(trx, spaceId);
      await lockMember(trx, spaceId, caller.userId);
      await this.roleOf(trx, caller, spaceId);
      await this.#follower.memberLeaving(trx, spaceId, caller.userId);
      await deleteMember(trx, spaceId, caller.userId);
      await promoteOldest(trx, spaceId);
    });
  }

  /** Deletion is not leaving: spaces stay, but none is left without someone who can look after it. */
  async forgetAccount(trx: Kysely<Database>, userId: string): Promise<void> {
    for (const spaceId of await listOwnedSpaceIds(trx, userId)) {
      await lockSpace(trx, spaceId);
      await deleteMember(trx, spaceId, userId);
      await promoteOldest(trx, spaceId);
    }
  }
}
