import type { DatabaseSync } from 'node:sqlite';

/** Undefined where the file is whole and no row refers to one that is missing; else the first thing that is wrong. */
export function findDamage(db: DatabaseSync): string | undefined {
  try {
    const [first] = db.prepare('pragma integrity_check(1)').all();
    const found = Object.values(first ?? {})[0];
    if (found !== 'ok') return withoutHeading(String(found));
    const orphan = db.prepare('pragma foreign_key_check').get();
    return orphan && `a row of ${orphan.table} refers to a row of ${orphan.parent} that does not exist`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** SQLite names the database in a line of its own before it says what is wrong with it. */
export const withoutHeading = (finding: string) => finding.replace(/^\*{3} in database \w+ \*{3}\s*/, '');
