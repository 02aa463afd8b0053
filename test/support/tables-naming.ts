import { sql } from 'kysely';
import type { Db } from '../../src/db/schema.ts';

/** Every table that still contains the account's id in any column. */
export async function tablesNaming(db: Db, id: string): Promise<string[]> {
  const naming: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(rows).includes(id)) naming.push(name);
  }
  return naming;
}
