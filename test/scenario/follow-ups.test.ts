/** Work that grows with an account runs in slices, and nobody can tell except by how little it delays others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { findUser } from '../../src/accounts/users.store.ts';
import { listPeople } from '../../src/admin/people.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { transact } from '../../src/db/transact.ts';
import type { Slices } from '../../src/follow-ups/follow-ups.ts';
import { FollowUps } from '../../src/follow-ups/run-follow-ups.ts';
import { sliceOf } from '../../src/lib/batch-size.ts';
import { newId, withAscendingIds } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { countFollowUps, countStale, ROWS, type SlicedApp, startSlicedApp } from '../support/slices.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { SyncClient } from '../support/sync-client.ts';
import { tablesNaming } from '../support/tables-naming.ts';
import { waitUntil } from '../support/wait-until.ts';

async function create(person: Person, fields: object = {}): Promise<string> {
  const { status, body } = await person.ask('POST', '/v1/tasks', { title: 'pills', ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

async function createMany(person: Person, count: number, fields: object = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await create(person, fields));
  return ids;
}

/** No answer to the viewer names the account. */
async function assertUnseen(viewer: Person, userId: string, space: string, taskId: string): Promise<void> {
  const lists = ['/v1/tasks', '/v1/tasks?assigned=true', '/v1/tasks/search?q=pills', '/v1/sync', '/v1/me/export'];
  const ofSpace = ['tasks', 'members'].map((part) => `/v1/spaces/${space}/${part}`);
  for (const url of [...lists, '/v1/spaces', ...ofSpace, `/v1/tasks/${taskId}`, `/v1/tasks/${taskId}/timeline`]) {
    const { status, body } = await viewer.ask('GET', url);
    assert.deepEqual([status, JSON.stringify(body).includes(userId)], [200, false], url);
  }
}

