/**
 * Returns what changed for a user since their last sync. A client that only syncs has exactly the tasks
 * that a full read would show. No change is missed: the next `since` lies before every transaction that
 * is still open. A change may be returned twice, which does no harm.
 */
import type { Db } from '../../db/schema.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { currentPlans } from '../current-plans.ts';
import type { Task } from '../task-state.ts';
import { listRemovedSince, listVisibleSince, readHorizon } from './sync.store.ts';

/** Removals are kept this long. A client that last synced before that gets a reset with all tasks. */
const REMOVALS_KEPT_MS = 90 * 86_400_000;

export interface Changes {
  readonly tasks: Task[];
  readonly removed: string[];
  readonly serverTime: Date;
  /** The client must discard its tasks: `tasks` contains all of them. */
  readonly reset: boolean;
}

export class SyncService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Reads the horizon before the changes: a change that commits in between is returned now, next time, or both. */
  async changesSince(caller: Caller, since: Date | undefined): Promise<Changes> {
    const { now, horizon } = await readHorizon(this.#db);
    if (since === undefined || now.getTime() - since.getTime() > REMOVALS_KEPT_MS) {
      return {
        tasks: await this.#listVisible(caller, undefined),
        removed: [],
        serverTime: horizon,
        reset: true,
      };
    }
    if (since > now) return { tasks: [], removed: [], serverTime: horizon, reset: false };
    return {
      tasks: await this.#listVisible(caller, since),
      removed: await listRemovedSince(this.#db, caller, since),
      serverTime: horizon,
      reset: false,
    };
  }

  async #listVisible(caller: Caller, since: Date | undefined): Promise<Task[]> {
    return currentPlans(this.#db, await listVisibleSince(this.#db, caller, since), this.#clock.now());
  }
}
