import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import { clearAssigner, recordRemovals } from '../../src/tasks/sync/sync.store.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person, personWith } from '../support/people.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { SyncClient } from '../support/sync-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const create = async (person: Person, body: object = {}) =>
    (await person.ask('POST', '/v1/tasks', { title: 'x', ...body })).body.data.id as string;

  test('the first sync returns the settings and all tasks in full', async () => {
    const ada = await createPerson(app);
    const id = await create(ada, { recurrence: { any: 'thing' } });
    const { body } = await ada.ask('GET', '/v1/sync');
    assert.deepEqual(Object.keys(body.data), ['tasks', 'removed', 'settings', 'server_time', 'reset']);
    assert.equal(body.data.reset, true);
    assert.deepEqual(body.data.tasks, [(await ada.ask('GET', `/v1/tasks/${id}`)).body.data]);
    assert.deepEqual(body.data.settings, (await ada.ask('GET', '/v1/me')).body.data);
  });

  it('a client hears by sync of the nudges that a change of settings has moved', async () => {
    const ada = await createPerson(app);
    await create(ada, { due_at: '2027-03-05T00:00:00Z' });
    // At the same moment, the next sync would tell of everything once more.
    await app.clock.advance('1m');
    const client = new SyncClient(ada);
    await client.sync();
    assert.equal((await ada.ask('PATCH', '/v1/me', { day_start: '06:00' })).status, 200);
    await client.sync();
    await client.assertUpToDate();
  });

  test('a far future since returns nothing; one older than the kept removals, or a little ahead, resets the client', async () => {
    const ada = await createPerson(app);
    await create(ada);
    const ask = async (since: string) => (await ada.ask('GET', `/v1/sync?since=${since}`)).body.data;
    const future = await ask('2100-01-01T00:00:00Z');
    assert.deepEqual([future.tasks, future.removed, future.reset], [[], [], false]);
    const ancient = await ask('2001-01-01T00:00:00Z');
    assert.deepEqual([ancient.tasks.length, ancient.reset], [1, true]);
    const now = new Date((await ask('2001-01-01T00:00:00Z')).server_time);
    const ahead = await ask(new Date(now.getTime() + 3_600_000).toISOString());
    assert.deepEqual([ahead.tasks.length, ahead.reset], [1, true]);
    assert.equal((await ada.ask('GET', '/v1/sync?since=yesterday')).status, 422);
  });

  it('a client that was away for 89 days gets what changed, one that was away for 91 starts again', async () => {
    const ada = await createPerson(app);
    const { server_time } = (await ada.ask('GET', '/v1/sync')).body.data;
    const isReset = async (days: number) => {
      const since = new Date(Date.parse(server_time) - days * 86_400_000).toISOString();
      return (await ada.ask('GET', `/v1/sync?since=${since}`)).body.data.reset;
    };
    assert.deepEqual([await isReset(89), await isReset(91)], [false, true]);
  });

  it('more removals than a statement takes are all reported, and a task that is removed again is reported again', async () => {
    const ada = await createPerson(app);
    const removals = Array.from({ length: 2_001 }, () => ({ viewer_id: ada.userId, task_id: newId() }));
    const { server_time } = (await ada.ask('GET', '/v1/sync')).body.data;
    await transact(app.db, (trx) => recordRemovals(trx, removals));
    const { removed } = (await ada.ask('GET', `/v1/sync?since=${server_time}`)).body.data;
    assert.equal(new Set(removed).size, removals.length);
    const again = removals.slice(-1);
    const recordedAt = async () => {
      const rows = app.db.selectFrom('task_removals').select('changed_at').where('viewer_id', '=', ada.userId);
      const row = await rows.where('task_id', '=', again[0]?.task_id ?? '').executeTakeFirstOrThrow();
      return row.changed_at;
    };
    const before = await recordedAt();
    await app.clock.advance('1m');
    await transact(app.db, (trx) => recordRemovals(trx, again));
    assert.ok((await recordedAt()) > before);
  });

  it('the members of each space of an owner whose account is deleted lose their tasks', async () => {
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const clients = [new SyncClient(bob), new SyncClient(cem)];
    for (const member of [bob, cem]) await create(ada, { space_id: await createSpace(ada, member) });
    for (const client of clients) await client.sync();
    assert.deepEqual(
      clients.map(({ taskIds }) => taskIds.length),
      [1, 1],
    );
    await ada.ask('DELETE', '/v1/me');
    for (const client of clients) {
      await client.sync();
      assert.deepEqual(client.taskIds, []);
    }
  });

  test('an owner whose assigner has deleted their account hears that nobody assigned the task', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    const id = await create(bob, { space_id, owner_id: ada.userId });
    await app.clock.advance('1m');
    const client = new SyncClient(ada);
    await client.sync();
    await app.clock.advance('1m');
    assert.equal(client.get(id)?.assigner_id, bob.userId);
    await transact(app.db, (trx) => clearAssigner(trx, bob.userId, 10));
    await client.sync();
    assert.equal(client.get(id)?.assigner_id, null);
  });

  test('a change that commits after a sync is in the next one, however long its transaction took', async () => {
    const ada = await createPerson(app);
    const [slow, fast] = [await create(ada), await create(ada)];
    const client = new SyncClient(ada);
    await client.sync();
    const opened = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const writing = transact(app.db, async (trx) => {
      await trx
        .updateTable('tasks')
        .set({ title: 'changed slowly', changed_at: sql`crescendo_now()` })
        .where('id', '=', slow)
        .execute();
      opened.resolve();
      await mayCommit.promise;
    });
    await opened.promise;
    // SQLite stamps changes by this clock. Not advanced, because the engine waits for the writer.
    app.clock.set(new Date(app.clock.now().getTime() + 5_000).toISOString());
    await client.sync();
    assert.equal(client.get(slow)?.title, 'x');
    if (engine === 'postgres') {
      // Another change overtakes the slow one. SQLite runs write transactions one after another.
      await ada.ask('PATCH', `/v1/tasks/${fast}`, { title: 'changed fast' });
      await client.sync();
      assert.equal(client.get(fast)?.title, 'changed fast');
    }
    mayCommit.resolve();
    await writing;
    await client.sync();
    assert.equal(client.get(slow)?.title, 'changed slowly');
  });

  test('a client that syncs during concurrent writes misses nothing', async () => {
    const ada = await createPerson(app);
    const client = new SyncClient(ada);
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 10; round += 1) {
          const id = await create(ada);
          await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'renamed' });
          if (round % 3 === 0) await ada.ask('POST', `/v1/tasks/${id}/complete`);
        }
      }),
    ).finally(() => {
      writing = false;
    });
    while (writing) {
      await client.sync();
      // An injected request does not yield to the event loop.
      await new Promise(setImmediate);
    }
    await writers;
    await client.sync();
    assert.equal(client.taskIds.length, 80);
    await client.assertUpToDate();
  });

  test('who joins a space gets its older tasks by sync, and so does who left it and came back while the app was offline', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada);
    const adas = await create(ada, { space_id: space });
    const own = await create(bob);
    await app.clock.advance('1m');
    const [client, offline, others] = [new SyncClient(bob), new SyncClient(bob), new SyncClient(ada)];
    await client.sync();
    await app.clock.advance('1m');
    await joinSpace(space, ada, bob);
    await client.sync();
    assert.deepEqual(client.taskIds.sort(), [adas, own].sort());
    const shared = await create(bob, { space_id: space });
    await app.clock.advance('1m');
    await offline.sync();
    await others.sync();
    await app.clock.advance('1m');
    await bob.ask('DELETE', `/v1/spaces/${space}/membership`);
    await client.sync();
    assert.deepEqual(client.taskIds.sort(), [own, shared].sort());
    await app.clock.advance('1m');
    await joinSpace(space, ada, bob);
    for (const one of [client, offline, others]) {
      await one.sync();
      await one.assertUpToDate();
    }
    assert.ok(offline.taskIds.includes(adas));
  });

  test('the assigner’s sync removes a task when its owner’s account is deleted, and a token syncs only its user’s tasks', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const [client, agent, owner] = [new SyncClient(ada), new SyncClient(ada, token), new SyncClient(bob)];
    const [own, request] = [await create(ada), await create(ada, { owner_id: bob.userId })];
    for (const one of [client, agent, owner]) await one.sync();
    assert.deepEqual([client.taskIds.sort(), agent.taskIds, owner.taskIds], [[own, request].sort(), [own], [request]]);
    await bob.ask('DELETE', '/v1/me');
    await client.sync();
    assert.deepEqual(client.taskIds, [own]);
    await client.assertUpToDate();
  });

  test('a request created while its owner’s account is deleted is refused, or removed by the next sync', async () => {
    for (let round = 0; round < 12; round += 1) {
      await app.clock.advance('1h');
      const [ada, bob] = [await createPerson(app), await createPerson(app)];
      const client = new SyncClient(ada);
      const asking = Array.from({ length: 12 }, () =>
        ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId }),
      );
      let busy = true;
      const all = Promise.all([...asking, bob.ask('DELETE', '/v1/me')]).finally(() => {
        busy = false;
      });
      while (busy) {
        await client.sync();
        await new Promise(setImmediate);
      }
      await all;
      await client.sync();
      await client.assertUpToDate();
    }
  });

  test('when the assigner’s account is deleted, the owner keeps the task without an assigner', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const request = await create(ada, { owner_id: bob.userId });
    const client = new SyncClient(bob);
    await client.sync();
    await ada.ask('DELETE', '/v1/me');
    await client.sync();
    assert.equal(client.get(request)?.assigner_id, null);
    const accepted = await bob.ask('POST', `/v1/tasks/${request}/accept`);
    assert.deepEqual([accepted.status, accepted.body.data.accepted_by_owner], [200, true]);
  });
});

