/**
 * On SQLite the moments of sync never go back, even if the machine's clock does. A client that synced while the clock
 * was ahead sends that moment with its next sync, and would miss changes that the corrected clock stamps with earlier
 * moments. So while the clock shows an earlier time, changes are stamped with the latest moment that sync gave out.
 *
 * This survives a restart: sync stores a moment before it gives it out, some seconds ahead, so that few syncs write.
 * On PostgreSQL the server's clock stamps changes, and an operator must not set it back.
 */
import { sql } from 'kysely';
import { findFact, raiseFact } from '../installation.ts';
import { type Db, isPostgres } from '../schema.ts';

/** After a restart the stamps are this far ahead at most. */
const STORED_AHEAD_MS = 10_000;
/** How far back a client is told that names no earlier moment, if nothing can be stored. A clock is hardly set back by more. */
const FIRST_BACK_MS = 86_400_000;

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

  /**
   * The moment that a client may be told. A full disk must not stop reads: if this moment cannot be stored, it is an
   * earlier one, and the client reads some changes twice. `given`: what it was told last.
   */
  async give(moment: Date, given?: Date): Promise<Date> {
    if (isPostgres(this.#db) || moment.getTime() <= this.#storedUntilMs) return moment;
    const until = new Date(moment.getTime() + STORED_AHEAD_MS);
    try {
      await raiseFact(this.#db, 'sync_given_until', until.toISOString(), moment);
      this.#storedUntilMs = until.getTime();
      return moment;
    } catch {
      const knownMs = Math.max(this.#storedUntilMs, given?.getTime() ?? moment.getTime() - FIRST_BACK_MS);
      return new Date(Math.min(moment.getTime(), knownMs));
    }
  }
}
