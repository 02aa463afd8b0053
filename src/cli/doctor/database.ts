/** Whether the database can be reached, is of this release, and is whole. Nothing in it is changed. */
import { existsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { missingMigrations, NewerDatabaseError, OlderDatabaseError, refuseOtherSchema } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { connectBeside } from '../../db/open-beside.ts';
import { POOL_SIZE } from '../../db/postgres.ts';
import type { Database } from '../../db/schema.ts';
import { explain } from '../../explain.ts';
import { stopwatch } from '../../lib/clock.ts';
import { type Check, type Finding, fault, fine, type Patient, reasonOf, warning } from './check.ts';
import { judgeOffset } from './clock-offset.ts';

/** The database for one look; undefined where the first start is still to make it. */
async function withDatabase<T>(patient: Patient, look: (db: Kysely<Database>) => Promise<T>): Promise<T | undefined> {
  const { DATABASE_URL } = patient.config;
  if (DATABASE_URL.engine === 'sqlite' && !existsSync(DATABASE_URL.file)) return undefined;
  const db = connectBeside(DATABASE_URL, patient);
  try {
    return await look(db);
  } finally {
    await db.destroy();
  }
}

/** Without any, nothing has been guarded by a key yet. */
export async function hasAccounts(patient: Patient): Promise<boolean> {
  const first = (db: Kysely<Database>) => db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return (await withDatabase(patient, first).catch(() => undefined)) !== undefined;
}

const schema: Check = {
  name: 'database',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  look: async (patient) => {
    try {
      return (await withDatabase(patient, (db) => lookAtSchema(db, patient.version))) ?? NOT_YET;
    } catch (error) {
      return describeFailure(error);
    }
  },
};

const NOT_YET = fine('there is none yet; the first start makes it');

async function lookAtSchema(db: Kysely<Database>, version: string): Promise<Finding> {
  const missing = await missingMigrations(db);
  if (missing.length === Object.keys(migrations).length)
    return fine('reachable and empty; the first start prepares it');
  await refuseOtherSchema(db, version);
  return fine(`reachable, with the tables of Crescendo ${version}`);
}

function describeFailure(error: unknown): Finding {
  if (error instanceof OlderDatabaseError) return fault(error.message, 'crescendo migrate');
  if (error instanceof NewerDatabaseError) return fault(error.message, 'Use the newer release, or restore a backup.');
  const [line = ''] = explain(error).split('\n');
  return fault(line, 'Look at DATABASE_URL, and whether the database runs and lets this machine in.');
}

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
    if (damage !== undefined)
      return fault(`the file is damaged: ${damage}`, 'Restore a backup, and have the disk looked at.');
    looked += 1;
    // Lets what else waits have its turn: each look keeps this thread to itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (looked === tables.length) return fine(`all ${looked} tables are whole`);
  return fine(`${looked} of ${tables.length} tables are whole; the file is too large to look at the others in time`);
}

const describeDamage = (error: unknown) =>
  fault(
    `the file could not be looked through: ${reasonOf(error)}`,
    'If it is a SQLite file of ours, restore a backup.',
  );

const OLDEST_POSTGRES = 14;

const server: Check = {
  name: 'PostgreSQL',
  settings: ['DATABASE_URL'],
  look: async (patient) => {
    if (patient.config.DATABASE_URL.engine === 'sqlite') return undefined;
    return withDatabase(patient, lookAtServer).catch(() => undefined);
  },
};

interface ServerFacts {
  readonly version: string;
  readonly major: number;
  readonly room: number;
}

async function lookAtServer(db: Kysely<Database>): Promise<Finding> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (select sum(numbackends) from pg_stat_database)::int as room`.execute(db);
  const [facts] = rows;
  if (!facts)
    return fault('the server tells nothing about itself', 'See whether DATABASE_URL leads to PostgreSQL itself.');
  const { version, major, room } = facts;
  if (major < OLDEST_POSTGRES)
    return fault(
      `version ${version} is older than ${OLDEST_POSTGRES}`,
      `Upgrade PostgreSQL to ${OLDEST_POSTGRES} or newer.`,
    );
  // A process has a pool, and one more connection that listens for wake-ups.
  const says = `version ${version}, with room for ${room} more connections`;
  if (room > POOL_SIZE) return fine(says);
  return warning(
    says,
    `Another process wants up to ${POOL_SIZE + 1}: raise max_connections, or put a pooler in front.`,
  );
}

/** The stamps that sync goes by are the server's. */
const serverClock: Check = {
  name: 'clock (database)',
  settings: ['DATABASE_URL'],
  look: async (patient) => {
    if (patient.config.DATABASE_URL.engine === 'sqlite') return undefined;
    return withDatabase(patient, (db) => compareClocks(db, patient)).catch(() => undefined);
  },
};

async function compareClocks(db: Kysely<Database>, { clock }: Patient): Promise<Finding | undefined> {
  await sql`select 1`.execute(db);
  const askedAt = clock.now();
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const [row] = rows;
  return row && judgeOffset('the database server', row.at, askedAt, clock.now());
}

export const databaseChecks: readonly Check[] = [schema, integrity, server, serverClock];
