import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledQuery, PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely';
import { recordedDatabase } from '../../../test/support/recorded-driver.ts';
import { AppError } from '../../lib/errors.ts';
import { PostgresExecutor } from './postgres-executor.ts';

const { db } = recordedDatabase(undefined, 'postgres');
const pointRead = (index: number): CompiledQuery =>
  ({ ...sql.raw(`read ${index}`).compile(db), isPointRead: true }) as CompiledQuery;

/** Reads at the same time. `trips` are the round trips that they share, `alone` the reads that ran by themselves. */
async function readAtOnce(count: number, failure?: Error) {
  const trips: number[] = [];
  const alone: string[] = [];
  const resultOf = ({ sql: text }: CompiledQuery) => ({ rows: [{ text }] });
  const connection = {
    readTogether: async (queries: readonly CompiledQuery[]) => {
      trips.push(queries.length);
      if (failure) throw failure;
      return queries.map(resultOf);
    },
    executeQuery: async (query: CompiledQuery) => {
      alone.push(query.sql);
      return resultOf(query);
    },
    release: () => undefined,
  };
  const pool = { sharedReads: 0 };
  const driver = { pool, acquireConnection: async () => connection, releaseConnection: async () => undefined };
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  const executor = new PostgresExecutor(dialect as never, driver as never);
  const reads = Array.from({ length: count }, (_, index) => executor.executeQuery<{ text: string }>(pointRead(index)));
  const whileWaiting = pool.sharedReads;
  const outcomes = await Promise.allSettled(reads);
  return { trips, alone, outcomes, whileWaiting, afterwards: pool.sharedReads };
}

const textsOf = (outcomes: readonly PromiseSettledResult<{ rows: { text: string }[] }>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.rows[0]?.text : outcome.reason));

test('reads of one moment share round trips of sixteen at most, each has its own row, and none is counted for ever', async () => {
  const { trips, alone, outcomes, whileWaiting, afterwards } = await readAtOnce(36);
  assert.deepEqual([trips, alone], [[16, 16, 4], []]);
  assert.deepEqual(
    textsOf(outcomes),
    Array.from({ length: 36 }, (_, index) => `read ${index}`),
  );
  assert.deepEqual([whileWaiting, afterwards], [36, 0]);
});

test('of reads that shared a round trip which failed each runs again alone, unless the database is unavailable', async () => {
  const failed = await readAtOnce(3, new Error('one of them divides by zero'));
  assert.deepEqual([textsOf(failed.outcomes), failed.afterwards], [['read 0', 'read 1', 'read 2'], 0]);
  const down = await readAtOnce(3, new AppError('database_unavailable'));
  assert.deepEqual([down.alone, down.afterwards], [[], 0]);
  assert.ok(down.outcomes.every(({ status }) => status === 'rejected'));
});
