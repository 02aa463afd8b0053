/**
 * What changed for a user since they last asked. A client that only ever syncs ends with exactly
 * what a full read would show: nothing that commits while an answer is made is ever missed, since
 * the next `since` lies before anything still under way. What is told twice does no harm.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import {
  forgetAssigner,
  listOtherViewers,
  listRemovedSince,
  listVisibleSince,
  readHorizon,
  recordRemovals,
} from './sync.store.ts';
import type { Task } from './task-state.ts';

/** Removals are kept this long; whoever stayed away longer is told everything anew. */
const KEPT_MS = 90 * 86_400_000;

export interface Changes {
  readonly tasks: Task[];
  readonly removed: string[];
  readonly serverTime: Date;
  /** The client must forget what it has: this is everything. */
  readonly reset: boolean;
}

export class SyncService {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** The horizon is read before the changes: what commits in between is told now or again next time. */
  async changesSince(caller: Caller, since: Date | undefined): Promise<Changes> {
    const { now, horizon } = await readHorizon(this.#db);
    if (since === undefined || now.getTime() - since.getTime() > KEPT_MS) {
      return {
        tasks: await listVisibleSince(this.#db, caller, undefined),
        removed: [],
        serverTime: horizon,
        reset: true,
      };
    }
    if (since > now) return { tasks: [], removed: [], serverTime: horizon, reset: false };
    const [tasks, removed] = [
      await listVisibleSince(this.#db, caller, since),
      await listRemovedSince(this.#db, caller, since),
    ];
    return { tasks, removed, serverTime: horizon, reset: false };
  }

  /** Before an account is deleted: others are told what they will no longer see, and what no longer names it. */
  async forgetAccount(trx: Kysely<Database>, userId: string): Promise<void> {
    await recordRemovals(trx, await listOtherViewers(trx, userId));
    await forgetAssigner(trx, userId);
  }
}
