/** Whether the file of the embedded database is whole. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { stopwatch } from '../../lib/clock.ts';
import { withoutHeading } from '../backup/soundness.ts';
import { type Check, type Finding, fault, fine, reasonOf } from './check.ts';
import { isForbidden, withDatabase } from './database.ts';

/** One table after the other, so that a large database ends the look and not the patience. */
const MOST_CHECK_MS = 20_000;

const integrity: Check = {
  name: 'integrity',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  limitMs: 120_000,
  look: async (patient, signal) => {
    if (patient.config.DATABASE_URL.engine === 'postgres') return undefined;
    return withDatabase(patient, (db) => lookForDamage(db, signal)).catch(describeDamage);
  },
};

async function lookForDamage(db: Kysely<Database>, signal: AbortSignal): Promise<Finding> {
  const elapsedMs = stopwatch();
  const { rows: tables } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db);
  let looked = 0;
  for (const { name } of tables) {
    if (elapsedMs() > MOST_CHECK_MS || signal.aborted) break;
    const { rows } = await sql<{ quick_check: string }>`select * from pragma_quick_check(${name})`.execute(db);
    const damage = rows.map((row) => row.quick_check).find((line) => line !== 'ok');
    if (damage !== undefined) {
      const [first = ''] = withoutHeading(damage).split('\n');
      return fault(`the file is damaged: ${first}`, 'Restore a backup, and have the disk looked at.');
    }
    looked += 1;
    // Lets what else waits have its turn: each look keeps this thread to itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (looked === tables.length) return fine(`all ${looked} tables are whole`);
  return fine(`${looked} of ${tables.length} tables are whole; the file is too large to look at the others in time`);
}

/** Where nobody lets us look, the check of the database itself has said so. */
function describeDamage(error: unknown): Finding | undefined {
  if (isForbidden(error)) return undefined;
  return fault(
    `the file could not be looked through: ${reasonOf(error)}`,
    'If it is a SQLite file of ours, restore a backup.',
  );
}

export const integrityChecks: readonly Check[] = [integrity];
