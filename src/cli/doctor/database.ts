/** Checks that the database can be reached, is ours and is of this release. Changes nothing in it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { missingMigrations, NewerDatabaseError, OlderDatabaseError, refuseOtherSchema } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { openReadOnly } from '../../db/open-for-command.ts';
import { findMissingSettings } from '../../db/postgres/pooler.ts';
import { POOL_SIZE, SERVICE_SETTINGS } from '../../db/postgres/postgres.ts';
import { type Db, isPostgres } from '../../db/schema.ts';
import { ForeignDatabaseError, refuseUnusable } from '../../db/unusable-database.ts';
import { aheadMs } from '../../lib/clock.ts';
import type { DatabaseLocation } from '../../lib/setting.ts';
import { OutboxMonitor } from '../../watch/outbox-monitor.ts';
import { toErrorLine } from '../error-line.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, reasonOf, warning } from './check.ts';
import { checkOffset } from './clock-offset.ts';
import { isOnReadOnlyDisk } from './folder.ts';

/** Undefined where the SQLite database does not exist yet. */
export async function withDatabase<T>(context: DoctorContext, work: (db: Db) => Promise<T>): Promise<T | undefined> {
  const { DATABASE_URL } = context.config;
  if (DATABASE_URL.engine === 'sqlite' && isMissing(DATABASE_URL.file)) return undefined;
  const db = openReadOnly(DATABASE_URL, context);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** A failed start may leave an empty file. */
const isMissing = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** Without accounts, no stored value depends on a key yet. */
export async function hasAccounts(context: DoctorContext): Promise<boolean> {
  const first = (db: Db) => db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return (await withDatabase(context, first).catch(() => undefined)) !== undefined;
}

const reach: Check = {
  name: 'reach',
  settings: ['DATABASE_URL', 'DATA_DIR', 'SMTP_URL'],
  run: async (context) => {
    const unreached = await withDatabase(context, countUnreached).catch(() => undefined);
    if (unreached === undefined || unreached === 0) return undefined;
    const accounts = `${unreached} ${unreached === 1 ? 'account has' : 'accounts have'}`;
    if (context.config.SMTP_URL !== undefined) {
      return fine(`${accounts} neither a device nor a channel: they are mailed at their sign-in address`);
    }
    return warning(
      `${accounts} neither a device nor a channel, so no nudge reaches them`,
      'Set SMTP_URL, so that they are mailed; or let them add a channel in the app.',
    );
  },
};

/** Accounts with neither a valid device nor a confirmed channel that is switched on. */
async function countUnreached(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from users where deleted_at is null
      and not exists (select 1 from devices where devices.user_id = users.id and valid)
      and not exists (select 1 from channels where channels.user_id = users.id and valid and verified_at is not null)
    `.execute(db);
  return Number(rows[0]?.count ?? 0);
}

const schema: Check = {
  name: 'database',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  run: async (context) => {
    const { DATABASE_URL } = context.config;
    const place = describePlace(DATABASE_URL);
    const found = await withDatabase(context, (db) => checkSchema(db, context.version)).catch((error) =>
      DATABASE_URL.engine === 'sqlite' && isOnReadOnlyDisk(DATABASE_URL.file)
        ? fault('cannot be opened on a read-only disk', 'Mount the disk for writing. There is nothing to restore.')
        : describeFailure(error, place),
    );
    const { says, ...rest } = found ?? fine('does not exist yet; the first start creates it');
    return { ...rest, says: `${place}: ${says}` };
  },
};

/** Shown so that the operator sees if a command uses another database than the service. Without user and password. */
function describePlace(location: DatabaseLocation): string {
  if (location.engine === 'sqlite') return resolve(location.file);
  const { host, pathname, searchParams } = new URL(location.url);
  return `${host || searchParams.get('host') || 'localhost'}${pathname}`;
}

async function checkSchema(db: Db, version: string): Promise<Finding> {
  await refuseUnusable(db);
  const missing = await missingMigrations(db);
  if (missing.length > 0 && isPostgres(db) && !(await mayCreateTables(db)))
    return fault('this user may not create tables there', 'GRANT CREATE ON SCHEMA public TO the user in DATABASE_URL.');
  if (missing.length === Object.keys(migrations).length)
    return fine('reachable and empty; the first start prepares it');
  await refuseOtherSchema(db, version);
  return fine(`reachable, with the tables of Crescendo ${version}`);
}

async function mayCreateTables(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'CREATE') as may`.execute(db);
  return rows[0]?.may ?? false;
}

function describeFailure(error: unknown, place: string): Finding {
  if (error instanceof ForeignDatabaseError) return fault(error.message, 'Correct DATABASE_URL.');
  if (isPermissionError(error)) {
    return fault(
      `this user may not read it (${reasonOf(error)})`,
      `chown it to the service's user, and chmod 600 ${place}.`,
    );
  }
  if (error instanceof OlderDatabaseError) return fault(error.message, 'crescendo migrate');
  if (error instanceof NewerDatabaseError) return fault(error.message, 'Use the newer release, or restore a backup.');
  const [line = ''] = toErrorLine(error).split('\n');
  return fault(line, 'Check DATABASE_URL, and whether the database runs and accepts connections from this machine.');
}

/** A permission for the file or its folder is missing. This says nothing about the file's content. */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(String(error.code));
}

