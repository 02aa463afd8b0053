import type { CompiledQuery } from 'kysely';
import type { Db } from '../../src/db/schema.ts';

/** A database that records each query as it is compiled for its engine. */
export function recordQueries(db: Db) {
  const queries: CompiledQuery[] = [];
  const spy = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { queries, spy };
}