// PostgreSQL stamps changes with the clock of its own server.
onlyOn('sqlite', () => {
  for (const isRestarted of [false, true]) {
    const when = isRestarted ? 'while the service was down' : 'while it ran';
    test(`a client that synced by a clock that ran ahead, and that was set back ${when}, misses nothing (seed 1128)`, async () => {
      const database = await createDatabase('sqlite');
      const clock = new FakeClock('2026-03-02T12:00:00Z');
      const options = { databaseUrl: database.url, clock };
      let app = await startTestApp('sqlite', options);
      try {
        const { email, userId, sessionToken } = await createPerson(app);
        // Asks the service that runs now.
        const ada = { ...personWith(app, email, userId, sessionToken) };
        ada.ask = (...request) => personWith(app, email, userId, sessionToken).ask(...request);
        const id = (await ada.ask('POST', '/v1/tasks', { title: 'x' })).body.data.id as string;
        const client = new SyncClient(ada);
        await client.sync();
        await clock.advance('30m');
        await client.sync();
        if (isRestarted) await app[Symbol.asyncDispose]();
        clock.set('2026-03-02T10:00:00Z');
        if (isRestarted) app = await startTestApp('sqlite', options);
        await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'changed in the hours that the clock shows twice' });
        clock.set('2026-03-02T13:00:00Z');
        await client.sync();
        await client.assertUpToDate();
      } finally {
        await app[Symbol.asyncDispose]();
        await database.drop();
      }
    });
  }
});
