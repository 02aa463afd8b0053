/**
 * On SQLite the moments of sync never go back, even if the machine's clock does. A client that synced while the clock ran
 * ahead comes back with that moment, and would miss every change that the corrected clock stamps with an earlier one. So
 * changes are stamped with the latest moment that was given out for as long as the clock shows an earlier one.
 *
 * A restart keeps it: a moment is stored before a sync gives it out, some seconds in advance, so that few syncs write.
 * On PostgreSQL the server's clock stamps changes, and an operator must not set it back.
 */
import { sql } from 'kysely';
import { findFact, raiseFact } from '../installation.ts';
import { type Db, isPostgres } from '../schema.ts';

/** After a restart the stamps are this far ahead at most. */
const STORED_AHEAD_MS = 10_000;

/** Must run before the first change is stamped. */
export async function restoreGivenMoments(db: Db): Promise<void> {
  if (isPostgres(db)) return;
  const latest = await findFact(db, 'sync_given_until');
  if (latest) await sql`select crescendo_raise(${new Date(latest.value)})`.execute(db);
}

export class GivenMoments {
  readonly #db: Db;
  #storedUntilMs = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The caller awaits it before it tells a client this moment. */
  async store(moment: Date): Promise<void> {
    if (isPostgres(this.#db) || moment.getTime() <= this.#storedUntilMs) return;
    const until = new Date(moment.getTime() + STORED_AHEAD_MS);
    try {
      await raiseFact(this.#db, 'sync_given_until', until.toISOString(), moment);
      this.#storedUntilMs = until.getTime();
    } catch {
      // A disk that is full must not stop reads. The next sync tries again, and only a clock that is set back needs it.
    }
  }
}
