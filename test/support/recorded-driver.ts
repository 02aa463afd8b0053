/** A database that runs nothing: it tells which statements it got, and answers what a test says. */
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from '../../src/db/schema.ts';

export function recordedDatabase(
  answer: (query: CompiledQuery) => readonly object[] = () => [],
  engine: 'sqlite' | 'postgres' = 'sqlite',
) {
  const queries: CompiledQuery[] = [];
  const isSqlite = engine === 'sqlite';
  class RecordedDriver extends DummyDriver {
    override async acquireConnection() {
      const executeQuery = async (query: CompiledQuery) => {
        queries.push(query);
        return { rows: [...answer(query)] as never[] };
      };
      return { executeQuery, streamQuery: () => Promise.reject(new Error('not streamed')) as never };
    }
  }
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new RecordedDriver(),
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  });
  return { db, queries };
}
