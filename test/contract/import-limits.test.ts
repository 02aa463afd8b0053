import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { sql } from 'kysely';
import { countCharged } from '../support/charged-rows.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine, testOn } from '../support/engines.ts';
import { createPerson, openSession, type Person, personWith } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const DONE = { outcome: 'done', recorded_at: '2026-01-01T00:00:00Z' };

const importOf = async (person: Person, tasks: object[], query = '') =>
  (await person.ask('POST', `/v1/me/import${query}`, { tasks })).body.data;

/** Begins to send a file, and resolves once the service waits for the body. */
async function beginUpload(app: TestApp, address: string, { sessionToken }: Person) {
  const headers = { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' };
  const sending = request(`${address}/v1/me/import`, {
    method: 'POST',
    headers,
  });
  sending.on('error', () => undefined);
  sending.flushHeaders();
  const [taken] = (await once(app.fastify.server, 'request')) as [IncomingMessage];
  while (taken.listenerCount('data') === 0) await new Promise((resolve) => setImmediate(resolve));
  return sending;
}

/** Repeats the import until it is no longer answered 409: the service frees the slot on its own. */
async function importUntil(person: Person, status: number): Promise<void> {
  for (;;) {
    const answer = await person.ask('POST', '/v1/me/import', { tasks: [] });
    if (answer.status === status) return;
    assert.equal(answer.status, 409);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Tasks that repeat by a rule with its own number, so that no two are alike. */
const repeating = (count: number, recurrence: object) =>
  Array.from({ length: count }, (_, index) => ({
    title: `x${index}`,
    due_at: '2026-03-02T08:00:00Z',
    recurrence: { ...recurrence, count: index + 1 },
  }));

onEveryEngine((engine, it) => {
  it('one import expands a bounded number of rules, matching or not, and the report says where to continue', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const daily = repeating(501, { freq: 'daily' });
    const rows = countCharged(app);
    const first = await importOf(ada, [{ title: 'once' }, ...daily]);
    assert.deepEqual([first.imported, first.remaining, first.next], [501, 1, 501]);
    assert.equal(rows(), 501 + 501 * 5, 'each is read, and storing it costs five times as much');
    const second = await importOf(ada, [{ title: 'once' }, ...daily], `?from=${first.next}`);
    assert.deepEqual([second.imported, second.remaining, second.next], [1, 0, null]);
    const never = repeating(300, { freq: 'daily', by_month: [2], by_month_day: [30] });
    const mixed = await importOf(ada, [...never, ...daily], '?partial=true');
    assert.deepEqual([mixed.refused, mixed.skipped, mixed.next], [300, 200, 500]);
  });

  testOn(
    'postgres',
    engine,
    'engine, completion and statistics still work after an import with the largest allowed numbers',
    async () => {
      await using app = await startTestApp(engine);
      const [ada, grace] = [await createPerson(app), await createPerson(app)];
      const most = 1_000_000;
      const figures = { nudge_count: most, step: most, occurrence_number: most, last_nudge_at: '2026-03-02T08:00:00Z' };
      const outcomes = Array.from({ length: 10 }, () => ({ ...DONE, seconds_taken: 36_525 * 86_400 }));
      const edge = { due_at: '2026-03-02T08:00:00Z', has_time: true, ...figures, outcomes };
      const others = { ...edge, outcomes: [] };
      // Most are due much later: they count in the statistics, and need no nudge here.
      const tasks = Array.from({ length: 2_200 }, (_, index) => ({
        title: `x${index}`,
        ...others,
        ...(index >= 100 && { due_at: '2027-03-02T08:00:00Z' }),
      }));
      const file = [{ title: 'edge', ...edge }, ...tasks];
      const { imported, next } = await importOf(ada, file);
      assert.equal(imported + (await importOf(ada, file, `?from=${next}`)).imported, 2_201);
      const { body } = await grace.ask('POST', '/v1/tasks', {
        title: 'on time',
        due_at: '2026-03-02T09:30:00Z',
        has_time: true,
      });
      await app.clock.advance('31m');
      const read = async (person: Person, id: string) => (await person.ask('GET', `/v1/tasks/${id}`)).body.data;
      assert.equal((await read(grace, body.data.id)).nudge_count, 1);
      const [listed] = (await ada.ask('GET', '/v1/tasks?limit=1')).body.data;
      assert.ok((await read(ada, listed.id)).nudge_count > most);
      assert.equal((await ada.ask('POST', `/v1/tasks/${listed.id}/complete`)).status, 200);
      const { status, body: stats } = await ada.ask('GET', '/v1/stats');
      assert.equal(status, 200);
      assert.ok(stats.data.nudges_sent > 2 ** 31);
      assert.deepEqual(
        app.log.filter(({ level }) => Number(level) >= 50 || level === 'error'),
        [],
      );
      for (const field of ['nudge_count', 'step', 'occurrence_number']) {
        assert.equal((await importOf(ada, [{ title: 'x', [field]: most + 1 }])).refused, 1, field);
      }
    },
  );

  it('an import never depends on the tasks of other accounts, nor reveals them', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const { body: own } = await ada.ask('POST', '/v1/tasks', { title: "ada's" });
    const free = '0198c000-0000-7000-8000-000000000001';
    const documents = [own.data.id, free, free.toUpperCase()].map((id) => [{ id, title: 'x', outcomes: [DONE] }]);
    const reports = [];
    for (const tasks of documents) reports.push(await importOf(grace, tasks));
    assert.deepEqual(
      reports.map(({ imported, skipped }) => [imported, skipped]),
      [
        [1, 0],
        [1, 0],
        [0, 1],
      ],
    );
    for (const { items } of reports) assert.ok(![own.data.id, free].includes(items[0].id));
    const { body: stats } = await grace.ask('GET', '/v1/stats');
    assert.deepEqual([stats.data.open, stats.data.done], [2, 2]);
    const { body: archive } = await ada.ask('GET', '/v1/me/export');
    assert.deepEqual([archive.data.tasks[0].outcomes, archive.data.tasks[0].timeline.length], [[], 1]);
  });

  it('what refuses an import is found before anything is stored, and does not count what is there already', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_OPEN_TASKS_PER_ACCOUNT: '100' } });
    const ada = await createPerson(app);
    const tasks = Array.from({ length: 101 }, (_, index) => ({ title: `x${index}` }));
    const ladders = { own: [], labels: [{ label: 'x', ladder: { preset: 'daily' } }], default: { preset: 'gentle' } };
    const refused = await ada.ask('POST', '/v1/me/import', { tasks, ladders });
    assert.match(refused.body.error, /^too_many_open_tasks/);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.open, 0);
    const book = (await ada.ask('GET', '/v1/ladders')).body.data;
    assert.deepEqual([book.labels, book.default], [[], null]);
    assert.equal((await importOf(ada, tasks.slice(0, 90))).imported, 90);
    const { imported, skipped } = await importOf(ada, tasks.slice(0, 100));
    assert.deepEqual([imported, skipped], [10, 90]);
  });

  test('an import that a fault interrupts is completed by repeating it with the same key', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const tasks = Array.from({ length: 100 }, (_, index) => ({ title: `x${index}` }));
    const headers = { authorization: `Bearer ${ada.sessionToken}`, 'idempotency-key': 'once' };
    const send = () => app.ask({ method: 'POST', url: '/v1/me/import', headers, payload: { tasks } });
    await ada.ask('POST', '/v1/tasks', { title: 'x99' });
    await sql`create unique index fault on tasks (title) where title = 'x99'`.execute(app.db);
    assert.equal((await send()).status, 500);
    await sql`drop index fault`.execute(app.db);
    const { imported, skipped } = (await send()).body.data;
    assert.ok(skipped > 0 && skipped < 100, `${skipped} were stored before the fault`);
    assert.equal(imported, 100 - skipped);
    const repeated = await send();
    assert.deepEqual([repeated.headers['idempotent-replayed'], repeated.body.data.imported], ['true', imported]);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.open, 101);
  });

  test('two processes that import the same file at the same time import each task once', async () => {
    const database = await createDatabase(engine);
    const settings = { ...(database.folder && { DATA_DIR: database.folder }) };
    {
      await using one = await startTestApp(engine, { databaseUrl: database.url, settings });
      const ada = await createPerson(one);
      // A SQLite file has only one process, so two requests to it take the place of two processes.
      await using other =
        engine === 'postgres' ? await startTestApp(engine, { databaseUrl: database.url, clock: one.clock }) : undefined;
      const tasks = Array.from({ length: 300 }, (_, index) => ({ title: `x${index}`, outcomes: [DONE] }));
      const headers = { authorization: `Bearer ${ada.sessionToken}` };
      const send = (app: TestApp) => app.ask({ method: 'POST', url: '/v1/me/import', headers, payload: { tasks } });
      const answers = await Promise.all([send(one), send(other ?? one)]);
      const taken = answers.filter(({ status }) => status === 200);
      assert.equal(
        taken.reduce((sum, { body }) => sum + body.data.imported, 0),
        300,
      );
      const { body } = await ada.ask('GET', '/v1/stats');
      assert.deepEqual([body.data.open, body.data.done], [300, 300]);
    }
    await database.drop();
  });

  it('uploads are limited to one per account and eight in all, and hanging up frees the slot', async () => {
    await using app = await startTestApp(engine);
    const people = [];
    for (let index = 0; index < 9; index += 1) people.push(await createPerson(app));
    const [ada, ...others] = people as [Person, ...Person[]];
    const last = others.at(-1) as Person;
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const uploads = [];
    for (const person of [ada, ...others.slice(0, 7)]) uploads.push(await beginUpload(app, address, person));
    assert.equal((await ada.ask('POST', '/v1/me/import', { tasks: [] })).status, 409);
    const refused = await last.ask('POST', '/v1/me/import', { tasks: [] });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5']);
    for (const upload of uploads) upload.destroy();
    await importUntil(ada, 200);
    assert.equal((await last.ask('POST', '/v1/me/import', { tasks: [] })).status, 200);
  });

  it('eight uploads that never finish keep nobody out for longer than a few seconds', async () => {
    await using app = await startTestApp(engine);
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const uploads = [];
    for (let index = 0; index < 8; index += 1) {
      uploads.push(await beginUpload(app, address, await createPerson(app)));
    }
    const ada = await createPerson(app);
    await app.clock.advance('5s');
    const answered = once(uploads[0] as ClientRequest, 'response');
    assert.equal((await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'mine' }] })).body.data.imported, 1);
    const [displaced] = (await answered) as [IncomingMessage];
    const { statusCode, headers } = displaced;
    assert.deepEqual([statusCode, headers['retry-after'], headers.connection], [503, '5', 'close']);
    for (const upload of uploads) upload.destroy();
  });

  testOn(
    'sqlite',
    engine,
    'a file that is too large for one import is imported in parts, to the last task',
    async () => {
      await using app = await startTestApp(engine);
      const ada = await createPerson(app);
      const tasks = Array.from({ length: 2_010 }, (_, index) => ({ title: `x${index}` }));
      const first = await importOf(ada, tasks);
      assert.deepEqual([first.imported, first.remaining, first.next], [2_000, 10, 2_000]);
      const second = await importOf(ada, tasks, `?from=${first.next}`);
      assert.deepEqual([second.imported, second.remaining, second.next], [10, 0, null]);
      assert.equal(second.items[0].index, 2_000);
      const again = await importOf(ada, tasks);
      assert.deepEqual([again.imported, again.skipped], [0, 2_000]);
      const nonsense = await importOf(ada, Array(600).fill({}));
      assert.deepEqual([nonsense.refused, nonsense.remaining], [500, 100]);
    },
  );

  it('a new account adopts the time zone of the archive, another keeps its own, and the report says so', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const task = { title: 'pill', due_at: '2026-03-03T08:00:00', has_time: true, recurrence: { freq: 'daily' } };
    await ada.ask('POST', '/v1/tasks', task);
    const { body: archive } = await ada.ask('GET', '/v1/me/export');
    const [fresh, settled] = [await createPerson(app), await createPerson(app)];
    await settled.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const importInto = async (person: Person) => (await person.ask('POST', '/v1/me/import', archive.data)).body.data;
    const newYork = 'America/New_York';
    const { zone, items } = await importInto(fresh);
    assert.deepEqual(zone, { document: newYork, account: newYork, taken_over: true });
    assert.equal((await fresh.ask('GET', '/v1/me')).body.data.timezone, newYork);
    const { body: next } = await fresh.ask('POST', `/v1/tasks/${items[0].id}/complete`);
    assert.equal(next.data.due_at, '2026-03-04T13:00:00.000Z');
    assert.deepEqual((await importInto(settled)).zone, {
      document: newYork,
      account: 'Europe/Berlin',
      taken_over: false,
    });
    assert.equal((await settled.ask('GET', '/v1/me')).body.data.timezone, 'Europe/Berlin');
  });

  testOn(
    'sqlite',
    engine,
    'an account that is too large for one file is exported and imported in parts, with every task',
    async () => {
      await using app = await startTestApp(engine);
      const dueAt = new Date('2027-01-01T09:00:00Z');
      const [owner = ''] = await insertDueTasks(app.db, { tasks: 525, owners: 1, dueAt, withDevices: false });
      await sql`update users set email = 'ada@example.org'`.execute(app.db);
      await sql`update tasks set title = cast(id as text), notes = ${'\u{1F600}'.repeat(10_000)}`.execute(app.db);
      const ada = personWith(app, 'ada@example.org', owner, await openSession(app, owner));
      const documents = [];
      for (let after = ''; ; ) {
        const { body } = await ada.ask('GET', `/v1/me/export?importable=true${after}`);
        documents.push(body.data);
        if (body.data.next_after === null) break;
        after = `&after=${body.data.next_after}`;
      }
      assert.equal(documents.length, 2);
      assert.deepEqual(documents[0].tasks[0].timeline, []);
      await ada.ask('DELETE', '/v1/me');
      const again = await createPerson(app, ada.email);
      for (const document of documents) {
        for (let next: number | null = 0; next !== null; ) {
          const { body } = await again.ask('POST', `/v1/me/import?from=${next}`, document);
          assert.equal(body.data.refused, 0);
          next = body.data.next;
        }
      }
      const rows = await app.db.selectFrom('tasks').select('title').where('owner_id', '=', again.userId).execute();
      assert.equal(new Set(rows.map(({ title }) => title)).size, 525);
    },
  );

  it('an import writes an audit line with its counts', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await importOf(ada, [{ title: 'x' }]);
    const line = app.log.find(({ audit }) => audit === 'tasks_imported');
    assert.deepEqual([line?.user_id, line?.imported, line?.refused], [ada.userId, 1, 0]);
  });
});
