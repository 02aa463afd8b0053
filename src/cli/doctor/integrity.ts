/** Checks the SQLite file for damage. */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { stopwatch } from '../../lib/clock.ts';
import { withoutHeading } from '../sqlite-checks.ts';
import { type Check, type Finding, fault, fine, reasonOf } from './check.ts';
import { isPermissionError, withDatabase } from './database.ts';
import { isOnReadOnlyDisk } from './folder.ts';

/** No further table is started after this time, so that a large database does not delay the doctor. */
const MAX_CHECK_MS = 20_000;

const integrity: Check = {
  name: 'integrity',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  limitMs: 120_000,
  run: async (context, signal) => {
    const { DATABASE_URL } = context.config;
    if (DATABASE_URL.engine === 'postgres') return undefined;
    return withDatabase(context, (db) => checkTables(db, signal)).catch((error: unknown) =>
      // The check of the database says why it cannot be opened.
      isPermissionError(error) || isOnReadOnlyDisk(DATABASE_URL.file) ? undefined : describeFailure(error),
    );
  },
};

async function checkTables(db: Db, signal: AbortSignal): Promise<Finding> {
  const elapsedMs = stopwatch();
  const { rows: tables } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db);
  let checked = 0;
  for (const { name } of tables) {
    if (elapsedMs() > MAX_CHECK_MS || signal.aborted) break;
    const { rows } = await sql<{ quick_check: string }>`select * from pragma_quick_check(${name})`.execute(db);
    const damage = rows.map((row) => row.quick_check).find((line) => line !== 'ok');
    if (damage !== undefined) {
      const [first = ''] = withoutHeading(damage).split('\n');
      return fault(`the file is damaged: ${first}`, 'Restore a backup, and check the disk.');
    }
    checked += 1;
    // Each check blocks the thread; the pause lets timers and signals run.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (checked === tables.length) return fine(`all ${checked} tables are intact`);
  return fine(`${checked} of ${tables.length} tables are intact; the file is too large to check the others in time`);
}

const describeFailure = (error: unknown): Finding =>
  fault(
    `the file could not be checked: ${reasonOf(error)}`,
    'If it is the SQLite database of Crescendo, restore a backup.',
  );

export const integrityChecks: readonly Check[] = [integrity];
