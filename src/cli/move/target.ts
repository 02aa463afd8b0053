/**
 * Decides whether a PostgreSQL database may receive the copy: it must be empty, and no service may use it. Rows of two
 * databases are never mixed.
 */
import { applyMigrations } from '../../db/migrate.ts';
import { countOtherSessions } from '../../db/postgres/postgres-sessions.ts';
import type { Db } from '../../db/schema.ts';
import { listTables } from '../../db/unusable-database.ts';
import type { Clock } from '../../lib/clock.ts';
import { CommandError } from '../command.ts';
import type { Table } from './canonical-row.ts';
import { hasRows, readTime, truncateTables } from './target.store.ts';

/** What is not copied: each database has its own migrations and its own processes. */
export const isOfDatabase = (table: string): boolean => table.startsWith('kysely_') || table === 'processes';

/** A service that was started and never used has rows in these tables only. */
const FILLED_AT_START = ['releases', 'sealing_keys', 'installation'];

/** Creates the tables, which stay if the copy fails: a database with empty tables still counts as empty. */
export async function prepareTables(db: Db, tables: readonly Table[], version: string): Promise<void> {
  const names = tables.map(({ name }) => name);
  const present = await listTables(db);
  const foreign = present.find((name) => !names.includes(name) && !isOfDatabase(name));
  if (foreign !== undefined)
    throw new CommandError(`URL: the database already has a table "${foreign}". Use an empty database.`);
  // Before the migrations, which would change the tables of a service.
  const existing = names.filter((name) => present.includes(name));
  await refuseRows(db, existing);
  await applyMigrations(db, { version });
  const migrated = await listTables(db);
  const extra = names.find((name) => !migrated.includes(name));
  if (extra !== undefined)
    throw new CommandError(`The SQLite database has a table "${extra}" that is not Crescendo's. Remove it first.`);
}

/** Begins the transaction of the copy. */
export async function occupyTables(trx: Db, tables: readonly Table[]): Promise<void> {
  // The copy replaces these rows. The lock that this takes keeps a service from starting there before the copy ends.
  await truncateTables(trx, FILLED_AT_START);
  if ((await countOtherSessions(trx)) > 0)
    throw new CommandError('URL: a Crescendo service is using this database. Stop it first.');
  const names = tables.map(({ name }) => name);
  await refuseRows(trx, names);
}

async function refuseRows(db: Db, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (!FILLED_AT_START.includes(name) && (await hasRows(db, name)))
      throw new CommandError(`URL: the database already has rows in "${name}". Use an empty database.`);
  }
}

/** A clock this far behind is set wrong and not worth waiting for. */
const MAX_BEHIND_MS = 60_000;

/**
 * Waits until PostgreSQL's clock has passed the moment at which the old service was stopped. Sync cursors are
 * database time, and clients hold cursors from the old clock: a change that PostgreSQL stamps with an earlier
 * time would never be synced to them.
 */
export async function waitForClock(db: Db, stoppedAt: Date, clock: Clock, signal: AbortSignal): Promise<void> {
  const behindMs = stoppedAt.getTime() - (await readTime(db)).getTime();
  if (behindMs > MAX_BEHIND_MS) {
    throw new CommandError(
      `PostgreSQL's clock is ${Math.round(behindMs / 1_000)} s behind this machine's clock. Correct one of them first.`,
    );
  }
  if (behindMs >= 0) await clock.sleepUntil(new Date(clock.now().getTime() + behindMs + 1), signal);
}
