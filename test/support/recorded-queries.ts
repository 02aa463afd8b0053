import type { CompiledQuery } from 'kysely';
import type { Db } from '../../src/db/schema.ts';

/** A database that records each query as it is compiled for its engine, once if it was compiled before. */
export function recordQueries(db: Db) {
  const queries: CompiledQuery[] = [];
  const spy = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const executor = spy.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = (query, ...rest) => {
    // A prepared query is compiled with placeholders, and has its values only now.
    const compiledAt = queries.findIndex(({ queryId }) => queryId === query.queryId);
    if (compiledAt === -1) queries.push(query);
    else queries[compiledAt] = query;
    return execute(query, ...rest);
  };
  return { queries, spy };
}
