import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { insertDueTasks } from '../support/due-tasks.ts';
import { countUnsent, EngineFleet } from '../support/engine-fleet.ts';
import { createDatabase, onlyOn } from '../support/engines.ts';
import { sized, testInFull } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const TASKS = sized(800, 20_000);

onlyOn('postgres', () => {
  testInFull(
    'an engine of the next release takes over from one of this release under load: no nudge is lost, none comes twice',
    async () => {
      await using closing = new AsyncDisposableStack();
      const { url: databaseUrl } = closing.adopt(await createDatabase('postgres'), ({ drop }) => drop());
      const app = closing.use(await startTestApp('postgres', { databaseUrl, settings: { ROLE: 'api' } }));
      const fleet = closing.use(new EngineFleet());
      await fleet.start({ databaseUrl, shiftsMs: [0], sendMs: 20 });
      const half = TASKS / 2;
      // The new engine has few places: what it planned waits for seconds, and the old one could take it.
      const places = half / 80;
      const started = fleet.start({ databaseUrl, shiftsMs: [0], sendMs: 20, isNextRelease: true, places });
      // The old engine works while the new one migrates.
      let inserted = 0;
      for (let isUp = false; !isUp; ) {
        await insertDueTasks(app.db, { tasks: 40, owners: 4, dueAt: new Date(Date.now() - 1_000) });
        inserted += 40;
        isUp = await Promise.race([
          started.then(() => true),
          waitUntil(async () => (await countUnsent(app.db)) < 20).then(() => false),
        ]);
      }
      await started;
      const tasksBefore = new Set((await app.db.selectFrom('tasks').select('id').execute()).map(({ id }) => id));
      await insertDueTasks(app.db, { tasks: half, owners: 100, dueAt: new Date(Date.now() - 1_000) });
      await waitUntil(async () => (await countUnsent(app.db)) === 0);
      const counts = fleet.countByTask('nudge');
      assert.equal(counts.size, inserted + half);
      assert.deepEqual([...new Set(counts.values())], [1]);
      const ofOld = fleet.pushes('nudge').filter(({ release }) => release === 'this');
      assert.ok(ofOld.length > 0, 'the old engine worked before');
      const late = ofOld.filter(({ taskId }) => !tasksBefore.has(taskId));
      assert.equal(late.length, 0, 'the old engine sent something after the migration');
      const planned = await sql`select 1 from deliveries where written_by = 'this'`.execute(app.db);
      assert.equal(planned.rows.length, 0, 'the old engine planned something after the migration');
    },
  );

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
