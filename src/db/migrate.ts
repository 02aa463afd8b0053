/**
 * Brings the database schema up to this release when the service starts. On PostgreSQL any number of
 * processes may start at once: Kysely takes an advisory lock, and all but the first find nothing to do.
 */
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { stopwatch } from '../lib/clock.ts';
import { migrations as allMigrations } from './migrations/index.ts';
import type { Db } from './schema.ts';
import { foreignDatabaseError, listTables, refuseUnusable } from './unusable-database.ts';

/** The database has run migrations that this release does not have. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** This release has migrations that the database has not run. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

export interface Release {
  readonly version: string;
  readonly startedAt: Date;
  /** Called after the tables have changed; not for a new database. */
  readonly onUpgraded?: (upgrade: Upgrade) => void;
}

export interface Upgrade {
  /** The release that made the tables before, or their newest migration. */
  readonly from: string | null;
  readonly to: string;
  readonly migrations: number;
  readonly durationMs: number;
}

/** Releases before 0.3.0 all called themselves 0.1.0. Their newest migration tells them apart. */
const RELEASES: Readonly<Record<string, string>> = { '0012-origins': '0.1.0', '0031-client-names': '0.2.0' };

/** For commands, which may run next to the service and never migrate. Throws if another release made the schema. */
export async function refuseOtherSchema(
  db: Db,
  version: string,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  await refuseUnusable(db);
  await refuseNewerSchema(db, { version }, migrations);
  const missing = await missingMigrations(db, migrations);
  if (missing.length === 0) return;
  throw new OlderDatabaseError(
    `The database schema is older than Crescendo ${version}: it has not run migration ${missing.at(-1)}. ` +
      'Run "crescendo migrate", or start the service.',
  );
}

/** Every migration, if the database is empty. */
export async function missingMigrations(
  db: Db,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<string[]> {
  const applied = await appliedMigrations(db);
  return Object.keys(migrations).filter((name) => !applied.includes(name));
}

export async function migrate(
  db: Db,
  release: Release,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  await refuseUnusable(db);
  const before = await appliedMigrations(db);
  const elapsedMs = stopwatch();
  await applyMigrations(db, release, migrations);
  const missing = Object.keys(migrations).filter((name) => !before.includes(name)).length;
  const isNew = before.length === 0;
  if (missing > 0 && !isNew) {
    const durationMs = Math.round(elapsedMs());
    release.onUpgraded?.({
      from: await findNewestRelease(db, before),
      to: release.version,
      migrations: missing,
      durationMs,
    });
  }
  await db
    .insertInto('releases')
    .values({ version: release.version, first_started_at: release.startedAt })
    .onConflict((conflict) => conflict.column('version').doNothing())
    .execute();
}

/** Creates or changes the tables, and does not record the release. */
export async function applyMigrations(
  db: Db,
  release: Pick<Release, 'version'>,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  const applied = await appliedMigrations(db);
  await refuseUnknown(db, applied, release, migrations);
  // Kysely would first read every column of every table, which takes longer than the rest of the start.
  if (Object.keys(migrations).every((name) => applied.includes(name))) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    // Another process of a newer release may have migrated since the check above.
    await refuseNewerSchema(db, release, migrations);
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw failed ? new Error(`Migration ${failed} failed.`, { cause: error }) : error;
  }
}

async function refuseNewerSchema(
  db: Db,
  release: Pick<Release, 'version'>,
  known: object = allMigrations,
): Promise<void> {
  await refuseUnknown(db, await appliedMigrations(db), release, known);
}

async function refuseUnknown(
  db: Db,
  applied: readonly string[],
  release: Pick<Release, 'version'>,
  known: object,
): Promise<void> {
  if (applied.every((name) => name in known)) return;
  // Other applications use Kysely too, so the list of migrations may belong to one of them.
  if (!applied.some((name) => name in allMigrations || name in known)) throw foreignDatabaseError('kysely_migration');
  refuseUnknownMigrations(applied, (await findNewestRelease(db, applied)) ?? undefined, release, known);
}

/** The release that started first on these tables; null for an empty database. */
async function findNewestRelease(db: Db, applied: readonly string[]): Promise<string | null> {
  const newest = applied.at(-1);
  if (newest === undefined) return null;
  const known = RELEASES[newest];
  if (known !== undefined) return known;
  const releases = db.selectFrom('releases').select('version').orderBy('first_started_at', 'desc');
  return (await releases.executeTakeFirst())?.version ?? newest;
}

/** For callers that have read the list of migrations themselves. */
export function refuseUnknownMigrations(
  applied: readonly string[],
  newestVersion: string | undefined,
  release: Pick<Release, 'version'>,
  known: object = allMigrations,
): void {
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length === 0) return;
  const isSame = newestVersion === release.version;
  const user = isSame ? 'a later build of it' : `Crescendo ${newestVersion ?? '(unknown release)'}`;
  throw new NewerDatabaseError(
    `The database schema is newer than Crescendo ${release.version}: it has run migration ${unknown.at(-1)} and was ` +
      `last used by ${user}. Start that ${isSame ? 'build' : 'release'} or a newer one, or restore a backup.`,
  );
}

async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await listTables(db)).includes('kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
