/**
 * Notices that a newer release has changed the tables while this process runs.
 *
 * Guarantees: a transaction that claims work after `hold` runs on the tables that this release knows until its end,
 * because a migration waits for it; and a statement with `knowsTables` finds nothing on newer tables. So from the commit of
 * the migration on, this process takes no work, and the processes of the newer release find all of it.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from '../lib/logger.ts';
import { sendTogether } from './batch.ts';
import { migrations } from './migrations/index.ts';
import { preparedQuery } from './prepared.ts';
import { type Db, isPostgres } from './schema.ts';

/** Thrown inside a transaction, so that it claims nothing. */
export class TablesChangeError extends Error {
  override readonly name = 'TablesChangeError';
}

/** The lock that Kysely takes while it migrates. */
const MIGRATION_LOCK = '3853314791062309107';

export const newestOf = (known: object): string => Object.keys(known).toSorted().at(-1) ?? '';

/** Migrations run in the order of their names. */
const newerThan = preparedQuery((db, newest: string) => ({
  compile: () => sql<{ name: string }>`select name from kysely_migration where name > ${newest} limit 1`.compile(db),
}));

/** A condition for a statement that takes work by itself. */
export const knowsTables = (newest: string): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from kysely_migration where name > ${newest})`;

export class SchemaWatch {
  readonly newest: string;
  readonly #logger: Logger;
  #newer: string | undefined;

  constructor(logger: Logger, known: object = migrations) {
    this.#logger = logger;
    this.newest = newestOf(known);
  }

  /** Whether a newer release has changed the tables. Stays true: only a restart with that release helps. */
  get isOutdated(): boolean {
    return this.#newer !== undefined;
  }

  async check(db: Db): Promise<void> {
    this.#note((await db.executeQuery(newerThan(db, this.newest))).rows);
  }

  /** Call this first in a transaction that claims work. Throws if the tables have changed or are about to. */
  async hold(trx: Db): Promise<void> {
    if (!isPostgres(trx)) await this.check(trx);
    else {
      const lock = sql<{
        is_free: boolean;
      }>`select pg_try_advisory_xact_lock_shared(${sql.raw(MIGRATION_LOCK)}) as is_free`;
      const [locked, newer] = await sendTogether(trx, lock.compile(trx), newerThan(trx, this.newest));
      this.#note(newer);
      // The lock is not free while a migration waits or runs.
      if (!locked[0]?.is_free) throw new TablesChangeError('A migration is under way.');
    }
    if (this.isOutdated) throw new TablesChangeError('A newer release has changed the tables.');
  }

  #note([newer]: readonly { readonly name: string }[]): void {
    if (!newer || this.isOutdated) return;
    this.#newer = newer.name;
    this.#logger.error(
      { migration: newer.name },
      'a newer release has changed the database: this process sends no more nudges and refuses requests; restart it with that release',
    );
  }
}

export type Work = (signal: AbortSignal) => Promise<Date | null>;

/** A loop that meets the tables of a newer release works on nothing more; what it has sent is still stored. */
export const whileTablesAreKnown =
  (schema: SchemaWatch, work: Work): Work =>
  async (signal) => {
    try {
      return schema.isOutdated ? null : await work(signal);
    } catch (error) {
      if (error instanceof TablesChangeError) return null;
      throw error;
    }
  };
