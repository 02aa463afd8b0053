/** What is stored of outages, and what people are told of them. */
import assert from 'node:assert/strict';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { findLastOutage, insertPeople } from '../../src/outages/outages.store.ts';
import { SignsOfLife } from '../../src/outages/signs-of-life.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startScenario } from '../support/scenario.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

onEveryEngine((engine, it) => {
  it('the ten newest outages are told, the newest first, and all apps of a person hear that one was dismissed', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const { db, clock } = app;
    const task = await scenario.create({});
    const ids: string[] = [];
    for (let hoursAgo = 12; hoursAgo > 0; hoursAgo -= 1) {
      const [id, ended_at] = [newId(), new Date(clock.now().getTime() - hoursAgo * 3_600_000)];
      const started_at = new Date(ended_at.getTime() - 600_000);
      const real = { real_started_at: started_at, real_ended_at: ended_at };
      await db
        .insertInto('outages')
        .values({ id, started_at, ended_at, ...real, people: 1, nudges: 1 })
        .execute();
      await db
        .insertInto('outage_people')
        .values({ user_id: ada.userId, outage_id: id, nudges: 1, dismissed_at: null })
        .execute();
      await db
        .insertInto('outage_nudges')
        .values({ user_id: ada.userId, outage_id: id, task_id: task.id, planned_at: started_at })
        .execute();
      ids.unshift(id);
    }
    const told = async () => {
      const { data } = (await ada.ask('GET', '/v1/me/outages')).body;
      return data.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await told(), ids.slice(0, 10));
    assert.equal((await findLastOutage(db))?.id, ids[0]);
    const heard: string[] = [];
    assert.ok(db instanceof DirectDatabase);
    db.announcer = { announce: (people) => void heard.push(...people) };
    await ada.ask('DELETE', `/v1/me/outages/${ids[0]}`);
    assert.deepEqual(heard, [ada.userId]);
    assert.deepEqual(await told(), ids.slice(1, 11));
  });

  it('a nudge is late by a minute of real time, however fast the clock of the service runs, and nobody who left is counted', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    await scenario.app.engine?.stop();
    const wallClock = new FakeClock('2026-03-02T10:00:00Z');
    const clock = new FakeClock('2026-03-02T12:00:00Z');
    const minutesBefore = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);
    for (const minutes of [21, 19])
      await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: minutesBefore(minutes), withDevices: false });
    const [gone = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: minutesBefore(60), withDevices: false });
    await db.updateTable('users').set({ deleted_at: clock.now() }).where('id', '=', gone).execute();
    const logger = createLogger('silent');
    await new SignsOfLife({ db, clock, wallClock, clockSpeed: 20, schema: new SchemaWatch(logger), logger }).show();
    const outage = await findLastOutage(db);
    assert.deepEqual([outage?.people, outage?.nudges], [1, 1]);
    await db.deleteFrom('outage_people').execute();
    assert.equal((await insertPeople(db, outage?.id ?? '', clock.now(), LOWEST_ID, 10)).length, 2);
  });
});
