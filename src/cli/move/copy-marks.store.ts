/** How far the copy of each table has come, kept in the target and changed together with it. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { COPY_MARKS, hasCopyMarks } from '../../db/unfinished-copy.ts';
import type { TableSum } from './table-sum.ts';

export interface Mark extends TableSum {
  readonly copied: number;
  /** JSON: the key of the last row that was copied; null before the first. */
  readonly last_key: string | null;
}

const withMarks = (db: Kysely<Database>) => db.withTables<{ [COPY_MARKS]: Mark }>();

/** Undefined where no copy was begun. */
export async function findMarks(db: Kysely<Database>): Promise<Mark[] | undefined> {
  if (!(await hasCopyMarks(db))) return undefined;
  return withMarks(db).selectFrom(COPY_MARKS).selectAll().orderBy('name').execute();
}

export async function createMarks(trx: Kysely<Database>, sums: readonly TableSum[]): Promise<void> {
  await trx.schema
    .createTable(COPY_MARKS)
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('copied', 'bigint', (column) => column.notNull())
    .addColumn('last_key', 'text')
    .execute();
  await withMarks(trx)
    .insertInto(COPY_MARKS)
    .values(sums.map(({ name, rows, checksum }) => ({ name, rows, checksum, copied: 0, last_key: null })))
    .execute();
}

/** False where the mark is no longer what it was: somebody else is copying too. */
export async function advanceMark(trx: Kysely<Database>, from: Mark, to: Mark): Promise<boolean> {
  const { numUpdatedRows } = await withMarks(trx)
    .updateTable(COPY_MARKS)
    .set({ copied: to.copied, last_key: to.last_key })
    .where('name', '=', from.name)
    .where('copied', '=', from.copied)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function dropMarks(db: Kysely<Database>): Promise<void> {
  await sql`drop table ${sql.table(COPY_MARKS)}`.execute(db);
}
