/**
 * Queries that run with every request. Building and compiling one can cost more than running it, so it is built once
 * per engine, with placeholders, and then runs with the values of each call.
 */
import type { Compilable, CompiledQuery, Expression, Insertable, QueryResult } from 'kysely';
import { type Database, type Db, isPostgres } from './schema.ts';

type Build<V extends readonly unknown[], R> = (db: Db, ...values: V) => Compilable<R>;

interface Prepared<R> {
  readonly query: CompiledQuery<R>;
  /** For each parameter, which value of the call it is; -1 for a constant of the query. */
  readonly sources: readonly number[];
}

/** `build` gets placeholders and may only pass them to the query: it runs once, so its choices apply to all calls. */
export function prepared<V extends readonly unknown[], R>(build: Build<V, R>): (db: Db, ...values: V) => Promise<R[]> {
  const compileOnce = preparedQuery(build);
  return (db, ...values) =>
    db
      .getExecutor()
      .executeQuery<R>(compileOnce(db, ...values))
      .then(rowsOf);
}

/** The same for its first row. */
export function preparedFirst<V extends readonly unknown[], R>(
  build: Build<V, R>,
): (db: Db, ...values: V) => Promise<R | undefined> {
  const run = prepared(build);
  return async (db, ...values) => (await run(db, ...values))[0];
}

const rowsOf = <R>({ rows }: QueryResult<R>): R[] => rows;
const firstOf = <R>({ rows }: QueryResult<R>): R | undefined => rows[0];

/**
 * The same for a read of one row by its key, outside of a transaction. On PostgreSQL the point reads of one event-loop
 * turn share a round trip, so each must be fast: the others wait for its rows.
 */
export function pointRead<V extends readonly unknown[], R>(
  build: Build<V, R>,
): (db: Db, ...values: V) => Promise<R | undefined> {
  const compileOnce = preparedQuery((db, ...values: V) => ({
    compile: () => ({ ...build(db, ...values).compile(), isPointRead: true }),
  }));
  return (db, ...values) =>
    db
      .getExecutor()
      .executeQuery<R>(compileOnce(db, ...values))
      .then(firstOf);
}

export const isPointRead = (query: CompiledQuery): boolean => 'isPointRead' in query;

/** The same for a query that is sent with others (`batch.ts`). */
export function preparedQuery<V extends readonly unknown[], R>(
  build: Build<V, R>,
): (db: Db, ...values: V) => CompiledQuery<R> {
  const byEngine = new Map<string, Prepared<R>>();
  return (db, ...values) => {
    const engine = isPostgres(db) ? 'postgres' : 'sqlite';
    const known = byEngine.get(engine) ?? compile(build, db, values.length);
    byEngine.set(engine, known);
    const { query, sources } = known;
    const parameters = sources.map((source, index) => (source === -1 ? query.parameters[index] : values[source]));
    return { ...query, parameters };
  };
}

/** An insert of one row. It is built once for each set of columns, so no client may choose the columns. */
export function preparedInsert<T extends keyof Database & string, C extends string = never>(
  table: T,
  constants?: Readonly<Record<C, Expression<unknown>>>,
): (db: Db, row: Omit<Insertable<Database[T]>, C>) => CompiledQuery {
  const byColumns = new Map<string, (db: Db, ...values: unknown[]) => CompiledQuery>();
  return (db, row) => {
    const names = Object.keys(row);
    const key = names.join();
    const known =
      byColumns.get(key) ??
      preparedQuery((builder, ...values: unknown[]) => {
        const entries = names.map((name, index) => [name, values[index]]);
        return builder.insertInto(table).values({ ...Object.fromEntries(entries), ...constants });
      });
    byColumns.set(key, known);
    return known(db, ...Object.values(row));
  };
}

/** A client's request decides which columns change, so there may be thousands of sets. */
const MOST_SETS = 50;

/** A change of the row with this id. It is built once for each set of columns, up to a number of sets. */
export function preparedUpdate<C extends object>(
  build: (db: Db, id: string, changes: C) => Compilable,
): (db: Db, id: string, changes: C) => CompiledQuery {
  const bySet = new Map<string, (db: Db, id: string, ...values: unknown[]) => CompiledQuery>();
  return (db, id, changes) => {
    // An undefined value changes nothing, as in any other update.
    const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
    const names = changed.map(([name]) => name);
    const key = names.join();
    const known =
      bySet.get(key) ??
      preparedQuery((builder, rowId: string, ...values: unknown[]) =>
        build(builder, rowId, Object.fromEntries(names.map((name, index) => [name, values[index]])) as C),
      );
    if (bySet.size < MOST_SETS) bySet.set(key, known);
    return known(db, id, ...changed.map(([, value]) => value));
  };
}

function compile<V extends readonly unknown[], R>(build: Build<V, R>, db: Db, count: number): Prepared<R> {
  const placeholders: readonly unknown[] = Array.from({ length: count }, (_, index) => Symbol(`value ${index}`));
  const query = build(db, ...(placeholders as V)).compile();
  const sources = query.parameters.map((parameter) => placeholders.indexOf(parameter));
  if (placeholders.some((_, index) => !sources.includes(index))) throw new Error('A prepared query lost a value.');
  return { query, sources };
}
