import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Database } from '../db/schema.ts';
import { AppError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import { Ledger } from './ledger.ts';
import { steadyPace } from './pace.ts';

/** A database that cannot be reached. */
const away = new Kysely<Database>({
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

test('an engine that stops does not wait for ever for a database that is away', async () => {
  const failedTwice = Promise.withResolvers<void>();
  let failures = 0;
  const write = () => {
    failures += 1;
    if (failures === 2) failedTwice.resolve();
  };
  const ledger = new Ledger(away, new FakeClock(), steadyPace, createLogger('warn', { write }));
  const key = { entry_id: 'a', target_id: 'b', kind: 'nudge' } as const;
  const outcome = { ...key, status: 'sent', reason: null, attempts: 1, next_attempt_at: new Date(0) } as const;
  ledger.record({ outcome, loss: null, stored: () => assert.fail('it was not stored') });
  // It has failed some times before anybody wants to stop.
  await failedTwice.promise;
  await ledger.close();
});
