import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgresAdapter } from 'kysely';
import type { Migration } from 'kysely/migration';
import pg from 'pg';
import packageJson from '../../package.json' with { type: 'json' };
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { newestOf, SchemaWatch, TablesChangeError } from '../../src/db/schema-watch.ts';
import { leaseChosen, leaseDeliveries, NOTHING } from '../../src/deliveries/leases.store.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { RequestSweep } from '../../src/engine/request-sweep.ts';
import type { Slices } from '../../src/follow-ups/follow-ups.ts';
import { FollowUps } from '../../src/follow-ups/run-follow-ups.ts';
import { sliceOf } from '../../src/lib/batch-size.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { SignsOfLife } from '../../src/outages/signs-of-life.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { SecondFactorResets } from '../../src/sign-in/second-factor-resets.service.ts';
import { runCommand } from '../support/command-line.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, makeAdmin } from '../support/people.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const later: Migration = {
  up: async (db) => db.schema.createTable('holograms').addColumn('id', 'uuid').execute(),
};
const NEWER = { ...migrations, '9999-holograms': later };

const health = (app: TestApp) => app.ask({ method: 'GET', url: '/health' });

onEveryEngine((engine, it) => {
  it('the release is a header of /health, and the contract keeps its version', async () => {
    await using app = await startTestApp(engine);
    const { headers, body } = await health(app);
    assert.equal(headers['crescendo-release'], packageJson.version);
    assert.equal(headers['crescendo-older-processes'], undefined);
    assert.notEqual(packageJson.version, '0.1.0');
    assert.equal(body.data.version, '0.1.0');
    const { body: description } = await app.ask({ method: 'GET', url: '/openapi.json' });
    assert.equal(description.info.version, '0.1.0');
  });

  test('a process writes its release and a sign of life, and its row is gone when it stops or long after it was killed', async () => {
    const database = await createDatabase(engine);
    const app = await startTestApp(engine, { databaseUrl: database.url, extra: { beatEveryMs: 20 } });
    const row = () => app.db.selectFrom('processes').selectAll().executeTakeFirstOrThrow();
    const { release, kind, newest_migration, started_at, seen_at } = await row();
    assert.deepEqual([release, kind, newest_migration], [VERSION, 'all', newestOf(migrations)]);
    assert.deepEqual([started_at, seen_at], [app.clock.now(), app.clock.now()]);
    await app.clock.advance('1m');
    await waitUntil(async () => (await row()).seen_at.getTime() === app.clock.now().getTime());
    const killed = { ...(await row()), id: newId(), seen_at: new Date(app.clock.now().getTime() - 3_600_001) };
    await app.db.insertInto('processes').values(killed).execute();
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.equal((await app.db.selectFrom('processes').select('id').execute()).length, 1);
    await app[Symbol.asyncDispose]();
    await using next = await startTestApp(engine, { databaseUrl: database.url });
    assert.equal((await next.db.selectFrom('processes').select('id').execute()).length, 1);
    await next.close();
    await database.drop();
  });

  test('a process that meets the tables of a newer release sends and claims nothing more, and says so', async () => {
    const sent: string[] = [];
    const gateway: Gateway = {
      send: async (push) => {
        sent.push(push.kind);
        return { kind: 'accepted' };
      },
      capacity: () => 100,
      close: async () => undefined,
    };
    await using app = await startTestApp(engine, { extra: { gateways: { apns: gateway }, beatEveryMs: 20 } });
    const ada = await createPerson(app);
    const dueAt = new Date(app.clock.now().getTime() + 60_000);
    await insertDueTasks(app.db, { tasks: 3, owners: 1, dueAt });
    const now = app.clock.now();
    const reset = { requested_by: ada.userId, requested_at: now, told_at: now, due_at: dueAt, mail_due_at: null };
    const stored = { id: newId(), user_id: ada.userId, ...reset };
    await app.db.insertInto('second_factor_resets').values(stored).execute();
    await app.engine?.settled();
    await app.db
      .insertInto('follow_ups')
      .values({ id: newId(), kind: 'replan', user_id: ada.userId, space_id: null, cursor: null })
      .execute();
    const asked = { recipient_id: ada.userId, other_id: ada.userId, kind: 'asked', repeat: 0 } as const;
    await app.db
      .insertInto('request_messages')
      .values({ id: newId(), task_id: null, ...asked, due_at: now, created_at: now })
      .execute();
    await migrate(app.db, { version: '7.0.0', startedAt: new Date() }, NEWER);
    app.engine?.wakeUp();
    await app.clock.advance('2m');
    assert.deepEqual(sent, []);
    const schema = new SchemaWatch(createLogger('fatal'));
    const resets = new SecondFactorResets({ db: app.db, schema, clock: app.clock } as never);
    await assert.rejects(resets.apply(stored), TablesChangeError);
    const { db, clock } = app;
    const slices = new FollowUps(db, {} as Slices, schema, () => sliceOf(1));
    await assert.rejects(slices.runOnce(), TablesChangeError);
    const requests = new RequestSweep({ db, clock, schema } as never);
    await assert.rejects(requests.runAll(new AbortController().signal), TablesChangeError);
    const hourLater = new FakeClock('2026-03-02T10:00:00Z');
    const signs = new SignsOfLife({ db, schema, clock: hourLater, wallClock: hourLater } as never);
    await assert.rejects(signs.show(), TablesChangeError);
    const tasks = await app.db.selectFrom('tasks').select(['nudge_count', 'next_fire_at']).execute();
    assert.deepEqual(tasks, Array(3).fill({ nudge_count: 0, next_fire_at: dueAt }));

    const answer = await health(app);
    assert.equal(answer.status, 503);
    assert.match(answer.body.error, /^newer_release: /);
    const refused = await ada.ask('POST', '/v1/tasks', { title: 'x' });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5']);
    const lines = app.log.filter(({ migration }) => migration === '9999-holograms');
    assert.equal(lines.length, 1);
  });

  test('no statement leases a delivery on the tables of a newer release', async () => {
    await using app = await startTestApp(engine);
    const now = app.clock.now();
    const [owner_id = ''] = await insertDueTasks(app.db, { tasks: 1, owners: 1, dueAt: new Date(now.getTime() + 1) });
    const { id } = await app.db.selectFrom('tasks').select('id').executeTakeFirstOrThrow();
    const delivery = storedDelivery({ id, owner_id }, { provider: 'telegram', created_at: now });
    await app.db.insertInto('deliveries').values(delivery).execute();
    await migrate(app.db, { version: '7.0.0', startedAt: new Date() }, NEWER);
    const lease = async (newestMigration: string, isChosen: boolean) => {
      const leased = { now, until: new Date(now.getTime() + 1_000), newestMigration };
      if (isChosen) return leaseChosen(app.db, [delivery], leased);
      return leaseDeliveries(app.db, 'telegram', { ...leased, limit: 5, except: NOTHING });
    };
    for (const isChosen of [true, false]) assert.deepEqual(await lease(newestOf(migrations), isChosen), []);
    assert.equal((await lease(newestOf(NEWER), true)).length, 1);
  });

  it('an upgrade of the database leaves a line in the log', async () => {
    const database = await createDatabase(engine);
    {
      await using before = await startTestApp(engine, { databaseUrl: database.url });
      assert.equal(before.log.filter(({ msg }) => msg === 'the database was upgraded').length, 0);
    }
    await using app = await startTestApp(engine, { databaseUrl: database.url, extra: { migrations: NEWER } });
    const [line] = app.log.filter(({ msg }) => msg === 'the database was upgraded');
    assert.deepEqual([line?.from, line?.to, line?.migrations], [VERSION, VERSION, 1]);
    assert.ok(Number.isInteger(line?.duration_ms));
    await app.close();
    await database.drop();
  });
});

