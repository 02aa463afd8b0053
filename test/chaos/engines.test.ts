import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertDueTasks } from '../support/due-tasks.ts';
import { countUnsent, EngineFleet } from '../support/engine-fleet.ts';
import { createDatabase, onlyOn } from '../support/engines.ts';
import { sized } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const TASKS = sized(800, 20_000);

onlyOn('postgres', () => {
  test('three engines nudge each of thousands of tasks once; after one is killed, only what it had leased may be repeated, once', async () => {
    const database = await createDatabase('postgres');
    {
      await using app = await startTestApp('postgres', { databaseUrl: database.url, settings: { ROLE: 'api' } });
      await using fleet = new EngineFleet();
      await fleet.start({ databaseUrl: database.url, shiftsMs: [0, 0, 0], sendMs: 5 });
      const insert = () => insertDueTasks(app.db, { tasks: TASKS, owners: 500, dueAt: new Date(Date.now() - 1_000) });
      const allSent = () => waitUntil(async () => (await countUnsent(app.db)) === 0);
      await insert();
      await allSent();
      assert.equal(fleet.countByTask('nudge').size, TASKS);
      assert.deepEqual([...new Set(fleet.countByTask('nudge').values())], [1]);
      const { nudges } = await app.db
        .selectFrom('task_counts')
        .select((eb) => eb.fn.sum<number>('nudges_sent').as('nudges'))
        .executeTakeFirstOrThrow();
      assert.equal(Number(nudges), TASKS);

      await insert();
      await waitUntil(async () => fleet.countByTask('nudge').size > 1.2 * TASKS);
      fleet.engines[0]?.kill('SIGKILL');
      await allSent();
      const shown = fleet.countByTask('nudge');
      assert.equal(shown.size, 2 * TASKS);
      const repeated = [...shown.values()].filter((times) => times > 1);
      assert.ok(
        repeated.every((times) => times === 2),
        'a delivery was repeated more than once',
      );
      assert.ok(repeated.length <= 300, `${repeated.length} repeats are more than one engine can have in flight`);
      const steps = await app.db.selectFrom('tasks').select('nudge_count').distinct().execute();
      assert.deepEqual(steps, [{ nudge_count: 1 }]);
    }
    await database.drop();
  });
});
