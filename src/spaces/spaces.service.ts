/**
 * Spaces: groups whose members see each other's accepted tasks. To non-members a space does not exist.
 * A listener, which the tasks provide, handles the tasks of a member who leaves or is removed.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { revokeInvitesOf } from './invites.store.ts';
import {
  countSpacesOf,
  deleteMember,
  ensureOwner,
  findRole,
  insertMember,
  insertSpace,
  listMembers,
  listOwnedSpaceIds,
  listSpacesOf,
  lockMember,
  lockSpace,
  type Member,
  type Role,
  type Space,
  updateSpaceName,
  upsertDeparture,
} from './spaces.store.ts';

/** A list of spaces, and sync, read all spaces of a member. */
const MAX_SPACES = 100;

export interface SpaceListener {
  /** Runs inside the transaction, while the user is still a member. */
  memberLeaving(trx: Db, spaceId: string, userId: string): Promise<void>;
  /** Runs after the commit. */
  memberLeft(): void;
}

export const noSuchSpace = () => new AppError('not_found', { sentence: 'There is no such space.' });

export class SpacesService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wallClock: Clock;
  readonly #listener: SpaceListener;

  /** `wallClock` is real time, in which invites are made and expire. */
  constructor(db: Db, clock: Clock, wallClock: Clock, listener: SpaceListener) {
    this.#db = db;
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#listener = listener;
  }

  async create({ userId }: SessionCaller, name: string): Promise<Space> {
    const now = this.#clock.now();
    const space = { id: newId(), name, creator_id: userId, created_at: now };
    await transact(this.#db, async (trx) => {
      await this.checkSpaceLimit(trx, userId);
      await insertSpace(trx, space);
      await insertMember(trx, { space_id: space.id, user_id: userId, role: 'owner', joined_at: now });
      announce(trx, [userId]);
    });
    return space;
  }

  async list({ userId }: SessionCaller): Promise<Space[]> {
    return listSpacesOf(this.#db, userId);
  }

  async rename(caller: SessionCaller, spaceId: string, name: string): Promise<Space> {
    return transact(this.#db, async (trx) => {
      // If the owner is leaving at the same moment, the space is renamed before that or not at all.
      await lockSpace(trx, spaceId);
      if ((await this.getRole(trx, caller, spaceId)) !== 'owner') throw new AppError('not_allowed');
      announce(trx, [spaceId]);
      return updateSpaceName(trx, spaceId, name);
    });
  }

  async members(caller: SessionCaller, spaceId: string): Promise<Member[]> {
    await this.getRole(this.#db, caller, spaceId);
    return listMembers(this.#db, spaceId);
  }

  /** Throws not_found for a non-member. */
  async getRole(db: Db, { userId }: SessionCaller, spaceId: string): Promise<Role> {
    const role = await findRole(db, spaceId, userId);
    if (!role) throw noSuchSpace();
    return role;
  }

  /** Runs before the user joins a space, and locks the account until the transaction ends. */
  async checkSpaceLimit(trx: Db, userId: string): Promise<void> {
    if ((await countSpacesOf(trx, userId)) >= MAX_SPACES) throw new AppError('too_many_spaces');
  }

  async leave(caller: SessionCaller, spaceId: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      await lockSpace(trx, spaceId);
      await lockMember(trx, spaceId, caller.userId);
      await this.getRole(trx, caller, spaceId);
      await this.#endMembership(trx, spaceId, caller.userId);
    });
    this.#listener.memberLeft();
  }

  /**
   * Also revokes the removed person's open invites: they could use one to return with another account.
   * An owner who removes themself leaves.
   */
  async removeMember(caller: SessionCaller, spaceId: string, userId: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      await lockSpace(trx, spaceId);
      await lockMember(trx, spaceId, userId);
      if ((await this.getRole(trx, caller, spaceId)) !== 'owner') throw new AppError('not_allowed');
      if (!(await findRole(trx, spaceId, userId)))
        throw new AppError('not_found', { sentence: 'There is no such member.' });
      if (userId !== caller.userId) await revokeInvitesOf(trx, spaceId, userId);
      await this.#endMembership(trx, spaceId, userId);
    });
    this.#listener.memberLeft();
  }

  async #endMembership(trx: Db, spaceId: string, userId: string): Promise<void> {
    await this.#listener.memberLeaving(trx, spaceId, userId);
    await deleteMember(trx, spaceId, userId);
    await upsertDeparture(trx, spaceId, userId, this.#wallClock.now());
    await ensureOwner(trx, spaceId);
    announce(trx, [userId, spaceId]);
  }

  /** Deleting an account is not leaving: its spaces stay, and each that has members left keeps an owner. */
  async forgetAccount(trx: Db, userId: string): Promise<void> {
    const spaces = await listSpacesOf(trx, userId);
    announce(
      trx,
      spaces.map(({ id }) => id),
    );
    for (const spaceId of await listOwnedSpaceIds(trx, userId)) {
      await lockSpace(trx, spaceId);
      await deleteMember(trx, spaceId, userId);
      await ensureOwner(trx, spaceId);
    }
  }
}