onlyOn('postgres', () => {
  test('nobody claims work while Kysely holds its lock for migrations', async () => {
    await using app = await startTestApp('postgres');
    const schema = new SchemaWatch(createLogger('fatal'));
    const claim = () => app.db.transaction().execute((trx) => schema.hold(trx));
    await claim();
    await app.db.transaction().execute(async (trx) => {
      await new PostgresAdapter().acquireMigrationLock(trx as never, {} as never);
      await assert.rejects(claim(), TablesChangeError);
    });
    await claim();
  });

  test('as long as a process of a release before 0.3.0 is connected, the log, /health, the admin page and the doctor say so', async () => {
    await using closing = new AsyncDisposableStack();
    const { url: databaseUrl } = closing.adopt(await createDatabase('postgres'), ({ drop }) => drop());
    const app = closing.use(await startTestApp('postgres', { databaseUrl, extra: { beatEveryMs: 20 } }));
    const connect = async (application_name: string) => {
      const client = closing.adopt(new pg.Client({ connectionString: databaseUrl, application_name }), (one) =>
        one.end(),
      );
      await client.connect();
      return client;
    };
    const boss = await createPerson(app);
    await makeAdmin(app, boss);
    const count = async () => (await boss.ask('GET', '/v1/admin/health')).body.data.older_processes;
    const doctor = async () => {
      const { json } = await runCommand(['doctor', '--json'], { DATABASE_URL: databaseUrl }, { clock: app.clock });
      return json.data.findings.find(({ check }: { check: string }) => check === 'processes');
    };
    assert.deepEqual([await count(), (await doctor()).verdict], [0, 'ok']);
    await connect('crescendo command');
    const old = await connect('crescendo 1a2b3c4d');
    await waitUntil(async () => (await count()) === 1);
    assert.equal((await health(app)).headers['crescendo-older-processes'], '1');
    assert.match((await doctor()).says, /release before 0\.3\.0 .*127\.0\.0\.1/);
    await old.end();
    await waitUntil(async () => (await count()) === 0);
    assert.equal((await health(app)).headers['crescendo-older-processes'], undefined);
    const told = app.log.filter(({ msg }) => /before 0\.3\.0|disturbs/.test(String(msg)));
    assert.deepEqual(
      told.map(({ level }) => level),
      ['error', 'info'],
    );
  });
});
