/** What the move reads and writes in PostgreSQL. */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { Table } from './canonical-row.ts';

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from ${sql.table(table)}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

export async function truncateTables(trx: Db, names: readonly string[]): Promise<void> {
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
    if (rows.length < ROWS_PER_FETCH) break;
  }
  await sql`close copied_rows`.execute(trx);
}

/** The planner has no statistics for tables that were just filled. */
export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db);
}
