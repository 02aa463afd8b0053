/** Checks of a SQLite file by commands that open it without the service's own database layer. */
import type { DatabaseSync } from 'node:sqlite';
import { refuseUnknownMigrations } from '../db/migrate.ts';

/** The first fault of the file, or the first reference to a missing row, in one line; undefined where there is none. */
export function findDamage(db: DatabaseSync): string | undefined {
  try {
    const [first] = db.prepare('pragma integrity_check(1)').all();
    const found = Object.values(first ?? {})[0];
    if (found !== 'ok') return withoutHeading(String(found)).replaceAll(/\s+/g, ' ');
    const orphan = db.prepare('pragma foreign_key_check').get();
    return orphan && `a row of ${orphan.table} refers to a row of ${orphan.parent} that does not exist`;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
  }
}

/** SQLite prints the name of the database in a line of its own before the fault. */
export const withoutHeading = (finding: string) => finding.replace(/^\*{3} in database \w+ \*{3}\s*/, '');

/** Throws where a newer release has migrated the database. Returns the applied migrations. */
export function refuseNewerRelease(db: DatabaseSync, version: string): string[] {
  const rows = db.prepare('select name from kysely_migration order by name').all();
  const applied = rows.map(({ name }) => String(name));
  const newest = db.prepare('select version from releases order by first_started_at desc limit 1').get();
  refuseUnknownMigrations(applied, newest && String(newest.version), { version });
  return applied;
}
