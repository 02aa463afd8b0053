/** What the copy asks of PostgreSQL. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { type Column, formOfDecoded } from './row-form.ts';

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly Column[];
}

export async function hasRows(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from ${sql.table(table)}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

export async function emptyTables(trx: Kysely<Database>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql`truncate ${sql.join(names.map((name) => sql.table(name)))}`.execute(trx);
}

export async function readTime(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  if (!rows[0]) throw new Error('The database does not tell the time.');
  return rows[0].now;
}

/** One parameter however many rows: a JSON array of rows, each an array of values in the order of the columns. */
export async function insertRows(trx: Kysely<Database>, { name, columns }: Table, rows: string): Promise<void> {
  const fields = columns.map((column) => sql.ref(column.name));
  const values = columns.map(({ type }, index) => sql`(r ->> ${sql.lit(index)})::${sql.raw(type)}`);
  await sql`insert into ${sql.table(name)} (${sql.join(fields)})
    select ${sql.join(values)} from jsonb_array_elements(${rows}::jsonb) r`.execute(trx);
}

const ROWS_PER_FETCH = 2_000;

/** Read through a cursor: a table may be larger than the memory. Text is ordered by its bytes, as SQLite does. */
export async function* readForms(trx: Kysely<Database>, table: Table): AsyncGenerator<string> {
  const fields = sql.join(table.columns.map(({ name }) => sql.ref(name)));
  const order = table.key.map(({ name, type }) =>
    type === 'text' ? sql`${sql.ref(name)} collate "C"` : sql.ref(name),
  );
  await sql`declare forms no scroll cursor for
    select ${fields} from ${sql.table(table.name)} order by ${sql.join(order)}`.execute(trx);
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(ROWS_PER_FETCH)} from forms`.execute(trx);
    for (const row of rows) yield formOfDecoded(table.columns, row);
    if (rows.length < ROWS_PER_FETCH) return;
  }
}

/** The planner knows nothing of tables that were filled a moment ago. */
export async function analyze(db: Kysely<Database>): Promise<void> {
  await sql`analyze`.execute(db);
}
