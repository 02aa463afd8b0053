import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DatabaseConnection, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Database } from '../db/schema.ts';
import { fixedBatchSize } from '../lib/batch-size.ts';
import { AppError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import { ResultWriter } from './result-writer.ts';

/** A database that gets its connections from there. */
const databaseWith = (acquireConnection: () => Promise<DatabaseConnection>) =>
  new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection,
        beginTransaction: async () => {},
        commitTransaction: async () => {},
        rollbackTransaction: async () => {},
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  });

const rowOf = (entry_id: string) =>
  ({
    entry_id,
    target_id: 'b',
    kind: 'nudge',
    status: 'sent',
    waits_for: null,
    reason: null,
    attempts: 1,
    next_attempt_at: new Date(0),
    ref: null,
  }) as const;

test('a result that cannot be stored costs no other result its place', async () => {
  const stored: string[] = [];
  const db = databaseWith(async () => ({
    executeQuery: async ({ parameters }) => {
      const text = JSON.stringify(parameters);
      if (text.includes('odd')) throw new Error('The database cannot store this.');
      stored.push(text);
      return { rows: [] };
    },
    streamQuery: () => assert.fail('nothing is streamed'),
  }));
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const results = new ResultWriter(db, new FakeClock(), fixedBatchSize, logger);
  let finished = 0;
  const onStored = () => {
    finished += 1;
  };
  for (const id of ['first', 'odd', 'last'])
    results.write({ row: rowOf(id), deadToken: null, channel: null, onStored });
  await results.close();
  assert.equal(finished, 3, 'nothing waits for the odd one');
  for (const id of ['first', 'last'])
    assert.ok(
      stored.some((text) => text.includes(id)),
      id,
    );
  assert.deepEqual([lines.length, lines[0]?.includes('"odd"')], [1, true], lines.join());
});

test('a result whose turn alone comes in an outage waits for the end of it, and those before it are stored once', async () => {
  const [stored, asked]: [string[], string[]] = [[], []];
  const db = databaseWith(async () => ({
    executeQuery: async ({ parameters }) => {
      const text = JSON.stringify(parameters);
      if (text.includes('odd')) throw new Error('The database cannot store this.');
      asked.push(text);
      if (asked.length === 2) throw new AppError('database_unavailable');
      stored.push(text);
      return { rows: [] };
    },
    streamQuery: () => assert.fail('nothing is streamed'),
  }));
  const results = new ResultWriter(db, new FakeClock(), fixedBatchSize, createLogger('silent'));
  const finished: string[] = [];
  for (const id of ['first', 'odd', 'last'])
    results.write({ row: rowOf(id), deadToken: null, channel: null, onStored: () => void finished.push(id) });
  await results.close();
  assert.deepEqual(finished, ['first', 'odd', 'last']);
  assert.deepEqual(
    ['first', 'last'].map((id) => stored.filter((text) => text.includes(id)).length),
    [1, 1],
  );
});

test('a result that comes while the last ones are being finished is stored before the writer is closed', async () => {
  const stored: string[] = [];
  const db = databaseWith(async () => ({
    executeQuery: async ({ parameters }) => {
      stored.push(JSON.stringify(parameters));
      return { rows: [] };
    },
    streamQuery: () => assert.fail('nothing is streamed'),
  }));
  const results = new ResultWriter(db, new FakeClock(), fixedBatchSize, createLogger('silent'));
  const write = (id: string, onStored = () => {}) =>
    results.write({ row: rowOf(id), deadToken: null, channel: null, onStored });
  write('first', () => queueMicrotask(() => write('late')));
  await results.close();
  assert.ok(stored.some((text) => text.includes('late')));
});

test('stopping does not wait for ever for an unreachable database', async () => {
  const failedTwice = Promise.withResolvers<void>();
  let failures = 0;
  const write = () => {
    failures += 1;
    if (failures === 2) failedTwice.resolve();
  };
  const unreachable = databaseWith(async () => {
    // A writer that never gives up gets another error, so that the test ends.
    throw failures > 9 ? new Error('The writer has not given up.') : new AppError('database_unavailable');
  });
  const results = new ResultWriter(unreachable, new FakeClock(), fixedBatchSize, createLogger('warn', { write }));
  const onStored = () => assert.fail('it was not stored');
  results.write({ row: rowOf('a'), deadToken: null, channel: null, onStored });
  // Attempts before the stop do not count.
  await failedTwice.promise;
  await results.close();
});
