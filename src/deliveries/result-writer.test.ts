import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Database } from '../db/schema.ts';
import { fixedBatchSize } from '../lib/batch-size.ts';
import { AppError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import { ResultWriter } from './result-writer.ts';

/** A database that cannot be reached. */
const unreachable = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => {
        throw new AppError('database_unavailable');
      },
      beginTransaction: async () => {},
      commitTransaction: async () => {},
      rollbackTransaction: async () => {},
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  },
});

test('stopping does not wait for ever for an unreachable database', async () => {
  const failedTwice = Promise.withResolvers<void>();
  let failures = 0;
  const write = () => {
    failures += 1;
    if (failures === 2) failedTwice.resolve();
  };
  const results = new ResultWriter(unreachable, new FakeClock(), fixedBatchSize, createLogger('warn', { write }));
  const key = { entry_id: 'a', target_id: 'b', kind: 'nudge' } as const;
  const row = {
    ...key,
    status: 'sent',
    waits_for: null,
    reason: null,
    attempts: 1,
    next_attempt_at: new Date(0),
    ref: null,
  } as const;
  results.write({ row, deadToken: null, channel: null, onStored: () => assert.fail('it was not stored') });
  // Attempts before the stop do not count.
  await failedTwice.promise;
  await results.close();
});
