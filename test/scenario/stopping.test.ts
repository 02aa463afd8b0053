import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Engine } from '../../src/engine/engine.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { SignsOfLife } from '../../src/outages/signs-of-life.ts';
import { UnderstudySender } from '../../src/understudies/understudy-sender.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine) => {
  test('the engine says that it has stopped when its sweep is over and messages that are being placed are answered', async ({
    mock,
  }) => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: new Date(clock.now().getTime() - 60_000) });
    const order: string[] = [];
    const later = async (name: string, turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      order.push(name);
    };
    mock.method(UnderstudySender.prototype, 'stop', () => later('answered', 50));
    mock.method(SignsOfLife.prototype, 'end', async () => void order.push('stopped'));
    const sweeping = Promise.withResolvers<void>();
    const stopped = new Engine({
      db,
      clock,
      wallClock: clock,
      gateways: {},
      slices: {} as never,
      addOwnChannels: async () => false,
      deliveriesPerMinute: 100,
      logger: createLogger('silent'),
      aroundSweep: async (sweep) => {
        sweeping.resolve();
        await later('swept', 200);
        return sweep();
      },
    });
    stopped.start();
    await sweeping.promise;
    await stopped.stop();
    // On PostgreSQL two batches run at once.
    assert.deepEqual([...new Set(order)], ['swept', 'answered', 'stopped']);
  });
});
