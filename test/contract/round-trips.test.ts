/** What the service asks of its database, counted: a duration would say more about the machine than about the service. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import pg from 'pg';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import { addToCounts } from '../../src/tasks/outcomes.store.ts';
import { findShownTask } from '../../src/tasks/shown-tasks.store.ts';
import { lockOwner } from '../../src/tasks/tasks.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakePhones } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { PostgresWire } from '../support/postgres-wire.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const LATER = '2026-03-09T09:00:00Z';
const CONCURRENT = 32;

/** What people do all the time, each with a task of its own. */
const REQUESTS = {
  read: (ada: Person, id: string) => ada.ask('GET', `/v1/tasks/${id}`),
  list: (ada: Person) => ada.ask('GET', '/v1/tasks?limit=50'),
  sync: (ada: Person) => ada.ask('GET', '/v1/sync'),
  syncOfChanges: (ada: Person, _id: string, since: string) => ada.ask('GET', `/v1/sync?since=${since}`),
  create: (ada: Person) => ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: LATER }),
  snooze: (ada: Person, id: string) => ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: LATER }),
  complete: (ada: Person, id: string) => ada.ask('POST', `/v1/tasks/${id}/complete`),
};

type Name = keyof typeof REQUESTS;

interface Work {
  /** How often the service waited for PostgreSQL. SQLite runs in the process. */
  readonly roundTrips: number;
  readonly statements: number;
  readonly commits: number;
}

interface CountedApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;
  /** On PostgreSQL: the statements that were prepared. */
  readonly prepared: ReadonlySet<string>;
  /** What was done since the last call. */
  take(): Work;
}

const phones = (clock: FakeClock) => ({ gateways: { apns: new FakePhones(clock) } });

async function startOnPostgres(clock: FakeClock, settings = {}): Promise<CountedApp> {
  const database = await createDatabase('postgres');
  const wire = await PostgresWire.to(database.url);
  const app = await startTestApp('postgres', { databaseUrl: wire.url, clock, settings, extra: phones(clock) });
  const dispose = async () => {
    await app[Symbol.asyncDispose]();
    await wire[Symbol.asyncDispose]();
    await database.drop();
  };
  return { app, url: database.url, prepared: wire.prepared, take: () => wire.take(), [Symbol.asyncDispose]: dispose };
}

async function startOnSqlite(clock: FakeClock, settings = {}): Promise<CountedApp> {
  const app = await startTestApp('sqlite', { clock, settings, extra: phones(clock) });
  const exec = mock.method(DatabaseSync.prototype, 'exec');
  const methods = [mock.method(StatementSync.prototype, 'all'), mock.method(StatementSync.prototype, 'run')];
  const take = () => {
    const statements = methods.reduce((sum, method) => sum + method.mock.callCount(), 0);
    const commits = exec.mock.calls.filter((call) => call.arguments[0] === 'commit').length;
    for (const method of [exec, ...methods]) method.mock.resetCalls();
    return { roundTrips: 0, statements, commits };
  };
  const dispose = async () => {
    mock.restoreAll();
    await app[Symbol.asyncDispose]();
  };
  return { app, url: '', prepared: new Set(), take, [Symbol.asyncDispose]: dispose };
}

/** On PostgreSQL the start and the end of a transaction are statements, too. */
const LIMITS: Readonly<Record<'postgres' | 'sqlite', Readonly<Record<Name, Work>>>> = {
  postgres: {
    read: { roundTrips: 2, statements: 2, commits: 0 },
    list: { roundTrips: 2, statements: 2, commits: 0 },
    sync: { roundTrips: 6, statements: 6, commits: 0 },
    syncOfChanges: { roundTrips: 4, statements: 6, commits: 0 },
    create: { roundTrips: 2, statements: 7, commits: 1 },
    snooze: { roundTrips: 3, statements: 11, commits: 1 },
    complete: { roundTrips: 3, statements: 13, commits: 1 },
  },
  sqlite: {
    read: { roundTrips: 0, statements: 2, commits: 0 },
    list: { roundTrips: 0, statements: 2, commits: 0 },
    sync: { roundTrips: 0, statements: 6, commits: 0 },
    syncOfChanges: { roundTrips: 0, statements: 6, commits: 0 },
    create: { roundTrips: 0, statements: 6, commits: 1 },
    snooze: { roundTrips: 0, statements: 9, commits: 1 },
    complete: { roundTrips: 0, statements: 11, commits: 1 },
  },
};

