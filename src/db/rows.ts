/**
 * Passes any number of rows in a parameter list of constant length. The text of the statement stays the
 * same, so it is prepared once, and a batch costs one round trip.
 */
import { type CompiledQuery, type Expression, type RawBuilder, sql } from 'kysely';
import { preparedQuery } from './prepared.ts';
import { type Db, isPostgres } from './schema.ts';

type ColumnType = 'uuid' | 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamptz';

/** A table `alias` with these columns, for a `from` clause: `update … from ${rowsAsTable(…)} where …`. */
export function rowsAsTable<C extends string>(
  db: Db,
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

/** SQLite stores instants as integers and booleans as 0 and 1. */
function asJson<C extends string>(
  alias: string,
  names: readonly C[],
  rows: readonly Readonly<Record<C, unknown>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows.map((row) => names.map((name) => encode(row[name]))));
  const fields = names.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(fields)} from json_each(${json})) as ${sql.table(alias)}`;
}

/** A condition on `owner_id`, with one parameter for any number of ids. Also true for a row without an owner. */
export const ownerNotIn = (db: Db, ids: readonly string[]) =>
  isPostgres(db)
    ? sql<boolean>`(owner_id is null or owner_id <> all(${ids}::uuid[]))`
    : sql<boolean>`(owner_id is null or owner_id not in (select value from json_each(${JSON.stringify(ids)})))`;

/** The end of a condition, for any number of ids: `where('task_id', ...among(db, ids))`. */
export const among = (db: Db, ids: readonly string[]) => amongParameter(db, idsParameter(db, ids));

/** The same in a prepared query, whose value `idsParameter` makes. */
export function amongParameter(db: Db, parameter: unknown) {
  const list = isPostgres(db)
    ? sql<string>`any(${parameter}::uuid[])`
    : sql<string>`(select value from json_each(${parameter}))`;
  return [isPostgres(db) ? '=' : 'in', list] as const;
}

export const idsParameter = (db: Db, ids: readonly string[]): unknown => (isPostgres(db) ? ids : JSON.stringify(ids));

function encode(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Returns the ids that the query selects, in its order. The database joins them to one text, because decoding
 * 50,000 rows would hold the event loop twice as long.
 */
export async function selectIds(db: Db, query: Expression<{ id: string }>): Promise<string[]> {
  return splitIds((await joinIds(query).execute(db)).rows);
}

/** The same for a query that runs with every request. `splitIds` takes the ids out of its row. */
export const preparedIds = <V extends readonly unknown[]>(
  build: (db: Db, ...values: V) => Expression<{ id: string }>,
): ((db: Db, ...values: V) => CompiledQuery<JoinedIds>) =>
  preparedQuery((db, ...values: V) => ({ compile: () => joinIds(build(db, ...values)).compile(db) }));

interface JoinedIds {
  readonly ids: string | null;
}

const joinIds = (query: Expression<{ id: string }>) =>
  sql<JoinedIds>`select string_agg(cast(id as text), ',') as ids from ${query} as selected`;

export const splitIds = ([row]: readonly JoinedIds[]): string[] => row?.ids?.split(',') ?? [];