onEveryEngine((engine) => {
  let sliced: SlicedApp;
  let phone: FakePhones;
  const clock = new FakeClock();
  before(async () => {
    phone = new FakePhones(clock);
    sliced = await startSlicedApp(engine, { clock, phone });
  });
  after(() => sliced.app[Symbol.asyncDispose]());

  test('a slice changes no more rows than it may, and requests of the account and of others are answered in between', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const ids = await createMany(ada, 9, { due_at: '2026-06-01T12:00:00', has_time: false });
    assert.equal((await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' })).status, 200);
    let stale = await countStale(app.db, ada.userId);
    assert.equal(stale, 9 - ROWS);
    while (stale > 0) {
      await runSlices(1);
      const left = await countStale(app.db, ada.userId);
      assert.equal(left, Math.max(0, stale - ROWS));
      stale = left;
      await create(bob);
      const tasks = (await ada.ask('GET', '/v1/tasks')).body.data as { next_fire_at: string }[];
      for (const id of ids) tasks.push((await ada.ask('GET', `/v1/tasks/${id}`)).body.data);
      assert.deepEqual(new Set(tasks.map((task) => task.next_fire_at)), new Set(['2026-06-01T00:00:00.000Z']));
    }
    await runSlices();
    assert.equal(await countFollowUps(app.db), 0);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('a change of a ladder that many tasks have plans them in slices, and all of them show it at once', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    const ids = await createMany(ada, 6, { due_at: clock.now().toISOString(), has_time: true });
    await app.engine?.settled();
    const rungs = (wait: number) => ({
      rungs: [
        { after: 0, stage: 0 },
        { after: wait, stage: 1 },
      ],
    });
    const ladder = (await ada.ask('POST', '/v1/ladders', { name: 'Mine', ...rungs(30) })).body.data.id;
    assert.equal(await countStale(app.db, ada.userId), 0);
    const check = async (minutes: number) => {
      assert.equal(await countStale(app.db, ada.userId), 6 - ROWS);
      const wanted = new Date(clock.now().getTime() + minutes * 60_000).toISOString();
      for (const id of ids) assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.next_fire_at, wanted);
      await runSlices();
      assert.equal(await countStale(app.db, ada.userId), 0);
      for (const id of ids) assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.next_fire_at, wanted);
    };
    await ada.ask('PUT', '/v1/ladders/default', { ladder_id: ladder });
    await check(30);
    await ada.ask('PATCH', `/v1/ladders/${ladder}`, { name: 'Renamed' });
    assert.equal(await countStale(app.db, ada.userId), 0);
    await ada.ask('PATCH', `/v1/ladders/${ladder}`, rungs(45));
    await check(45);
    await ada.ask('DELETE', `/v1/ladders/${ladder}`);
    await check(15);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('lists and statistics of overdue tasks follow the present zone of the owner before the last slice', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const today = clock.now().toISOString().slice(0, 10);
    const allDay = await createMany(ada, 5, { due_at: `${today}T00:00:00`, has_time: false });
    const timed = await create(ada, { due_at: clock.now().toISOString(), has_time: true });
    const asked = await create(bob, { due_at: `${today}T00:00:00`, has_time: false, owner_id: ada.userId });
    await ada.ask('POST', `/v1/tasks/${asked}/accept`);
    const overdueFor = async (person: Person, query: string) =>
      ((await person.ask('GET', `/v1/tasks?status=overdue${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    const check = async (own: readonly string[], assigned: readonly string[]) => {
      assert.deepEqual(new Set(await overdueFor(ada, '')), new Set(own));
      assert.equal((await ada.ask('GET', '/v1/stats')).body.data.overdue, own.length);
      assert.deepEqual(await overdueFor(bob, '&assigned=true'), assigned);
    };
    await check([timed], []);
    // From ten o'clock in UTC on, it is tomorrow in Kiritimati.
    await clock.advance(`${Math.max(0, 10 - clock.now().getUTCHours())}h`);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Kiritimati' });
    assert.ok((await countStale(app.db, ada.userId)) > 0);
    await check([timed, ...allDay, asked], [asked]);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Pago_Pago' });
    assert.ok((await countStale(app.db, ada.userId)) > 0);
    await check([timed], []);
    await runSlices();
    await check([timed], []);
    for (const id of [...allDay, timed, asked]) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('only tasks whose plan moved get a new updated_at, and only they are synced again', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    const timed = await createMany(ada, 3, { due_at: '2026-06-01T12:00:00Z', has_time: true });
    const allDay = await createMany(ada, 3, { due_at: '2026-06-01T12:00:00', has_time: false });
    const read = async () => {
      const rows = await app.db
        .selectFrom('tasks')
        .select(['id', 'updated_at', 'changed_at'])
        .where('owner_id', '=', ada.userId)
        .execute();
      return new Map(rows.map(({ id, ...stamps }) => [id, JSON.stringify(stamps)]));
    };
    const before = await read();
    await clock.advance('1m');
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await runSlices();
    const now = await read();
    assert.deepEqual(
      timed.map((id) => now.get(id)),
      timed.map((id) => before.get(id)),
    );
    for (const id of allDay) assert.notEqual(now.get(id), before.get(id));
    for (const id of [...timed, ...allDay]) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('a plan that a client saw and that was never stored is synced again once the settings are as before', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    const ids = await createMany(ada, 6, { due_at: '2026-06-01T12:00:00', has_time: false });
    await clock.advance('1m');
    const client = new SyncClient(ada);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await client.sync();
    await clock.advance('1m');
    await ada.ask('PATCH', '/v1/me', { timezone: 'UTC' });
    await runSlices();
    await client.sync();
    await client.assertUpToDate();
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('a stale task that falls due is not nudged by its old plan, and keeps to the new one', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await addDevice(app, ada.userId);
    const due = new Date(clock.now().getTime() + 3_600_000);
    const ids = await createMany(ada, 6, { due_at: due.toISOString(), has_time: true });
    const until = new Date(clock.now().getTime() + 4 * 3_600_000).toISOString();
    await ada.ask('POST', '/v1/me/pause', { until });
    assert.equal(await countStale(app.db, ada.userId), 6 - ROWS);
    await clock.advance('2h');
    assert.deepEqual(phone.take(), []);
    for (const task of (await ada.ask('GET', '/v1/tasks')).body.data) assert.equal(task.next_fire_at, until);
    await clock.advance('2h');
    assert.equal(phone.take().length, 6);
    await runSlices();
    assert.equal(await countStale(app.db, ada.userId), 0);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('the end of a pause releases every held nudge as its slice comes', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await addDevice(app, ada.userId);
    await ada.ask('POST', '/v1/me/pause', { until: new Date(clock.now().getTime() + 86_400_000).toISOString() });
    const ids = await createMany(ada, 5, { due_at: clock.now().toISOString(), has_time: true });
    await clock.advance('1m');
    await ada.ask('DELETE', '/v1/me/pause');
    await runSlices();
    assert.equal(phone.take().length, 5);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('follow-ups of several accounts take turns', async () => {
    const { app, runSlices } = sliced;
    const people = [await createPerson(app), await createPerson(app)];
    for (const person of people) {
      await createMany(person, 9);
      await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      // A second change adds no second follow-up, which would be a second turn.
      await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Seoul' });
    }
    assert.equal(await countFollowUps(app.db), people.length);
    await runSlices(4);
    const left = await Promise.all(people.map(({ userId }) => countStale(app.db, userId)));
    assert.deepEqual(left, [9 - 3 * ROWS, 9 - 3 * ROWS]);
    await runSlices();
  });

  test('a member with many tasks leaves at once; the tasks and what sync removes on both sides follow', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob, cem);
    const bobs = await createMany(bob, 5, { space_id: space });
    const adas = await createMany(ada, 5, { space_id: space });
    const toAda = await create(bob, { space_id: space, owner_id: ada.userId });
    const toBob = await create(ada, { space_id: space, owner_id: bob.userId });
    const accepted = await createMany(bob, 3, { space_id: space, owner_id: ada.userId });
    for (const id of accepted) await ada.ask('POST', `/v1/tasks/${id}/accept`);
    const clients = [ada, bob, cem].map((person) => new SyncClient(person));
    for (const client of clients) await client.sync();
    assert.equal((await bob.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    assert.equal((await bob.ask('GET', `/v1/tasks/${adas[0]}`)).status, 404);
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', space_id: space })).status, 404);
    const { data: members } = (await ada.ask('GET', `/v1/spaces/${space}/members`)).body;
    assert.equal(members.length, 2);

    // Half-way, a task that Bob saw leaves the space, and another one arrives.
    await runSlices(2);
    for (const client of clients) await client.sync();
    await ada.ask('PATCH', `/v1/tasks/${adas[4]}`, { space_id: null });
    await create(ada, { space_id: space });
    await runSlices();
    assert.equal(await countFollowUps(app.db), 0);
    for (const client of clients) {
      await client.sync();
      await client.assertUpToDate();
    }
    assert.deepEqual(clients[1]?.taskIds.toSorted(), [...bobs, toBob].toSorted());
    assert.equal((await bob.ask('GET', `/v1/tasks/${toBob}`)).body.data.status, 'dropped');
    assert.equal((await ada.ask('GET', `/v1/tasks/${toAda}`)).body.data.status, 'dropped');
    for (const id of [toAda, toBob, ...accepted]) {
      const row = app.db.selectFrom('tasks').select('assigner_id').where('id', '=', id);
      assert.equal((await row.executeTakeFirstOrThrow()).assigner_id, null);
    }
    for (const id of bobs) {
      assert.equal((await bob.ask('GET', `/v1/tasks/${id}`)).body.data.space_id, null);
      assert.equal((await cem.ask('GET', `/v1/tasks/${id}`)).status, 404);
    }
  });

  test('joining again while tasks are still leaving the space keeps the others in it', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob);
    await createMany(bob, 5, { space_id: space });
    const adas = await createMany(ada, 3, { space_id: space });
    await clock.advance('1m');
    const clients = [ada, bob].map((person) => new SyncClient(person));
    for (const client of clients) await client.sync();
    await bob.ask('DELETE', `/v1/spaces/${space}/membership`);
    await clock.advance('1m');
    await runSlices(1);
    // The app of Ada that is opened while Bob is away has none of his tasks.
    const opened = new SyncClient(ada);
    await opened.sync();
    clients.push(opened);
    await clock.advance('1m');
    await joinSpace(space, ada, bob);
    await runSlices();
    const shared = (await ada.ask('GET', `/v1/spaces/${space}/tasks`)).body.data;
    const ofBob = shared.filter(({ owner_id }: { owner_id: string }) => owner_id === bob.userId);
    assert.ok(ofBob.length > 0 && ofBob.length < 5, `${ofBob.length} of 5 tasks stayed`);
    assert.equal((await bob.ask('GET', `/v1/tasks/${adas[0]}`)).status, 200);
    for (const client of clients) {
      await client.sync();
      await client.assertUpToDate();
    }
  });

  test('a large account is gone at once: no access, no nudge, no member, no assignee, its address free again', async () => {
    const { app, runSlices } = sliced;
    const email = `ada-${engine}@example.org`;
    const [ada, bob] = [await createPerson(app, email), await createPerson(app)];
    await addDevice(app, ada.userId);
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const space = await createSpace(ada, bob);
    const due_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await createMany(ada, 6, { due_at, has_time: true, break_quiet_hours: true, space_id: space });
    await create(ada, { due_at: clock.now().toISOString(), has_time: true });
    await app.engine?.settled();
    assert.equal(phone.take().length, 1);
    const named = await create(ada, { due_at, has_time: true });
    assert.equal((await ada.ask('POST', `/v1/tasks/${named}/ring-anyway`, { at: due_at })).status, 200);
    const request = await create(ada, { owner_id: bob.userId });
    const { token: invitation } = (await ada.ask('POST', `/v1/spaces/${space}/invites`, {})).body.data;
    const fromBob = await create(bob, { owner_id: ada.userId });
    for (let count = 0; count < ROWS; count += 1) await create(ada, { owner_id: bob.userId, title: 'more' });
    for (let count = 0; count < ROWS; count += 1) await create(bob, { owner_id: ada.userId, title: 'more' });
    const client = new SyncClient(bob);
    await client.sync();

    assert.deepEqual((await ada.ask('DELETE', '/v1/me')).body.data, { deleted: true });
    assert.equal(await countFollowUps(app.db), 1);
    await assertUnseen(bob, ada.userId, space, request);
    await client.sync();
    assert.ok(client.taskIds.every((id) => client.get(id)?.assigner_id === null));
    assert.equal((await bob.ask('GET', `/v1/tasks/${fromBob}`)).status, 404);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/tasks', undefined, token)).status, 401);
    const members = (await bob.ask('GET', `/v1/spaces/${space}/members`)).body.data;
    assert.deepEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
      [[bob.userId, 'owner']],
    );
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', owner_id: ada.userId })).status, 404);
    assert.equal((await bob.ask('PATCH', `/v1/tasks/${fromBob}`, { title: 'y' })).status, 404);
    assert.equal(await findUser(app.db, ada.userId), undefined);
    const people = await listPeople(app.db, { limit: 1_000 });
    assert.ok(people.every(({ id }) => id !== ada.userId));
    const again = await createPerson(app, email);
    assert.notEqual(again.userId, ada.userId);
    await clock.advance('2h');
    assert.deepEqual(phone.take(), []);
    const nudges = app.db.selectFrom('timeline').select('id').where('task_id', '=', named).where('kind', '=', 'nudge');
    assert.deepEqual(await nudges.execute(), [], 'not even a nudge that would pass a pause');

    await runSlices();
    assert.deepEqual(await tablesNaming(app.db, ada.userId), []);
    await client.sync();
    await client.assertUpToDate();
    assert.equal(client.get(request)?.assigner_id, null);
    assert.equal(client.taskIds.length, 1 + ROWS);
    assert.equal((await bob.ask('POST', `/v1/tasks/${request}/accept`)).body.data.accepted_by_owner, true);
    assert.equal((await bob.ask('POST', `/v1/invites/${invitation}/accept`)).status, 404);
  });

  test('of a member who leaves, each slice records what the ones before it have not', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob);
    await createMany(bob, 3 * ROWS, { space_id: space });
    await ada.ask('DELETE', `/v1/spaces/${space}/membership`);
    const removals = app.db.selectFrom('task_removals').select('task_id').where('viewer_id', '=', ada.userId);
    for (const slices of [1, 2, 3]) {
      assert.equal((await removals.execute()).length, slices * ROWS);
      await runSlices(1);
    }
    assert.equal(await countFollowUps(app.db), 0);
  });

  test('a follow-up that fails stops no other', async () => {
    const { db } = sliced.app;
    const people = [await createPerson(sliced.app), await createPerson(sliced.app), await createPerson(sliced.app)];
    const [failing] = people;
    const added = { kind: 'replan', space_id: null, cursor: null } as const;
    for (const [id, { userId: user_id }] of withAscendingIds(people))
      await db
        .insertInto('follow_ups')
        .values({ ...added, id, user_id })
        .execute();
    const served: string[] = [];
    const replan = async (_trx: Db, { user_id }: { readonly user_id: string }) => {
      if (user_id === failing?.userId) throw new Error('a fault of this one');
      served.push(user_id);
      return { rows: 1, isDone: true };
    };
    const slices = { replan } as Partial<Slices> as Slices;
    const followUps = new FollowUps(db, slices, new SchemaWatch(createLogger('silent')), () => sliceOf(ROWS));
    for (let turn = 0; turn < people.length; turn += 1) await followUps.runOnce().catch(() => undefined);
    assert.deepEqual(
      served,
      people.slice(1).map(({ userId }) => userId),
    );
    await db.deleteFrom('follow_ups').execute();
  });

  test('a task with a long history is deleted over several slices', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await createMany(ada, 1);
    const repeating = await create(ada, { due_at: '2026-03-01T08:00:00Z', recurrence: { freq: 'daily' } });
    for (let day = 0; day < 15; day += 1) await ada.ask('POST', `/v1/tasks/${repeating}/complete`);
    await ada.ask('DELETE', '/v1/me');
    const left = async () =>
      (await app.db.selectFrom('outcomes').select('id').where('owner_id', '=', ada.userId).execute()).length;
    assert.ok((await left()) < 15);
    await runSlices();
    assert.deepEqual(await tablesNaming(app.db, ada.userId), []);
  });
});

onEveryEngine((engine) => {
  test('a new process finishes what a stopped one has left: plans, a departure and a deletion', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    const start = () => startSlicedApp(engine, { databaseUrl: database.url, clock });
    const first = await start();
    let running = first;
    try {
      const [ada, bob, cem] = [
        await createPerson(first.app),
        await createPerson(first.app),
        await createPerson(first.app),
      ];
      const space = await createSpace(ada, bob, cem);
      for (const person of [ada, bob, cem]) await createMany(person, 7, { space_id: space });
      await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      await bob.ask('DELETE', `/v1/spaces/${space}/membership`);
      await cem.ask('DELETE', '/v1/me');
      await first.runSlices(4);
      assert.equal(await countFollowUps(first.app.db), 3);
      await first.app[Symbol.asyncDispose]();

      running = await start();
      await running.runSlices();
      const { db } = running.app;
      assert.deepEqual([await countFollowUps(db), await countStale(db, ada.userId)], [0, 0]);
      assert.deepEqual(await tablesNaming(db, cem.userId), []);
      const shared = await db.selectFrom('tasks').select('owner_id').where('space_id', '=', space).execute();
      assert.deepEqual(new Set(shared.map(({ owner_id }) => owner_id)), new Set([ada.userId]));
    } finally {
      await running.app[Symbol.asyncDispose]();
      await database.drop();
    }
  });
});

onlyOn('postgres', () => {
  test('two processes share the follow-ups, and a slice waits for a task that is locked', async () => {
    const database = await createDatabase('postgres');
    const clock = new FakeClock();
    const start = () => startSlicedApp('postgres', { databaseUrl: database.url, clock });
    const [one, two] = [await start(), await start()];
    const unlock = Promise.withResolvers<void>();
    try {
      const people: Person[] = [];
      while (people.length < 4) people.push(await createPerson(one.app));
      for (const person of people) {
        await createMany(person, 7);
        await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      }
      const locked = Promise.withResolvers<void>();
      const holding = transact(two.app.db, async (trx) => {
        const [ada] = people;
        await trx
          .selectFrom('tasks')
          .select('id')
          .where('owner_id', '=', ada?.userId ?? '')
          .forUpdate()
          .execute();
        locked.resolve();
        await unlock.promise;
      });
      await locked.promise;
      const slices = Promise.all([one.runSlices(), two.runSlices()]);
      await waitUntil(async () => (await waitingForLocks(two.app.db)) > 0);
      unlock.resolve();
      await Promise.all([holding, slices]);
      await one.runSlices();
      for (const { userId } of people) assert.equal(await countStale(one.app.db, userId), 0);
      assert.equal(await countFollowUps(one.app.db), 0);
      assert.equal(await isLeftToAnother(one.app.db, people[0]?.userId ?? ''), true);
    } finally {
      unlock.resolve();
      await one.app[Symbol.asyncDispose]();
      await two.app[Symbol.asyncDispose]();
      await database.drop();
    }
  });
});

async function waitingForLocks(db: Db): Promise<number> {
  const { rows } = await sql`select 1 from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`.execute(db);
  return rows.length;
}

/** Whether a process goes on without waiting if another one works on a follow-up. */
async function isLeftToAnother(db: Db, user_id: string): Promise<boolean | undefined> {
  const waiting = { id: newId(), kind: 'replan', user_id, space_id: null, cursor: null } as const;
  await db.insertInto('follow_ups').values(waiting).execute();
  const followUps = new FollowUps(db, {} as Slices, new SchemaWatch(createLogger('silent')), () => sliceOf(ROWS));
  const [locked, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const working = transact(db, async (trx) => {
    await trx.selectFrom('follow_ups').select('id').where('id', '=', waiting.id).forUpdate().execute();
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  let isLeft: boolean | undefined;
  const trying = followUps.runOnce().then(
    (hasRun) => {
      isLeft = !hasRun;
    },
    () => undefined,
  );
  await waitUntil(async () => isLeft !== undefined || (await waitingForLocks(db)) > 0);
  const wasLeft = isLeft;
  unlock.resolve();
  await Promise.all([working, trying]);
  return wasLeft;
}
