/** What the move reads and writes in PostgreSQL, including the table that holds the progress of the copy. */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { COPY_PROGRESS_TABLE, hasCopyProgress } from '../../db/unusable-database.ts';
import type { Table, TableChecksum } from './canonical-row.ts';

/** How much of a table is copied; changed in the same transaction as the copied rows. */
export interface TableProgress extends TableChecksum {
  readonly copied: number;
  /** JSON: the key of the last copied row; null before the first. */
  readonly last_key: string | null;
}

const withProgress = (db: Db) => db.withTables<{ [COPY_PROGRESS_TABLE]: TableProgress }>();

/** Undefined where no copy was started. */
export async function findProgress(db: Db): Promise<TableProgress[] | undefined> {
  if (!(await hasCopyProgress(db))) return undefined;
  return withProgress(db).selectFrom(COPY_PROGRESS_TABLE).selectAll().orderBy('name').execute();
}

export async function createProgress(trx: Db, checksums: readonly TableChecksum[]): Promise<void> {
  await trx.schema
    .createTable(COPY_PROGRESS_TABLE)
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('copied', 'bigint', (column) => column.notNull())
    .addColumn('last_key', 'text')
    .execute();
  await withProgress(trx)
    .insertInto(COPY_PROGRESS_TABLE)
    .values(checksums.map(({ name, rows, checksum }) => ({ name, rows, checksum, copied: 0, last_key: null })))
    .execute();
}

/** False where another process has advanced it since `from` was read. */
export async function advanceProgress(trx: Db, from: TableProgress, to: TableProgress): Promise<boolean> {
  const { numUpdatedRows } = await withProgress(trx)
    .updateTable(COPY_PROGRESS_TABLE)
    .set({ copied: to.copied, last_key: to.last_key })
    .where('name', '=', from.name)
    .where('copied', '=', from.copied)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function dropProgress(db: Db): Promise<void> {
  await sql`drop table ${sql.table(COPY_PROGRESS_TABLE)}`.execute(db);
}

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from ${sql.table(table)}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

export async function truncateTables(trx: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql`truncate ${sql.join(names.map((name) => sql.table(name)))}`.execute(trx);
}

export async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  if (!rows[0]) throw new Error('PostgreSQL did not return its time.');
  return rows[0].now;
}

/** The rows are a JSON array of canonical rows, so the statement has one parameter for any number of rows. */
export async function insertRows(trx: Db, { name, columns }: Table, rows: string): Promise<void> {
  const fields = columns.map((column) => sql.ref(column.name));
  const values = columns.map(({ type }, index) => sql`(r ->> ${sql.lit(index)})::${sql.raw(type)}`);
  await sql`insert into ${sql.table(name)} (${sql.join(fields)})
    select ${sql.join(values)} from jsonb_array_elements(${rows}::jsonb) r`.execute(trx);
}

const ROWS_PER_FETCH = 2_000;

/** Reads through a cursor, since a table may exceed memory. Text keys are ordered by bytes, as in SQLite. */
export async function* readRows(trx: Db, table: Table): AsyncGenerator<Record<string, unknown>> {
  const fields = sql.join(table.columns.map(({ name }) => sql.ref(name)));
  const order = table.key.map(({ name, type }) =>
    type === 'text' ? sql`${sql.ref(name)} collate "C"` : sql.ref(name),
  );
  await sql`declare copied_rows no scroll cursor for
    select ${fields} from ${sql.table(table.name)} order by ${sql.join(order)}`.execute(trx);
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`
      fetch ${sql.lit(ROWS_PER_FETCH)} from copied_rows`.execute(trx);
    yield* rows;
    if (rows.length < ROWS_PER_FETCH) return;
  }
}

/** The planner has no statistics for tables that were just filled. */
export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db);
}
