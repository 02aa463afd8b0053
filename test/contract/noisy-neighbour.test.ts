/** What a large account asks for is read in turns, within a budget, and never at the cost of the others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { transact } from '../../src/db/transact.ts';
import type { Routes } from '../../src/http/app.ts';
import { beginShort, nextTurn } from '../../src/lib/next-turn.ts';
import { ROWS_PER_PAGE } from '../../src/lib/pages.ts';
import { SyncService } from '../../src/tasks/sync/sync.service.ts';
import { readTaskList } from '../../src/tasks/task-list.ts';
import { headersOf, mintToken } from '../support/agents.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, openSession, type Person, personWith } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countTurns } from '../support/turns.ts';

const MANY = sized(1_050, 50_000);
const DUE_AT = new Date('2027-01-01T09:00:00Z');

interface Listed {
  readonly id: string;
}

async function createLoudPerson(app: TestApp, tasks = MANY): Promise<Person> {
  const [owner = ''] = await insertDueTasks(app.db, { tasks, owners: 1, dueAt: DUE_AT, withDevices: false });
  return personWith(app, 'loud@example.org', owner, await openSession(app, owner));
}

const idsOf = (rows: readonly Listed[]): string[] => rows.map(({ id }) => id);

const storedIds = async (app: TestApp, { userId }: Person): Promise<string[]> =>
  idsOf(await app.db.selectFrom('tasks').select('id').where('owner_id', '=', userId).orderBy('id').execute());

/** More than the buffers of a connection hold, so the answer is not sent until the client reads it. */
async function createUnreadablyLoudPerson(app: TestApp): Promise<Person> {
  const loud = await createLoudPerson(app, 2_000);
  await app.db
    .updateTable('tasks')
    .set({ notes: 'x'.repeat(10_000) })
    .where('owner_id', '=', loud.userId)
    .execute();
  return loud;
}

/** Sends the request and does not read the body of the answer. */
async function askWithoutReading(address: string, path: string, { sessionToken }: Person): Promise<IncomingMessage> {
  const sending = get(`${address}${path}`, { headers: { authorization: `Bearer ${sessionToken}` }, agent: false });
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer;
}

