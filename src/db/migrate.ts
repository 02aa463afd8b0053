/**
 * Brings the database schema up to this release when the service starts. On PostgreSQL any number of
 * processes may start at once: Kysely takes an advisory lock, and all but the first find nothing to do.
 */
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
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
}

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
  await applyMigrations(db, release, migrations);
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
  const newest = await db
    .selectFrom('releases')
    .select('version')
    .orderBy('first_started_at', 'desc')
    .executeTakeFirst();
  refuseUnknownMigrations(applied, newest?.version, release, known);
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
  throw new NewerDatabaseError(
    `The database schema is newer than Crescendo ${release.version}: it has run migration ${unknown.at(-1)} and was ` +
      `last used by Crescendo ${newestVersion ?? '(unknown release)'}. ` +
      'Start that release or a newer one, or restore a backup.',
  );
}

async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await listTables(db)).includes('kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