onEveryEngine((engine) => {
  const start = engine === 'postgres' ? startOnPostgres : startOnSqlite;

  test('a request needs no more statements and round trips than listed, that of its session included', async () => {
    await using counted = await start(new FakeClock(), engine === 'postgres' ? { ROLE: 'api' } : {});
    const ada = await createPerson(counted.app);
    const since = (await REQUESTS.sync(ada)).body.data.server_time;
    for (const [name, request] of Object.entries(REQUESTS) as [Name, (typeof REQUESTS)[Name]][]) {
      // The least of several times: at first, statements are prepared.
      const times: Work[] = [];
      for (let time = 1; time <= 4; time += 1) {
        const { body } = await REQUESTS.create(ada);
        await counted.app.engine?.settled();
        counted.take();
        assert.equal((await request(ada, body.data.id, since)).status, 200);
        times.push(counted.take());
      }
      const least = (count: keyof Work) => Math.min(...times.map((work) => work[count]));
      const work = { roundTrips: least('roundTrips'), statements: least('statements'), commits: least('commits') };
      const most = LIMITS[engine][name];
      const isMore = (Object.keys(work) as (keyof Work)[]).some((count) => work[count] > most[count]);
      assert.ok(!isMore, `${name}: ${JSON.stringify(work)}`);
    }
  });

  test('nudges that are due together share their transactions', async () => {
    const clock = new FakeClock();
    await using counted = await start(clock);
    const { app } = counted;
    await insertDueTasks(app.db, { tasks: 200, owners: 100, dueAt: clock.now() });
    counted.take();
    app.engine?.wakeUp();
    await app.engine?.settled();
    const { count } = await app.db
      .selectFrom('deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('status', '=', 'sent')
      .executeTakeFirstOrThrow();
    assert.equal(count, 200);
    const { commits } = counted.take();
    // On SQLite, batches are as large as a slice of time allows.
    assert.ok(commits <= (engine === 'postgres' ? 10 : 100), `${commits} commits`);
  });
});

/** The plan that PostgreSQL makes once and keeps, with the settings of the service, which avoid a scan of the table. */
async function explain(url: string, statement: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, options: '-c enable_seqscan=off' });
  await client.connect();
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`);
    return rows.map((row) => row['QUERY PLAN']);
  } finally {
    await client.end();
  }
}

onlyOn('postgres', () => {
  test('reads at the same time share their round trips', async () => {
    await using counted = await startOnPostgres(new FakeClock(), { ROLE: 'api' });
    const ada = await createPerson(counted.app);
    const { body } = await REQUESTS.create(ada);
    const readMany = () => Promise.all(Array.from({ length: CONCURRENT }, () => REQUESTS.read(ada, body.data.id)));
    // The least of several times: at first, connections are opened.
    const times: Work[] = [];
    for (let time = 1; time <= 4; time += 1) {
      counted.take();
      const answers = await readMany();
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      times.push(counted.take());
    }
    assert.equal(Math.min(...times.map(({ statements }) => statements)), 2 * CONCURRENT);
    const roundTrips = Math.min(...times.map((work) => work.roundTrips));
    assert.ok(roundTrips <= CONCURRENT / 2, `${roundTrips} round trips`);
  });

  test('a read that fails does not fail those that share its round trip', async () => {
    await using app = await startTestApp('postgres', { settings: { ROLE: 'api' } });
    const ada = await createPerson(app);
    const { id } = (await REQUESTS.create(ada)).body.data;
    const ids = [id, 'not an id', id];
    const [before, failed, after] = await Promise.allSettled(ids.map((one) => findShownTask(app.db, one)));
    assert.equal(failed?.status, 'rejected');
    for (const read of [before, after]) assert.equal(read?.status === 'fulfilled' && read.value?.id, id);
  });

  test('a read that would share a round trip is refused inside of a transaction that it bypasses', async () => {
    await using app = await startTestApp('postgres', { settings: { ROLE: 'api' } });
    const read = () => findShownTask(app.db, newId());
    const readOutside = AsyncLocalStorage.bind(read);
    const work = async () => {
      // The round trip that it would share.
      const outside = readOutside();
      await read().finally(() => outside);
    };
    await assert.rejects(transact(app.db, work), /inside a transaction/);
  });

  test('the writes of one account do not wait for each other, and its counts are exact', async () => {
    await using app = await startTestApp('postgres', { settings: { ROLE: 'api' } });
    const ada = await createPerson(app);
    const createMany = () => Promise.all(Array.from({ length: CONCURRENT }, () => REQUESTS.create(ada)));
    await REQUESTS.create(ada);
    const answers = await app.db.transaction().execute(async (trx) => {
      await addToCounts(trx, ada.userId, { open: 1 });
      // With this statement the write before it is sent, and waits for its commit from then on.
      await lockOwner(trx, ada.userId);
      return createMany();
    });
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const { body } = await ada.ask('GET', '/v1/stats');
    assert.equal(body.data.open, CONCURRENT + 2);
  });

  test('a plan for any parameters of a statement that repeats reads by an index', async () => {
    const clock = new FakeClock();
    await using counted = await startOnPostgres(clock);
    const { app, url, prepared } = counted;
    const ada = await createPerson(app);
    const bob = await createPerson(app);
    const space = await ada.ask('POST', '/v1/spaces', { name: 'home' });
    for (let time = 1; time <= 4; time += 1) {
      for (const request of Object.values(REQUESTS)) {
        const { body } = await REQUESTS.create(ada);
        await request(ada, body.data.id, clock.now().toISOString());
      }
      const { body } = await REQUESTS.create(ada);
      const ownUrl = `/v1/tasks/${body.data.id}`;
      for (const [method, url, payload] of [
        ['GET', '/v1/tasks?status=open'],
        ['GET', '/v1/tasks?status=overdue'],
        ['GET', '/v1/tasks?assigned=true&limit=5'],
        ['GET', `/v1/sync?since=${clock.now().toISOString()}`],
        ['GET', `${ownUrl}/timeline`],
        ['PATCH', ownUrl, { space_id: space.body.data.id, title: `pills ${time}` }],
        ['GET', `/v1/spaces/${space.body.data.id}/tasks`],
        ['POST', `${ownUrl}/skip`],
        ['POST', `${ownUrl}/reopen`],
        ['POST', `${ownUrl}/drop`],
        ['GET', '/v1/stats'],
        ['GET', '/v1/outcomes'],
        ['POST', '/v1/tasks', { title: 'for Bob', owner_id: bob.userId }],
        ['PATCH', '/v1/me', { day_start: `0${time}:00` }],
      ] as const)
        assert.equal((await ada.ask(method, url, payload)).status, 200, url);
      await insertDueTasks(app.db, { tasks: 20, owners: 10, dueAt: clock.now() });
      app.engine?.wakeUp();
      await app.engine?.settled();
      await clock.advance('20m');
    }
    const statements = [...prepared].filter((text) => !/^(begin|commit)$/.test(text));
    assert.ok(statements.length > 30, `${statements.length} statements`);
    const scans: string[] = [];
    for (const text of statements) {
      const plan = (await explain(url, text)).join('\n');
      if (plan.includes('Seq Scan')) scans.push(`${text}\n${plan}`);
    }
    assert.deepEqual(scans, []);
  });
});
