import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { AppError } from '../lib/errors.ts';
import { Health, type HealthSources } from './health.ts';

const SOURCES: HealthSources = {
  pingDatabase: async () => undefined,
  clock: new FakeClock(),
  findLateSince: async () => null,
  isOutdated: () => false,
  olderProcesses: () => 0,
  lastSweepAt: () => null,
};

const never = () => new Promise<never>(() => {});

/** What is known after one turn, so that a check that hangs fails the test instead of hanging it. */
const soon = (checking: Promise<unknown>): Promise<unknown> => Promise.race([checking, nextTurn('nothing yet')]);
const refusalOf = (checking: Promise<number>): Promise<unknown> => checking.then(String, ({ code }) => code);

for (const [what, sources] of Object.entries({
  'answers nothing': { pingDatabase: never },
  'answers one query and hangs in the next': { findLateSince: never },
}))
  test(`a database that ${what} is told as unavailable after two seconds, and asked anew by the next call`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let asked = 0;
    const pingDatabase = sources.pingDatabase ?? SOURCES.pingDatabase;
    const health = new Health({
      ...SOURCES,
      ...sources,
      pingDatabase: () => {
        asked += 1;
        return pingDatabase();
      },
    });
    for (const round of [1, 2]) {
      const refused = refusalOf(health.check());
      await nextTurn();
      t.mock.timers.tick(2_000);
      assert.equal(await soon(refused), 'database_unavailable');
      assert.equal(asked, round);
    }
  });

test('the two queries of a check share two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pinged = Promise.withResolvers<undefined>();
  const health = new Health({ ...SOURCES, pingDatabase: () => pinged.promise, findLateSince: never });
  const refused = refusalOf(health.check());
  t.mock.timers.tick(1_500);
  pinged.resolve(undefined);
  await nextTurn();
  t.mock.timers.tick(500);
  assert.equal(await soon(refused), 'database_unavailable');
});

test('an answer that arrived just in time counts, and calls at the same time share it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const pinged = Promise.withResolvers<undefined>();
  const health = new Health({
    ...SOURCES,
    pingDatabase: () => {
      asked += 1;
      return pinged.promise;
    },
  });
  const answers = Promise.all([health.check(), health.check()]);
  t.mock.timers.tick(2_000);
  pinged.resolve(undefined);
  assert.deepEqual(await answers, [0, 0]);
  assert.equal(asked, 1);
});

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

test('nudges that are a minute late are no fault yet', async () => {
  const clock = new FakeClock();
  const lateSince = clock.now();
  const health = new Health({ ...SOURCES, clock, findLateSince: async () => lateSince });
  await clock.advance('60s');
  assert.equal(await health.check(), 60);
  await clock.advance('1ms');
  assert.equal(await refusalOf(health.check()), 'engine_late');
});
