/**
 * Passes any number of rows in a parameter list of constant length. The text of the statement stays the
 * same, so it is prepared once, and a batch costs one round trip.
 */
import { type CompiledQuery, type Expression, type RawBuilder, sql } from 'kysely';
import { prepared, preparedQuery } from './prepared.ts';
import { type Db, isPostgres } from './schema.ts';

export type ColumnType = 'uuid' | 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamptz';

/** A table `alias` with these columns, for a `from` clause: `update … from ${rowsAsTable(…)} where …`. */
export function rowsAsTable<C extends string>(
  db: Db,
  alias: string,
  columns: Readonly<Record<C, ColumnType>>,
  rows: readonly Readonly<Record<C, unknown>>[],
): RawBuilder<unknown> {
  return tableOf(db, alias, columns, rowsParameters(db, columns, rows));
}

/** A statement with such a table that runs with every batch. It is built once (`prepared.ts`). Returns its rows. */
export function preparedRows<C extends string, V extends readonly unknown[] = []>(
  alias: string,
  columns: Readonly<Record<C, ColumnType>>,
  build: (db: Db, table: RawBuilder<unknown>, ...values: V) => RawBuilder<unknown>,
): (db: Db, rows: readonly Readonly<Record<C, unknown>>[], ...values: V) => Promise<readonly unknown[]> {
  const query = prepared((db, ...values: unknown[]) => {
    const count = isPostgres(db) ? Object.keys(columns).length : 1;
    const table = tableOf(db, alias, columns, values.slice(0, count));
    return { compile: () => build(db, table, ...(values.slice(count) as unknown as V)).compile(db) };
  });
  return (db, rows, ...values) => query(db, ...rowsParameters(db, columns, rows), ...values);
}

/** PostgreSQL gets an array per column, SQLite one text with all rows: instants as integers, booleans as 0 and 1. */
function rowsParameters<C extends string>(
  db: Db,
  columns: Readonly<Record<C, ColumnType>>,
  rows: readonly Readonly<Record<C, unknown>>[],
): unknown[] {
  const names = Object.keys(columns) as C[];
  if (isPostgres(db)) return names.map((name) => rows.map((row) => row[name]));
  return [JSON.stringify(rows.map((row) => names.map((name) => encode(row[name]))))];
}

function tableOf(
  db: Db,
  alias: string,
  columns: Readonly<Record<string, ColumnType>>,
  parameters: readonly unknown[],
): RawBuilder<unknown> {
  const names = Object.keys(columns);
  if (isPostgres(db)) {
    const arrays = names.map((name, index) => sql`${parameters[index]}::${sql.raw(`${columns[name]}[]`)}`);
    return sql`unnest(${sql.join(arrays)}) as ${sql.raw(`"${alias}" (${listNames(names)})`)}`;
  }
  const fields = names.map((name, index) => `value ->> ${index} as "${name}"`);
  return sql`(select ${sql.raw(fields.join(', '))} from json_each(${parameters[0]})) as ${sql.raw(`"${alias}"`)}`;
}

/** As text: a node for each name would cost more to compile than the statement costs to run. */
export const listNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** A condition with one parameter for any number of ids. */
export const notAmong = (db: Db, column: 'owner_id' | 'recipient_id', ids: readonly string[]) =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} <> all(${ids}::uuid[])`
    : sql<boolean>`${sql.ref(column)} not in (select value from json_each(${JSON.stringify(ids)}))`;

/** Whether a text is one of any number. */
export const textIn = (db: Db, text: RawBuilder<unknown>, values: readonly string[]) =>
  isPostgres(db)
    ? sql<boolean>`${text} = any(${values}::text[])`
    : sql<boolean>`${text} in (select value from json_each(${JSON.stringify(values)}))`;

/** The same for any text. */
export const textNotIn = (db: Db, text: RawBuilder<unknown>, values: readonly string[]) =>
  isPostgres(db)
    ? sql<boolean>`(${text} is null or ${text} <> all(${values}::text[]))`
    : sql<boolean>`(${text} is null or ${text} not in (select value from json_each(${JSON.stringify(values)})))`;

/** The end of a condition, for any number of ids: `where('task_id', ...among(db, ids))`. */
export const among = (db: Db, ids: readonly string[]) => amongParameter(db, idsParameter(db, ids));

/** The same in a prepared query. `idsParameter` makes its value. */
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
 * 50,000 rows would block the event loop twice as long.
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

/** The length of a task's long texts. The databases know it without reading the texts. */
export const textBytes = sql<number>`coalesce(octet_length(notes), 0) + coalesce(octet_length(recurrence), 0)`;
