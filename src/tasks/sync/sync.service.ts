/**
 * Returns what changed for a user since their last sync. A client that only syncs has exactly the tasks
 * that a full read would show. No change is missed: the next `since` lies before every transaction that
 * is still open. A change may be returned twice, which does no harm.
 */

import type { Db } from '../../db/schema.ts';
import { GivenMoments } from '../../db/sqlite/given-moments.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Pages, readInPages, sortInTurns } from '../../lib/pages.ts';
import { listOwnIdsInTurns, type ShownTask } from '../shown-tasks.store.ts';
import { readTasks } from '../task-list.ts';
import { listIdsOfOthers, listUnseen, readChangedIds, readHorizon } from './sync.store.ts';

/** Removals are kept this long. A client that last synced before that gets a reset with all tasks. */
const REMOVALS_KEPT_MS = 90 * 86_400_000;

/**
 * True if `since` is too long ago, or a little in the future. In the second case the database's clock was ahead when it
 * gave out that moment, and later changes have earlier stamps. Sync never gave out a moment further ahead.
 */
function isLost(since: Date, now: Date): boolean {
  const ageMs = now.getTime() - since.getTime();
  return ageMs > REMOVALS_KEPT_MS || (ageMs < 0 && ageMs > -REMOVALS_KEPT_MS);
}

export interface Changes {
  readonly tasks: Pages<ShownTask>;
  readonly removed: Pages<string>;
  readonly serverTime: Date;
  /** The client must discard its tasks: `tasks` contains all of them. */
  readonly reset: boolean;
}

export class SyncService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #givenMoments: GivenMoments;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#givenMoments = new GivenMoments(db);
  }

  /**
   * Reads the horizon first, then the ids, then the pages: a change that commits in between is returned now, next time,
   * or both. A task that the caller stopped seeing meanwhile is left out now, and reported as removed next time.
   */
  async changesSince(caller: Caller, since: Date | undefined): Promise<Changes> {
    if (since === undefined) return this.#reset(caller);
    const { horizon, changed, removed } = await readChangedIds(this.#db, caller, since);
    if (isLost(since, horizon.now)) return this.#reset(caller);
    const serverTime = await this.#givenMoments.give(horizon.horizon, since);
    const none = { first: [] };
    const isAhead = since > horizon.now;
    return {
      tasks: isAhead ? none : await this.#read(caller, changed),
      removed: isAhead ? none : await this.#readUnseen(caller, removed),
      serverTime,
      reset: false,
    };
  }

  async #reset(caller: Caller): Promise<Changes> {
    const { horizon } = await readHorizon(this.#db);
    const serverTime = await this.#givenMoments.give(horizon);
    const own = await listOwnIdsInTurns(this.#db, caller.userId);
    // A token sees only its user's own tasks. A task that changes meanwhile is in the next sync.
    const others = caller.kind === 'token' ? [] : await listIdsOfOthers(this.#db, caller.userId);
    const tasks = await this.#read(caller, [...own, ...others]);
    return { tasks, removed: { first: [] }, serverTime, reset: true };
  }

  async #read(caller: Caller, ids: readonly string[]): Promise<Pages<ShownTask>> {
    const sorted = await sortInTurns(ids);
    return readInPages(sorted, (page) => readTasks(this.#db, caller, page, this.#clock.now()));
  }

  async #readUnseen(caller: Caller, ids: readonly string[]): Promise<Pages<string>> {
    const sorted = await sortInTurns(ids);
    return readInPages(sorted, async (page) => ({ first: await listUnseen(this.#db, caller, page) }));
  }
}
