/**
 * The owner of a new task, and whether the account has room for it.
 *
 * On PostgreSQL the process remembers the settings of owners who created a task before. The transaction plans by them
 * without waiting for the database, and sends the expectation that they are unchanged and that no limit is near. If the
 * expectation fails, the database ends the transaction before it has written anything; it runs again and reads the
 * settings. So a create takes one round trip, and no task is ever stored with a plan by outdated settings.
 */

import { type Db, isPostgres } from '../db/schema.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Counts } from './task-counts.sql.ts';
import { expectOwner, lockOwnerOfNewTask, type Owner, type Room } from './tasks.store.ts';

/** Each takes about 1 KB. */
const MOST_KNOWN = 5_000;

export class NewTaskOwners {
  /** The settings as last read. Outdated entries stay: each use expects its entry to be unchanged. */
  readonly #known = new BoundedMap<string, Owner>(MOST_KNOWN);

  /**
   * Locks the owner until the transaction ends. Returns no counts if the account certainly has room. The returned
   * counts are not locked: concurrent transactions may each add to them. `mayExpect` is false if an attempt has failed.
   */
  async lock(
    trx: Db,
    id: string,
    room: Room,
    mayExpect: boolean,
  ): Promise<{ readonly owner: Owner | undefined; readonly counts: Counts | undefined }> {
    const known = mayExpect ? this.#known.get(id) : undefined;
    if (known) {
      await expectOwner(trx, known, room);
      return { owner: known, counts: undefined };
    }
    const { owner, counts } = await lockOwnerOfNewTask(trx, id);
    this.#known.delete(id);
    // Close to a limit, each expectation would fail. SQLite has no round trips to save.
    if (isPostgres(trx) && owner && counts && hasRoom(counts, room)) this.#known.set(owner.id, owner);
    return { owner, counts };
  }
}

const hasRoom = (counts: Counts, { open, stored, outcomes }: Room): boolean =>
  counts.open <= open && counts.stored <= stored && counts.done + counts.skipped <= outcomes;
