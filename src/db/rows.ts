/**
 * Many rows as one parameter list of constant length: the statement's text stays the same however
 * many there are, so it is prepared once, and a batch costs one round trip.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Database } from './schema.ts';

type ColumnType = 'uuid' | 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamptz';

/** The rows as a table `alias` with these columns, for `from`: `update … from ${rowsOf(…)} where …`. */
export function rowsOf<C extends string>(
  db: Kysely<Database>,
  alias: string,
  columns: Readonly<Record<C, ColumnType>>,
  rows: readonly Readonly<Record<C, unknown>>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as C[];
  return isPostgres(db) ? asArrays(alias, names, columns, rows) : asJson(alias, names, rows);
}

function asArrays<C extends string>(
  alias: string,
  names: readonly C[],
  columns: Readonly<Record<C, ColumnType>>,
  rows: readonly Readonly<Record<C, unknown>>[],
): RawBuilder<unknown> {
  const arrays = names.map((name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`);
  const fields = names.map((name) => sql.ref(name));
  return sql`unnest(${sql.join(arrays)}) as ${sql.table(alias)} (${sql.join(fields)})`;
}

/** SQLite takes instants as integers and truth as 0 and 1, here as everywhere. */
function asJson<C extends string>(
  alias: string,
  names: readonly C[],
  rows: readonly Readonly<Record<C, unknown>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows.map((row) => names.map((name) => encode(row[name]))));
  const fields = names.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(fields)} from json_each(${json})) as ${sql.table(alias)}`;
}

function encode(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}
