/** One batch of the sweep at a time, without a dispatch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { RunAgain } from '../../src/db/transact.ts';
import type { OutgoingPush } from '../../src/deliveries/outgoing-push.ts';
import { Sweep } from '../../src/engine/sweep.ts';
import { type BatchSize, sliceOf } from '../../src/lib/batch-size.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { startTestApp } from '../support/test-app.ts';

const DUE = new Date('2026-03-02T08:00:00Z');

async function start(engine: EngineName, batchSize: BatchSize) {
  const app = await startTestApp(engine);
  await app.engine?.stop();
  const { db, clock } = app;
  const dispatched = { places: 0, sent: [] as OutgoingPush[] };
  const sweep = new Sweep({
    db,
    clock,
    wallClock: clock,
    leaseMs: 8_000,
    batchSize,
    deliveriesPerMinute: 1_000,
    addOwnChannels: async () => false,
    schema: new SchemaWatch(createLogger('silent')),
    logger: createLogger('silent'),
    dispatcher: {
      isConfigured: () => true,
      limitsOf: () => undefined,
      tellsRequests: () => false,
      reserve: () => {
        dispatched.places += 1;
        return true;
      },
      release: () => {
        dispatched.places -= 1;
      },
      send: (pushes) => void dispatched.sent.push(...pushes),
      checkOutbox: () => undefined,
    },
  });
  return { db, sweep, dispatched, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

onEveryEngine((engine, it) => {
  test('a sweep that runs again after a conflict nudges once, and keeps no place of its first run', async () => {
    let runs = 0;
    const conflictOnce: BatchSize['measure'] = async (_, work) => {
      const result = await work();
      runs += 1;
      if (runs === 1) throw new RunAgain();
      return result;
    };
    await using world = await start(engine, { ...sliceOf(100), measure: conflictOnce });
    const { db, sweep, dispatched } = world;
    await insertDueTasks(db, { tasks: 3, owners: 2, dueAt: DUE });
    assert.equal((await sweep.runOnce()).nudges, 3);
    const stored = await db.selectFrom('timeline').select('id').where('kind', '=', 'nudge').execute();
    assert.deepEqual([runs, stored.length, dispatched.sent.length, dispatched.places], [2, 3, 3, 3]);
  });

  it('two accounts with very many due tasks leave a turn to the third in the first batches', async () => {
    await using world = await start(engine, sliceOf(10));
    const { db, sweep } = world;
    await insertDueTasks(db, { tasks: 200, owners: 2, dueAt: DUE });
    const [quiet = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: new Date(DUE.getTime() + 60_000) });
    const isNudged = async () =>
      (await db.selectFrom('timeline').select('id').where('owner_id', '=', quiet).execute()).length > 0;
    let batches = 0;
    for (; !(await isNudged()); batches += 1) await sweep.runOnce();
    assert.ok(batches <= 4, `after ${batches} batches`);
  });
});
