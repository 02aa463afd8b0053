/**
 * Queries that run with every request. On SQLite, building and compiling one costs more than running it, so it is
 * built once per engine, with placeholders, and then runs with the values of each call.
 */
import type { Compilable, CompiledQuery } from 'kysely';
import { type Db, isPostgres } from './schema.ts';

type Build<V extends readonly unknown[], R> = (db: Db, ...values: V) => Compilable<R>;

interface Prepared<R> {
  readonly query: CompiledQuery<R>;
  /** For each parameter, which value of the call it is; -1 for a constant of the query. */
  readonly sources: readonly number[];
}

/** `build` gets placeholders and may only pass them on to the query: whatever it decides holds for all calls. */
export function prepared<V extends readonly unknown[], R>(build: Build<V, R>): (db: Db, ...values: V) => Promise<R[]> {
  const byEngine = new Map<string, Prepared<R>>();
  return async (db, ...values) => {
    const engine = isPostgres(db) ? 'postgres' : 'sqlite';
    const known = byEngine.get(engine) ?? compile(build, db, values.length);
    byEngine.set(engine, known);
    const { query, sources } = known;
    const parameters = sources.map((source, index) => (source === -1 ? query.parameters[index] : values[source]));
    const { rows } = await db.getExecutor().executeQuery<R>({ ...query, parameters });
    return rows;
  };
}

function compile<V extends readonly unknown[], R>(build: Build<V, R>, db: Db, count: number): Prepared<R> {
  const placeholders: readonly unknown[] = Array.from({ length: count }, (_, index) => Symbol(`value ${index}`));
  const query = build(db, ...(placeholders as V)).compile();
  const sources = query.parameters.map((parameter) => placeholders.indexOf(parameter));
  if (placeholders.some((_, index) => !sources.includes(index))) throw new Error('A prepared query lost a value.');
  return { query, sources };
}
