/**
 * Returns what changed for a user since their last sync. A client that only syncs has exactly the tasks
 * that a full read would show. No change is missed: the next `since` lies before every transaction that
 * is still open. A change may be returned twice, which does no harm.
 */
import type { Db } from '../../db/schema.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Pages, readInPages, sortInTurns } from '../../lib/pages.ts';
import type { ShownTask } from '../shown-tasks.store.ts';
import { readTasks } from '../task-list.ts';
import { listRemovedIdsSince, listUnseen, listVisibleIds, listVisibleIdsSince, readHorizon } from './sync.store.ts';

/** Removals are kept this long. A client that last synced before that gets a reset with all tasks. */
const REMOVALS_KEPT_MS = 90 * 86_400_000;

/**
 * Too long ago, or a little in the future: the clock of the database was ahead when it gave out that moment, and
 * changes made since it was set back have earlier stamps. A moment further ahead was never ours.
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

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Reads the horizon before the ids, and those before the pages: a change that commits in between is returned
   * now, next time, or both. A task that the caller stopped seeing by then is left out, and removed next time.
   */
  async changesSince(caller: Caller, since: Date | undefined): Promise<Changes> {
    const { now, horizon: serverTime } = await readHorizon(this.#db);
    const none = { first: [] };
    const reset = since === undefined || isLost(since, now);
    if (reset) return { tasks: await this.#tasksSince(caller, undefined), removed: none, serverTime, reset };
    if (since > now) return { tasks: none, removed: none, serverTime, reset };
    const tasks = await this.#tasksSince(caller, since);
    return { tasks, removed: await this.#removedSince(caller, since), serverTime, reset };
  }

  async #tasksSince(caller: Caller, since: Date | undefined): Promise<Pages<ShownTask>> {
    const changed = since ? listVisibleIdsSince(this.#db, caller, since) : listVisibleIds(this.#db, caller);
    const ids = await sortInTurns(await changed);
    return readInPages(ids, (page) => readTasks(this.#db, caller, page, this.#clock.now()));
  }

  async #removedSince(caller: Caller, since: Date): Promise<Pages<string>> {
    const ids = await sortInTurns(await listRemovedIdsSince(this.#db, caller, since));
    return readInPages(ids, async (page) => ({ first: await listUnseen(this.#db, caller, page) }));
  }
}