const OLDEST_POSTGRES = 14;

const server: Check = {
  name: 'PostgreSQL',
  settings: ['DATABASE_URL'],
  run: async (context) => {
    if (context.config.DATABASE_URL.engine === 'sqlite') return undefined;
    return withDatabase(context, checkServer).catch(() => undefined);
  },
};

interface ServerFacts {
  readonly version: string;
  readonly major: number;
  readonly free_connections: number;
}

async function checkServer(db: Db): Promise<Finding> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (select sum(numbackends) from pg_stat_database)::int as free_connections`.execute(db);
  const [facts] = rows;
  if (!facts)
    return fault('the server does not report its version', 'Check whether DATABASE_URL leads to PostgreSQL itself.');
  const { version, major, free_connections } = facts;
  if (major < OLDEST_POSTGRES)
    return fault(
      `version ${version} is older than ${OLDEST_POSTGRES}`,
      `Upgrade PostgreSQL to ${OLDEST_POSTGRES} or newer.`,
    );
  // A process has a pool, and one more connection that listens for wake-ups.
  const says = `version ${version}, with room for ${free_connections} more connections`;
  if (free_connections > POOL_SIZE) return fine(says);
  return warning(
    says,
    `Another process needs up to ${POOL_SIZE + 1}: raise max_connections, or put a pooler in front.`,
  );
}

/** Says nothing unless a pooler shares sessions and the role lacks the settings that each session should have. */
const pooler: Check = {
  name: 'connection pooler',
  settings: ['DATABASE_URL'],
  run: async ({ config: { DATABASE_URL } }) => {
    if (DATABASE_URL.engine === 'sqlite') return undefined;
    const missing = (await findMissingSettings(DATABASE_URL.url, SERVICE_SETTINGS).catch(() => undefined)) ?? [];
    if (missing.length === 0) return undefined;
    return warning(
      'shares sessions between its clients, so time limits and planner settings of the service do not hold',
      `Use its session mode, or run in PostgreSQL: ${missing.join('; ')}. See docs/scaling.md.`,
    );
  },
};

const IN_STEP_MS = 1_000;

/** The service's clock is the server's (ADR 34). */
const serverClock: Check = {
  name: 'clock (database)',
  settings: ['DATABASE_URL'],
  run: async (context) => {
    const aheadMs = await findAheadOfServer(context);
    if (aheadMs === undefined) return undefined;
    return checkOffset({
      clock: "this machine's clock",
      whose: 'the database server',
      aheadMs,
      toleratedMs: IN_STEP_MS,
      remedy: 'The service uses the time of the database server. Keep both clocks right with NTP.',
    });
  },
};

/** By how much this machine's clock is ahead of the database server's. Undefined on SQLite, and if the server does not answer. */
export async function findAheadOfServer(context: DoctorContext): Promise<number | undefined> {
  if (context.config.DATABASE_URL.engine === 'sqlite') return undefined;
  return withDatabase(context, (db) => compareClocks(db, context)).catch(() => undefined);
}

async function compareClocks(db: Db, { clock }: DoctorContext): Promise<number | undefined> {
  // Opens the connection, so that the time to connect is not part of the measurement.
  await sql`select 1`.execute(db);
  const askedAt = clock.now();
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const [row] = rows;
  return row && aheadMs(row.at.getTime(), askedAt.getTime(), clock.now().getTime());
}

/** A delivery that has been due for longer is not sent by any process, or its provider accepts nothing. */
const STUCK_SECONDS = 120;

const outbox: Check = {
  name: 'outbox',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  run: async (context) => withDatabase(context, (db) => checkOutbox(db, context)).catch(() => undefined),
};

async function checkOutbox(db: Db, { clock, logger }: DoctorContext): Promise<Finding> {
  const due = (await new OutboxMonitor(db, clock, logger).list()).filter((waiting) => waiting.due > 0);
  const [oldest] = due.toSorted((a, b) => b.waitSeconds - a.waitSeconds);
  if (!oldest) return fine('no delivery is due');
  const says = `the oldest due delivery has waited for ${Math.round(oldest.waitSeconds)} s (${oldest.provider})`;
  if (oldest.waitSeconds <= STUCK_SECONDS) return fine(says);
  return warning(says, 'Check that an engine runs, that its push settings are complete, and what its log says.');
}

export const databaseChecks: readonly Check[] = [schema, server, pooler, serverClock, outbox, reach];
