/** The move from SQLite to PostgreSQL: every row arrives, or none does. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { waitForClock } from '../../src/cli/move/target.ts';
import { openDatabase } from '../../src/db/open.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { connect, mcpStatus, refreshWith } from '../support/assistants.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { create } from '../support/channel-rig.ts';
import { NtfyRig, WebhookRig } from '../support/channel-rigs.ts';
import { runCommand } from '../support/command-line.ts';
import { type Ended, spawnCommand } from '../support/command-process.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onlyOn, runOn, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, personWith, signIn } from '../support/people.ts';
import { startService } from '../support/service-process.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp, VERSION } from '../support/test-app.ts';

const SECRET_KEY = 'a key for tests, long enough to be taken';
const TASKS = sized(2_000, 100_000);
const DUE_NOW = 200;
const HOUR_MS = 3_600_000;
const PAGE = 10_000;

/** A SQLite database, and an empty PostgreSQL database without even our tables. */
async function startMove() {
  await using parts = new AsyncDisposableStack();
  const from = parts.adopt(await createDatabase('sqlite'), ({ drop }) => drop());
  const to = parts.adopt(await createDatabase('postgres', 'template0'), ({ drop }) => drop());
  const owned = parts.move();
  const environment = { DATABASE_URL: from.url, DATA_DIR: from.folder ?? '', SECRET_KEY };
  const startOn = (database: TestDatabase, clock: FakeClock, settings: Readonly<Record<string, string>> = {}) =>
    startTestApp(database === from ? 'sqlite' : 'postgres', {
      databaseUrl: database.url,
      clock,
      settings: { DATA_DIR: from.folder ?? '', ...settings },
    });
  return { from, to, environment, startOn, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Calls back in the middle of the tasks; `interrupt` is Ctrl-C. */
const inTheCopy = (act: (interrupt: () => void) => void) => (line: string, interrupt: () => void) => {
  if (/now in tasks/.test(line)) act(interrupt);
};

const OPENING = { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') };

/** More than a batch. */
const SOME_TASKS = 1_500;

async function insertTasks(database: TestDatabase): Promise<void> {
  const db = await openSqlite(database);
  await insertDueTasks(db, { tasks: SOME_TASKS, owners: 5, dueAt: new Date() });
  await db.destroy();
}

const fileOf = ({ url }: TestDatabase) => url.replace('sqlite:', '');

async function openSqlite(database: TestDatabase): Promise<Db> {
  return openDatabase({ engine: 'sqlite', file: fileOf(database) }, OPENING);
}

/** Compares row by row, as the service reads them. Only tables with an id have more than one page. */
async function assertEqualRows(from: TestDatabase, to: TestDatabase): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const here = parts.adopt(await openSqlite(from), (db) => db.destroy());
  const there = parts.adopt(openTarget(to.url), (db) => db.destroy());
  for (const { name, columns } of await here.introspection.getTables()) {
    const page = async (db: Db, start: number) => {
      const { rows } = await sql<object>`select * from ${sql.table(name)} order by ${sql.ref(columns[0]?.name ?? '')}
        limit ${sql.lit(PAGE)} offset ${sql.lit(start)}`.execute(db);
      return rows.map((row) => JSON.stringify(row)).toSorted();
    };
    for (let start = 0, read = PAGE; read === PAGE; start += PAGE) {
      const rows = await page(here, start);
      assert.deepEqual(await page(there, start), rows, name);
      read = rows.length;
    }
  }
}

async function undoMove(environment: Record<string, string>): Promise<void> {
  const { code, err } = await runCommand(['undo-move'], environment);
  assert.equal(code, 0, err);
}

const openTarget = (url: string) =>
  new Kysely<Database>({ dialect: postgresDialect(url, 'migration', createLogger('silent')) });

/** Kills the copy at this percentage. */
async function killAt(percent: number, words: readonly string[], environment: Record<string, string>): Promise<Ended> {
  return spawnCommand(words, environment, (child, said) => {
    const reached = Number([...said.matchAll(/^(\d+)% copied/gm)].at(-1)?.[1] ?? 0);
    if (reached >= percent) child.kill('SIGKILL');
  });
}

async function count(url: string, table: string): Promise<number> {
  const db = openTarget(url);
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  await db.destroy();
  return rows[0]?.count ?? 0;
}

onlyOn('postgres', () => {
  test('a copy that is killed leaves nothing; run again, all tasks arrive once each, and due tasks fire there', async () => {
    await using move = await startMove();
    const { from, to, environment } = move;
    const clock = new FakeClock();
    const db = await openSqlite(from);
    const dueAt = new Date(clock.now().getTime() - (DUE_NOW - 1) * 60_000);
    await insertDueTasks(db, { tasks: TASKS, owners: 500, dueAt, intervalMs: 60_000 });
    await db.destroy();
    const before = readFileSync(fileOf(from));
    const words = ['move-to-postgres', to.url, '--json'];

    assert.equal((await killAt(50, words, environment)).signal, 'SIGKILL');
    assert.equal(await count(to.url, 'users'), 0);
    assert.deepEqual(readFileSync(fileOf(from)), before);

    const done = await spawnCommand(words, environment);
    assert.equal(done.code, 0, done.stderr);
    const { tables } = JSON.parse(done.stdout).data;
    assert.equal(tables.find(({ name }: { name: string }) => name === 'tasks').rows, TASKS);
    await assert.rejects(openSqlite(from), /this database was moved to PostgreSQL/);
    const again = await spawnCommand(words, environment);
    assert.match(again.stdout, /this database was moved to PostgreSQL.*crescendo undo-move/);
    await undoMove(environment);
    await assertEqualRows(from, to);

    const phones = new FakePhones(clock);
    await using app = await startTestApp('postgres', {
      databaseUrl: to.url,
      clock,
      extra: { gateways: { apns: phones } },
    });
    await app.clock.advance('1s');
    assert.equal(new Set(phones.shown.map(({ push }) => push.task.id)).size, DUE_NOW);
    assert.equal(phones.shown.length, DUE_NOW);
  });

  test('everything a user has is moved: session, tasks, space, token, connection, and changes not synced yet', async () => {
    await using move = await startMove();
    const clock = new FakeClock(new Date(Date.now() - HOUR_MS).toISOString());
    const there = await (async () => {
      await using app = await move.startOn(move.from, clock);
      return await createAdasData(app);
    })();
    // In a file, because other users of a machine can read the arguments of a command.
    const file = join(move.from.folder ?? '', 'target-url');
    writeFileSync(file, `${move.to.url}\n`, { mode: 0o600 });
    const { code, err, out } = await runCommand(['move-to-postgres', file], move.environment);
    assert.equal(code, 0, err);
    assert.match(out, /^ {2}SECRET_KEY +as it is set now$/m);
    assert.match(out, /^ {2}VAPID_PUBLIC_KEY +[\w-]{87}\n {2}VAPID_PRIVATE_KEY +the content of .*vapid\.key$/m);
    await undoMove(move.environment);
    await assertEqualRows(move.from, move.to);

    await using app = await move.startOn(move.to, clock);
    const ada = personWith(app, there.email, there.userId, there.sessionToken);
    const sync = async (since: string) =>
      (await ada.ask('GET', `/v1/sync?since=${encodeURIComponent(since)}`)).body.data;
    const synced = await sync(there.since);
    assert.equal(synced.reset, false);
    assert.deepEqual(
      synced.tasks.map(({ id }: { id: string }) => id),
      [there.changedAfter],
    );
    await ada.ask('POST', `/v1/tasks/${there.unchanged}/complete`);
    const later = (await sync(synced.server_time)).tasks.map(({ id }: { id: string }) => id);
    assert.ok(later.includes(there.unchanged));
    const byToken = await ada.ask('GET', '/v1/tasks', undefined, there.accessToken);
    assert.deepEqual([byToken.status, byToken.body.data.length], [200, 4]);
    assert.equal((await ada.ask('GET', '/v1/spaces')).body.data.length, 1);
    const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    const payload = { credential: there.phone.get(options) };
    assert.equal((await app.ask({ method: 'POST', url: '/v1/auth/passkey', payload })).body.data.user_id, there.userId);
    assert.equal(await mcpStatus(app, there.connection.access), 200);
    assert.equal((await refreshWith(app, there.connection)).status, 200);
  });

  test('a nudge that was sent before the move falls to the next tier after it, and its message is taken back', async () => {
    await using ntfy = await NtfyRig.start();
    await using webhook = await WebhookRig.start();
    await using move = await startMove();
    const clock = new FakeClock(new Date(Date.now() - HOUR_MS).toISOString());
    const settings = {
      BASE_URL: 'https://crescendo.example',
      CHANNEL_HOSTS: [ntfy, webhook].map(({ server }) => server.host).join(','),
    };
    const there = await (async () => {
      await using app = await move.startOn(move.from, clock, settings);
      return await nudgeAda(app, ntfy, webhook);
    })();
    const { code, err } = await runCommand(['move-to-postgres', move.to.url], move.environment);
    assert.equal(code, 0, err);
    for (const table of ['channels', 'channel_codes', 'deliveries']) assert.ok((await count(move.to.url, table)) > 0);
    await undoMove(move.environment);
    await assertEqualRows(move.from, move.to);

    await using app = await move.startOn(move.to, clock, settings);
    const ada = personWith(app, there.ada.email, there.ada.userId, there.ada.sessionToken);
    assert.deepEqual((await ada.ask('GET', '/v1/channels')).body.data, there.channels);
    await clock.advance('5m');
    assert.deepEqual(
      webhook.take().map(({ title }) => title),
      ['pills'],
    );
    assert.deepEqual(ntfy.take(), [], 'what was sent is not sent again');
    assert.equal((await ada.ask('POST', `/v1/tasks/${there.task}/complete`)).status, 200);
    await app.engine?.settled();
    assert.deepEqual([ntfy.takeRetracted(), webhook.takeRetracted()], [1, 1]);
  });

  test('a copy that is stopped leaves nothing and says what to do', async () => {
    await using move = await startMove();
    await insertTasks(move.from);
    const words = ['move-to-postgres', move.to.url];
    const stopped = await runCommand(words, move.environment, { onStderr: inTheCopy((interrupt) => interrupt()) });
    assert.deepEqual([stopped.code, stopped.out], [1, '']);
    assert.match(stopped.err, /\nStopped\. Nothing was copied, [^\n]+ Run the same command again\.\n$/);
    assert.equal(await count(move.to.url, 'users'), 0);
  });

  test('a service that starts during the copy waits for it, and then has every task', async () => {
    await using move = await startMove();
    await insertTasks(move.from);
    const { url } = move.to;
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const opening = reached.then(() => openDatabase({ engine: 'postgres', url }, { ...OPENING, version: '0.0.1' }));
    await runCommand(['move-to-postgres', url], move.environment, { onStderr: inTheCopy(() => reach()) });
    const db = await opening;
    assert.equal((await db.selectFrom('tasks').select('id').execute()).length, SOME_TASKS);
    await db.destroy();
  });

  describe('two databases are never mixed', () => {
    test('a PostgreSQL with rows, other tables or a running service is refused and not changed', async () => {
      await using move = await startMove();
      await (await openSqlite(move.from)).destroy();
      const words = ['move-to-postgres', move.to.url];
      const refusal = async () => {
        const { code, out, err } = await runCommand(words, move.environment);
        assert.deepEqual([code, out], [1, '']);
        return err;
      };
      await runOn(move.to.url, 'create table albums (id int)');
      assert.match(await refusal(), /^URL: the database already has a table "albums"\. Use an empty database\.\n$/);
      await runOn(move.to.url, 'drop table albums');
      {
        await using _service = await startService({ DATABASE_URL: move.to.url, SECRET_KEY, HOST: '127.0.0.1' });
        assert.match(await refusal(), /URL: a Crescendo service is using this database\. Stop it first\.\n$/);
      }
      {
        await using app = await move.startOn(move.to, new FakeClock());
        await signIn(app);
      }
      assert.match(await refusal(), /^URL: the database already has rows in "users"\. Use an empty database\.\n$/);
      assert.equal(await count(move.to.url, 'users'), 1);
    });

    test('a SQLite database that a service has open is refused', async () => {
      await using move = await startMove();
      const db = await openSqlite(move.from);
      const { err } = await runCommand(['move-to-postgres', move.to.url], move.environment);
      assert.match(err, /^Another process has .*crescendo\.db open\. Stop the service first\.\n$/);
      await db.destroy();
    });

    test('a foreign table in the SQLite database is named before a row is copied', async () => {
      await using move = await startMove();
      const db = await openSqlite(move.from);
      await sql`create table albums (id integer primary key)`.execute(db);
      await db.destroy();
      const { code, err } = await runCommand(['move-to-postgres', move.to.url], move.environment);
      assert.equal(code, 1);
      assert.match(err, /^The SQLite database has a table "albums" that is not Crescendo's\. Remove it first\.\n$/);
    });

    test('a copy that PostgreSQL changed is detected and not stored', async () => {
      await using move = await startMove();
      await insertTasks(move.from);
      const { url } = move.to;
      await (await openDatabase({ engine: 'postgres', url }, OPENING)).destroy();
      await runOn(
        url,
        `create function break_title() returns trigger language plpgsql as $$ begin new.title := 'pils'; return new; end $$;
         create trigger breaks_title before insert on tasks for each row execute function break_title()`,
      );
      const { code, out, err } = await runCommand(['move-to-postgres', url], move.environment);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /\nThe copy differs in tasks, so it was not stored\. [^\n]+\n$/);
      assert.equal(await count(url, 'users'), 0);
    });
  });

  test('nothing is copied before the clock of PostgreSQL has passed the time at which the old service stopped', async () => {
    const database = await createDatabase('postgres');
    const db = openTarget(database.url);
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const wait = (ms: number) => waitForClock(db, new Date(Date.now() + ms), clock, signal);
    await assert.rejects(wait(120_000), /clock is 1(19|20) s behind this machine's/);
    let isOver = false;
    const waiting = wait(59_000).then(() => {
      isOver = true;
    });
    // These queries queue behind the clock query on the only connection.
    await count(database.url, 'users');
    await sql`select 1`.execute(db);
    await clock.advance('1s');
    assert.equal(isOver, false);
    await clock.advance('1m');
    await waiting;
    await wait(-60_000);
    await db.destroy();
    await database.drop();
  });

  test('a text that PostgreSQL cannot store is named with its table, row and column', async () => {
    await using move = await startMove();
    const db = await openSqlite(move.from);
    const [owner = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: new Date() });
    await db.destroy();
    const file = new DatabaseSync(fileOf(move.from));
    file.prepare('update users set display_name = ?').run('Ada\0');
    file.close();
    const { code, err } = await runCommand(['move-to-postgres', move.to.url], move.environment);
    assert.equal(code, 1);
    assert.ok(
      err.endsWith(`users, row "${owner}": display_name contains U+0000, which PostgreSQL cannot store.\n`),
      err,
    );
  });
});

/** Gives Ada four tasks, one of which changes after her last sync. */
async function createAdasData(app: TestApp) {
  const ada = await signIn(app, 'ada@example.org');
  const phone = new Authenticator(undefined, 4_294_967_000);
  assert.equal((await addPasskey(ada, phone)).status, 200);
  await addDevice(app, ada.userId);
  const make = async (fields: object) => {
    const { status, body } = await ada.ask('POST', '/v1/tasks', { title: 'Grüße 世界 🎺 "\\', ...fields });
    assert.equal(status, 200);
    return body.data.id as string;
  };
  const space = (await ada.ask('POST', '/v1/spaces', { name: 'home' })).body.data;
  await ada.ask('POST', `/v1/spaces/${space.id}/invites`, { contact: 'grace@example.org' });
  const unchanged = await make({ space_id: space.id, due_at: '2031-03-02T10:00:00+05:30', has_time: true });
  const repeating = await make({ due_at: '2026-03-02T10:00:00Z', recurrence: { freq: 'daily', interval: 2 } });
  await ada.ask('POST', `/v1/tasks/${repeating}/complete`);
  // Overdue in the year 10000.
  await make({ due_at: '9999-12-31T10:00:00Z', has_time: false });
  const changedAfter = await make({ notes: 'line\nline\u2028' });
  const minted = await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] });
  const connection = await connect(app, ada);
  await ada.ask('POST', '/v1/auth/mfa/enroll');
  await app.clock.advance('10m');
  const since = (await ada.ask('GET', '/v1/sync')).body.data.server_time as string;
  await app.clock.advance('1s');
  await ada.ask('POST', `/v1/tasks/${changedAfter}/skip`);
  const { email, userId, sessionToken } = ada;
  return {
    email,
    userId,
    sessionToken,
    unchanged,
    changedAfter,
    since,
    phone,
    accessToken: minted.body.data.token,
    connection,
  };
}

/** Nudges Ada through ntfy. Her webhook waits in the next tier, and another channel waits to be confirmed. */
async function nudgeAda(app: TestApp, ntfy: NtfyRig, webhook: WebhookRig) {
  const ada = await createPerson(app);
  await create(ada, { provider: 'ntfy', fields: { server: ntfy.server.origin } });
  await ntfy.connect(ada);
  await webhook.connect(ada, { tier: 1 });
  const due_at = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const { body } = await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true });
  await app.clock.advance('90s');
  assert.equal(ntfy.take().length, 1);
  assert.deepEqual(webhook.take(), []);
  const channels = (await ada.ask('GET', '/v1/channels')).body.data;
  return { ada, channels, task: body.data.id as string };
}
