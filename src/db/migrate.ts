/**
 * Brings a database up to this release, at start. On PostgreSQL any number of processes may do so
 * at once: Kysely takes an advisory lock, and all but the first find nothing left to do.
 */
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { migrations as allMigrations } from './migrations/index.ts';
import { foreignDatabase, listTables, refuseForeignTables } from './origin.ts';
import type { Database } from './schema.ts';
import { refuseUnfinishedCopy } from './unfinished-copy.ts';

/** The database has been through migrations that this release does not know. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** This release has migrations that the database has not been through. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

export interface Release {
  readonly version: string;
  readonly startedAt: Date;
}

/** For whoever works beside the service, and changes no table. Throws unless the database is exactly of this release. */
export async function refuseOtherSchema(
  db: Kysely<Database>,
  version: string,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  await refuseUnfit(db);
  await refuseNewer(db, { version }, migrations);
  const missing = await missingMigrations(db, migrations);
  if (missing.length === 0) return;
  throw new OlderDatabaseError(
    `The database has not been brought up to Crescendo ${version} yet (it has not run ${missing.at(-1)}). ` +
      'Run "crescendo migrate", or start the service.',
  );
}

/** Somebody else's tables, or half of ours. Asked before anything is made, and before anything is believed. */
export async function refuseUnfit(db: Kysely<Database>): Promise<void> {
  refuseForeignTables(await listTables(db));
  await refuseUnfinishedCopy(db);
}

/** All of them where the database is empty. */
export async function missingMigrations(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<string[]> {
  const applied = await appliedMigrations(db);
  return Object.keys(migrations).filter((name) => !applied.includes(name));
}

export async function migrate(
  db: Kysely<Database>,
  release: Release,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  await refuseUnfit(db);
  await applyMigrations(db, release, migrations);
  await db
    .insertInto('releases')
    .values({ version: release.version, first_started_at: release.startedAt })
    .onConflict((conflict) => conflict.column('version').doNothing())
    .execute();
}

/** The tables alone, without a note of who made them. */
export async function applyMigrations(
  db: Kysely<Database>,
  release: Pick<Release, 'version'>,
  migrations: Readonly<Record<string, Migration>> = allMigrations,
): Promise<void> {
  await refuseNewer(db, release, migrations);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    // Another process of a newer release may have migrated since the check above.
    await refuseNewer(db, release, migrations);
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw failed ? new Error(`Migration ${failed} failed.`, { cause: error }) : error;
  }
}

export async function refuseNewer(
  db: Kysely<Database>,
  release: Pick<Release, 'version'>,
  known: object = allMigrations,
): Promise<void> {
  const applied = await appliedMigrations(db);
  if (applied.every((name) => name in known)) return;
  // The library that keeps this list is not ours alone.
  if (!applied.some((name) => name in allMigrations || name in known)) throw foreignDatabase('kysely_migration');
  const newest = await db
    .selectFrom('releases')
    .select('version')
    .orderBy('first_started_at', 'desc')
    .executeTakeFirst();
  refuseUnknown(applied, newest?.version, release, known);
}

/** For whoever has read for themselves which migrations a database has been through. */
export function refuseUnknown(
  applied: readonly string[],
  newestVersion: string | undefined,
  release: Pick<Release, 'version'>,
  known: object = allMigrations,
): void {
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length === 0) return;
  throw new NewerDatabaseError(
    `The database was last used by Crescendo ${newestVersion ?? '(unknown release)'}, which is newer than this ` +
      `${release.version} (it has run ${unknown.at(-1)}). Start that release or a newer one, or restore a backup.`,
  );
}

async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  if (!(await listTables(db)).includes('kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
