/** Whether the database can be reached, is ours, and is of this release. Nothing in it is changed. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../db/engine-of.ts';
import {
  missingMigrations,
  NewerDatabaseError,
  OlderDatabaseError,
  refuseOtherSchema,
  refuseUnfit,
} from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { openToLook } from '../../db/open-beside.ts';
import { ForeignDatabaseError } from '../../db/origin.ts';
import { POOL_SIZE } from '../../db/postgres.ts';
import type { Database } from '../../db/schema.ts';
import { UnfinishedCopyError } from '../../db/unfinished-copy.ts';
import { explain } from '../../explain.ts';
import type { DatabaseLocation } from '../../lib/setting.ts';
import { type Check, type Finding, fault, fine, type Patient, reasonOf, warning } from './check.ts';
import { judgeOffset } from './clock-offset.ts';

/** The database for one look; undefined where the first start is still to make it. */
export async function withDatabase<T>(
  patient: Patient,
  look: (db: Kysely<Database>) => Promise<T>,
): Promise<T | undefined> {
  const { DATABASE_URL } = patient.config;
  if (DATABASE_URL.engine === 'sqlite' && isMissing(DATABASE_URL.file)) return undefined;
  const db = openToLook(DATABASE_URL, patient);
  try {
    return await look(db);
  } finally {
    await db.destroy();
  }
}

/** A file without a byte is what a start that failed may leave behind. */
const isMissing = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** Without any, nothing has been guarded by a key yet. */
export async function hasAccounts(patient: Patient): Promise<boolean> {
  const first = (db: Kysely<Database>) => db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return (await withDatabase(patient, first).catch(() => undefined)) !== undefined;
}

const schema: Check = {
  name: 'database',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  look: async (patient) => {
    const place = placeOf(patient.config.DATABASE_URL);
    const found = await withDatabase(patient, (db) => lookAtSchema(db, patient.version)).catch((error) =>
      describeFailure(error, place),
    );
    const { says, ...rest } = found ?? NOT_YET;
    return { ...rest, says: `${place}: ${says}` };
  },
};

/** So that it is seen where a command looks elsewhere than the service. Neither user nor password. */
function placeOf(location: DatabaseLocation): string {
  if (location.engine === 'sqlite') return resolve(location.file);
  const { host, pathname, searchParams } = new URL(location.url);
  return `${host || searchParams.get('host') || 'localhost'}${pathname}`;
}

const NOT_YET = fine('there is none yet; the first start makes it');

async function lookAtSchema(db: Kysely<Database>, version: string): Promise<Finding> {
  await refuseUnfit(db);
  const missing = await missingMigrations(db);
  if (missing.length > 0 && isPostgres(db) && !(await mayMakeTables(db)))
    return fault('this user may not make tables there', 'GRANT CREATE ON SCHEMA public TO the user in DATABASE_URL.');
  if (missing.length === Object.keys(migrations).length)
    return fine('reachable and empty; the first start prepares it');
  await refuseOtherSchema(db, version);
  return fine(`reachable, with the tables of Crescendo ${version}`);
}

async function mayMakeTables(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'CREATE') as may`.execute(db);
  return rows[0]?.may ?? false;
}

function describeFailure(error: unknown, place: string): Finding {
  if (error instanceof ForeignDatabaseError) return fault(error.message, 'Correct DATABASE_URL.');
  if (error instanceof UnfinishedCopyError) return fault(error.message, 'Or add --start-over to it.');
  if (isForbidden(error)) {
    return fault(
      `this user may not read it (${reasonOf(error)})`,
      `chown it to the service's user, and chmod 600 ${place}.`,
    );
  }
  if (error instanceof OlderDatabaseError) return fault(error.message, 'crescendo migrate');
  if (error instanceof NewerDatabaseError) return fault(error.message, 'Use the newer release, or restore a backup.');
  const [line = ''] = explain(error).split('\n');
  return fault(line, 'Look at DATABASE_URL, and whether the database runs and lets this machine in.');
}

/** The rights to the file or its folder are missing; nothing is said about what is in it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(String(error.code));
}

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

export const databaseChecks: readonly Check[] = [schema, server, serverClock];