onEveryEngine((engine, it) => {
  test('lists, sync and export of a large account are complete, and let others be served between their pages', async () => {
    await using app = await startTestApp(engine);
    const loud = await createLoudPerson(app);
    const expected = await storedIds(app, loud);
    const answers: Readonly<Record<string, (data: never) => Listed[]>> = {
      '/v1/tasks': (data: Listed[]) => data,
      '/v1/tasks?status=open': (data: Listed[]) => data,
      '/v1/sync': ({ tasks }: { tasks: Listed[] }) => tasks,
      '/v1/me/export': ({ tasks }: { tasks: Listed[] }) => tasks,
    };
    for (const [url, tasksIn] of Object.entries(answers)) {
      const asking = loud.ask('GET', url);
      const turns = await countTurns(asking);
      const { status, body } = await asking;
      assert.equal(status, 200);
      assert.deepEqual([body.ok, body.error], [true, null]);
      assert.deepEqual(idsOf(tasksIn(body.data as never)), expected);
      assert.ok(turns >= Math.floor(MANY / ROWS_PER_PAGE), `${url}: ${turns} turns`);
    }
  });

  test('a long answer and a batch of calls wait while short requests of others are under way', async (context) => {
    let held = Promise.withResolvers<void>();
    let isHeld = Promise.withResolvers<void>();
    const routes: Routes = (server) =>
      server.get('/test/hold', { schema: { hide: true } }, async () => {
        isHeld.resolve();
        await held.promise;
        return 'done';
      });
    await using app = await startTestApp(engine, { extra: { routes: [routes], access: { 'GET /test/*': 'anyone' } } });
    const [quiet, loud] = [await createPerson(app), await createLoudPerson(app)];
    const { token } = await mintToken(loud);
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    // Time stands still, because a request is short only for some milliseconds.
    context.mock.method(performance, 'now', () => 0);
    const asking = (path: string, { sessionToken }: Person) =>
      fetch(`${address}${path}`, { headers: { authorization: `Bearer ${sessionToken}` } });
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_tasks', arguments: { limit: 100 } } };
    const batch = JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ ...call, id })));
    const works: Readonly<Record<string, () => Promise<Response>>> = {
      list: () => asking('/v1/tasks', loud),
      sync: () => asking('/v1/sync', loud),
      export: () => asking('/v1/me/export', loud),
      batch: () => fetch(`${address}/mcp`, { method: 'POST', headers: headersOf(token), body: batch }),
    };
    for (const [name, work] of Object.entries(works)) {
      [held, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = asking('/test/hold', quiet);
      await isHeld.promise;
      let hasAnswer = false;
      const working = work().then((answer) => {
        hasAnswer = true;
        return answer.text();
      });
      for (let count = 0; count < 20; count += 1) assert.equal((await asking('/v1/tasks?limit=10', quiet)).status, 200);
      assert.equal(hasAnswer, false, name);
      held.resolve();
      assert.equal((await holding).status, 200);
      const shown = (await working).match(/"title"|\\"title\\"/g)?.length ?? 0;
      assert.ok(shown >= Math.min(MANY, 500), `${name}: ${shown} tasks`);
    }
  });

  test('long work waits for short requests before each statement and each transaction, and never inside of one', async (context) => {
    await using app = await startTestApp(engine);
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    const count = (db: Db) => db.selectFrom('tasks').select('id').execute();
    const waitsForShort = async (work: () => Promise<unknown>) => {
      now += 2;
      let isDone = false;
      const served = Promise.withResolvers<void>();
      const end = beginShort(async () => {
        for (let queries = 0; queries < 20; queries += 1) await count(app.db);
        served.resolve();
      });
      const working = work().then(() => {
        isDone = true;
      });
      await served.promise;
      assert.equal(isDone, false);
      end();
      await working;
    };
    const done = Promise.withResolvers<void>();
    const longWork = async () => {
      await nextTurn();
      await waitsForShort(() => count(app.db));
      await waitsForShort(() => transact(app.db, count));
      await transact(app.db, async (trx) => {
        now += 2;
        const end = beginShort(() => undefined);
        await count(trx);
        end();
      });
    };
    const end = beginShort(() => void longWork().then(done.resolve, done.reject));
    await done.promise;
    end();
  });

  test('an import is stored in pages, and others write between them', async () => {
    await using app = await startTestApp(engine);
    const [quiet, loud] = [await createPerson(app), await createPerson(app)];
    const tasks = Array.from({ length: 400 }, (_, index) => ({ title: `x${index}` }));
    let isImported = false;
    const importing = loud.ask('POST', '/v1/me/import', { tasks }).finally(() => {
      isImported = true;
    });
    const stored = new Set<number>();
    while (!isImported) {
      assert.equal((await quiet.ask('POST', '/v1/tasks', { title: 'mine' })).status, 200);
      stored.add((await storedIds(app, loud)).length);
    }
    assert.equal((await importing).body.data.imported, tasks.length);
    assert.ok(stored.size >= 4, `stored so far: ${[...stored]}`);
  });

  test('several long answers at once take turns, one page in each', async () => {
    await using app = await startTestApp(engine);
    const people = [await createLoudPerson(app), await createLoudPerson(app), await createLoudPerson(app)];
    const asking = Promise.all(people.map((loud) => loud.ask('GET', '/v1/tasks')));
    const turns = await countTurns(asking);
    for (const { status } of await asking) assert.equal(status, 200);
    assert.ok(turns >= people.length * Math.floor(MANY / ROWS_PER_PAGE), `${turns} turns`);
  });

  it('a short answer is sent in one piece with its length, a long one in the same form without', async () => {
    await using app = await startTestApp(engine);
    const [quiet, loud] = [await createPerson(app), await createLoudPerson(app, ROWS_PER_PAGE + 1)];
    await quiet.ask('POST', '/v1/tasks', { title: 'one', notes: null });
    for (const url of ['/v1/tasks', '/v1/sync']) {
      const [short, long] = [await quiet.ask('GET', url), await loud.ask('GET', url)];
      assert.ok(Number(short.headers['content-length']) > 0);
      assert.equal(long.headers['content-length'], undefined);
      assert.equal(long.headers['content-type'], short.headers['content-type']);
      const formOf = (data: Record<string, unknown>) => Object.keys(Array.isArray(data) ? data[0] : data);
      assert.deepEqual(formOf(long.body.data), formOf(short.body.data));
      const { statusCode, body } = await app.fastify.inject({
        method: 'HEAD',
        url,
        headers: { authorization: `Bearer ${loud.sessionToken}` },
      });
      assert.deepEqual([statusCode, body], [200, '']);
    }
  });

  test('a page of up to 1,000 tasks is read in slices too, and its cursor continues without a gap', async () => {
    await using app = await startTestApp(engine);
    const loud = await createLoudPerson(app);
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const { body, headers } = await loud.ask('GET', `/v1/tasks?limit=500${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...idsOf(body.data));
      cursor = headers['x-next-cursor'];
    } while (cursor);
    assert.deepEqual(seen, await storedIds(app, loud));
  });

  test('a task that moves within the list while it is read appears once, and one that is new does not', async () => {
    await using app = await startTestApp(engine);
    const loud = await createLoudPerson(app, 500);
    const expected = await storedIds(app, loud);
    const caller = { kind: 'session', userId: loud.userId, sessionId: '', provenAt: new Date(0) } as const;
    const of = { ownerId: loud.userId };
    const list_key = DUE_AT.getTime();
    await app.db.updateTable('tasks').set({ list_key }).where('owner_id', '=', loud.userId).execute();
    const query = { of, status: undefined, now: app.clock.now(), after: undefined, limit: undefined };
    const { tasks } = await readTaskList(app.db, caller, query);
    const read = idsOf(tasks.first);
    // The first moves behind what has been read, and the last before it.
    await loud.ask('PATCH', `/v1/tasks/${expected[0]}`, { due_at: '2030-01-01T00:00:00Z' });
    await loud.ask('PATCH', `/v1/tasks/${expected.at(-1)}`, { due_at: '2026-12-01T00:00:00Z' });
    await loud.ask('POST', '/v1/tasks', { title: 'new' });
    for await (const page of tasks.rest ?? []) read.push(...idsOf(page));
    assert.deepEqual(read, expected);
  });

  test('a change during a long sync is in this answer or in the next, and a task out of sight is in neither', async () => {
    await using app = await startTestApp(engine);
    const loud = await createLoudPerson(app, 500);
    const caller = { kind: 'session', userId: loud.userId, sessionId: '', provenAt: new Date(0) } as const;
    const expected = await storedIds(app, loud);
    const [first = '', last = ''] = [expected[0], expected.at(-1)];
    const { tasks, serverTime } = await new SyncService(app.db, app.clock).changesSince(caller, undefined);
    await loud.ask('POST', `/v1/tasks/${first}/complete`);
    const created = await loud.ask('POST', '/v1/tasks', { title: 'new' });
    const stranger = await createPerson(app);
    await app.db.updateTable('tasks').set({ owner_id: stranger.userId }).where('id', '=', last).execute();
    const read = idsOf(tasks.first);
    for await (const page of tasks.rest ?? []) read.push(...idsOf(page));
    assert.deepEqual(read, expected.slice(0, -1));
    const { body } = await loud.ask('GET', `/v1/sync?since=${serverTime.toISOString()}`);
    const next = idsOf(body.data.tasks);
    assert.ok(next.includes(first) && next.includes(created.body.data.id) && !next.includes(last));
  });

  test('tasks that left the view of a member are all reported as removed, however many they are', async () => {
    await using app = await startTestApp(engine);
    const [ada, loud] = [await createPerson(app), await createLoudPerson(app, 450)];
    const space = await createSpace(ada, loud);
    await app.db.updateTable('tasks').set({ space_id: space }).where('owner_id', '=', loud.userId).execute();
    const expected = await storedIds(app, loud);
    assert.deepEqual(idsOf((await ada.ask('GET', `/v1/spaces/${space}/tasks`)).body.data), expected);
    const { server_time: since } = (await ada.ask('GET', '/v1/sync')).body.data;
    await loud.ask('DELETE', `/v1/spaces/${space}/membership`);
    await app.engine?.settled();
    const { removed, tasks } = (await ada.ask('GET', `/v1/sync?since=${since}`)).body.data;
    assert.deepEqual([removed, tasks], [expected, []]);
  });

  it('an answer that fails halfway is cut, so that it never looks complete', async () => {
    await using app = await startTestApp(engine);
    const loud = await createLoudPerson(app);
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const last = (await storedIds(app, loud)).at(-1) ?? '';
    await app.db.updateTable('tasks').set({ recurrence: '{' }).where('id', '=', last).execute();
    const headers = { authorization: `Bearer ${loud.sessionToken}` };
    const answer = await fetch(`${address}/v1/sync`, { headers });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text(), /terminated/);
  });

  it('an account has three unread answers at a time, which keep no other account waiting', async () => {
    await using app = await startTestApp(engine);
    const [quiet, loud] = [await createPerson(app), await createUnreadablyLoudPerson(app)];
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const unread = [];
    for (const path of ['/v1/tasks', '/v1/sync', '/v1/me/export']) {
      unread.push(await askWithoutReading(address, path, loud));
    }
    for (const url of ['/v1/tasks', '/v1/me/export']) {
      const { status, headers, body } = await loud.ask('GET', url);
      assert.deepEqual([status, headers['retry-after']], [429, '10']);
      assert.match(body.error, /^too_many_requests: 3 long answers/);
    }
    assert.equal((await loud.ask('GET', '/v1/tasks?limit=10')).status, 200);
    assert.equal((await quiet.ask('GET', '/v1/me/export')).status, 200);
    for (const answer of unread) answer.destroy();
    while ((await loud.ask('GET', '/v1/tasks')).status === 429) await new Promise(setImmediate);
  });

  it('an answer whose reader takes nothing is cut, whether it is sent in pages or at once', async () => {
    // Long enough to build the answer in: until then nothing moves on the connection either.
    await using app = await startTestApp(engine, { extra: { limits: { readerTimeoutMs: 1_000 } } });
    const loud = await createUnreadablyLoudPerson(app);
    // Six characters each in JSON: twelve megabytes are more than the sockets buffer.
    await app.db
      .updateTable('tasks')
      .set({ notes: '\u0001'.repeat(10_000) })
      .where('owner_id', '=', loud.userId)
      .execute();
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    for (const path of ['/v1/tasks', '/v1/tasks?limit=200']) {
      const closed = new Promise((resolve) => {
        app.fastify.server.once('connection', (socket) => socket.once('close', resolve));
      });
      const unread = await askWithoutReading(address, path, loud);
      await closed;
      unread.resume();
      await assert.rejects(once(unread, 'end'), { code: 'ECONNRESET' }, path);
    }
  });

  it('long notes cost as much of the budget as the rows that could be written in their time', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '3000' } });
    const loud = await createUnreadablyLoudPerson(app);
    assert.equal((await loud.ask('GET', '/v1/tasks?limit=200')).status, 200);
    assert.equal((await loud.ask('GET', '/v1/tasks?limit=1')).status, 429);
  });

  it('colours of labels cost as much of the budget as the rows that could be read in their time', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '2500' } });
    const loud = await createPerson(app);
    const labels = Array.from({ length: 500 }, (_, index) => ({ label: `label ${index}`, colour: 'red' }));
    assert.equal((await loud.ask('PUT', '/v1/labels', { labels })).status, 200);
    assert.equal((await loud.ask('PUT', '/v1/labels', { labels })).status, 429);
    assert.equal((await loud.ask('GET', '/v1/labels')).body.data.length, 500);
  });

  it('what a member of a space changes never spends the budget of the others', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '3000' } });
    const [victim, loud] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(victim, loud);
    const notes = 'x'.repeat(10_000);
    for (let count = 0; count < 20; count += 1)
      assert.equal((await loud.ask('POST', '/v1/tasks', { title: 'x', notes, space_id: space })).status, 200);
    const since = '2020-01-01T00:00:00Z';
    const first = await victim.ask('GET', `/v1/sync?since=${since}`);
    assert.equal(first.body.data.tasks.length, 20);
    const again = `/v1/sync?since=${first.body.data.server_time}`;
    // The budget is for 3,000 rows: a spent one refuses everything that the others fill, and an answer costs 380.
    for (let count = 0; count < 8; count += 1) await victim.ask('GET', `/v1/spaces/${space}/tasks`);
    assert.equal((await victim.ask('GET', `/v1/spaces/${space}/tasks`)).status, 429);
    assert.equal((await victim.ask('GET', '/v1/sync')).status, 429);
    for (const url of ['/v1/tasks', '/v1/stats', '/v1/tasks/search?q=x', '/v1/me/export'])
      assert.equal((await victim.ask('GET', url)).status, 200, url);
    assert.equal((await victim.ask('GET', again)).status, 200);
    const refused = await victim.ask('GET', again);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '5']);
    await app.clock.advance('5s');
    assert.equal((await victim.ask('GET', again)).status, 200);
  });

  it('costly calls wait until the budget of the account has refilled, and no others do', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '600' } });
    const [quiet, loud] = [await createPerson(app), await createLoudPerson(app, 500)];
    const feedUrl = (await loud.ask('POST', '/v1/me/calendar')).body.data.url;
    const feed = new URL(feedUrl).pathname;
    for (const url of ['/v1/tasks', '/v1/sync']) assert.equal((await loud.ask('GET', url)).status, 200);
    const costly = ['/v1/tasks?limit=1', '/v1/sync', '/v1/me/export', '/v1/stats', '/v1/outcomes', feed];
    for (const url of costly) {
      const { status, headers, body } = await loud.ask('GET', url);
      // The balance is -400, and 600 rows are added per minute.
      assert.deepEqual([status, headers['retry-after']], [429, '41'], url);
      assert.match(body.error, /^too_many_requests: This account has read/);
    }
    assert.equal((await loud.ask('POST', '/v1/me/import', { tasks: [] })).status, 429);
    assert.equal((await loud.ask('POST', '/v1/tasks', { title: 'still possible' })).status, 200);
    assert.equal((await quiet.ask('GET', '/v1/tasks')).status, 200);
    await app.clock.advance('40s');
    assert.equal((await loud.ask('GET', '/v1/sync')).status, 429);
    await app.clock.advance('1s');
    assert.equal((await loud.ask('GET', '/v1/sync')).status, 200);
  });

  it('long lists, export, import, feed and statistics are charged by their rows', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '205' } });
    const costs: Readonly<Record<string, (loud: Person, feed: string) => Promise<unknown>>> = {
      list: (loud) => loud.ask('GET', '/v1/tasks'),
      export: (loud) => loud.ask('GET', '/v1/me/export'),
      import: (loud) => loud.ask('POST', '/v1/me/import', { tasks: Array(210).fill({ title: 'x' }) }),
      feed: (_loud, feed) => app.fastify.inject(feed),
      outcomes: async (loud) => {
        for (let count = 0; count < 210; count += 1) await loud.ask('GET', '/v1/outcomes');
      },
    };
    for (const [name, spend] of Object.entries(costs)) {
      const loud = await createLoudPerson(app, 210);
      const feed = new URL((await loud.ask('POST', '/v1/me/calendar')).body.data.url).pathname;
      if (name === 'outcomes') await completeOne(loud);
      assert.equal((await loud.ask('GET', '/v1/stats')).status, 200);
      await spend(loud, feed);
      assert.equal((await loud.ask('GET', '/v1/stats')).status, 429, name);
    }
  });
});

async function completeOne(person: Person): Promise<void> {
  const { body } = await person.ask('POST', '/v1/tasks', { title: 'done' });
  await person.ask('POST', `/v1/tasks/${body.data.id}/complete`);
}
