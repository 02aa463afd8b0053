import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { AppError } from '../lib/errors.ts';
import { Health } from './health.ts';

test('calls at the same time share one measurement, and a later one measures again', async () => {
  const clock = new FakeClock();
  let lateSince: Date | null = null;
  let measured = 0;
  const health = new Health({
    clock,
    pingDatabase: async () => {
      measured += 1;
      if (measured === 3) throw new AppError('database_unavailable');
    },
    findLateSince: async () => lateSince,
    isOutdated: () => false,
    olderProcesses: () => 0,
    lastSweepAt: () => null,
  });
  assert.deepEqual([await Promise.all([health.check(), health.check()]), measured], [[0, 0], 1]);
  lateSince = clock.now();
  await clock.advance('61s');
  await assert.rejects(health.check(), { code: 'engine_late' });
  lateSince = null;
  await assert.rejects(health.check(), { code: 'database_unavailable' });
  assert.equal(await health.check(), 0);
});
