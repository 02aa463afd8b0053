import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely } from 'kysely';
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { BASE_URL } from '../support/channel-scenario.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, type EngineName, onEveryEngine, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openSession, personWith } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const LAST_BEFORE_CHANNELS = '0019-stored-tasks';

async function openPlain(engine: EngineName, { url }: TestDatabase, clock: FakeClock): Promise<Db> {
  if (engine === 'sqlite') return openSqlite(sqliteDialect(url.replace('sqlite:', ''), () => clock.now()));
  return new Kysely<Database>({ dialect: postgresDialect(url, 'migration', createLogger('silent')) });
}

/** An empty database, although the template of a run has the newest schema. */
async function createEmpty(engine: EngineName): Promise<TestDatabase> {
  const { CRESCENDO_TEST_SQLITE: template } = process.env;
  delete process.env.CRESCENDO_TEST_SQLITE;
  const database = await createDatabase(engine, 'template1');
  if (template !== undefined) process.env.CRESCENDO_TEST_SQLITE = template;
  return database;
}

onEveryEngine((engine) => {
  test('a database from before channels upgrades with its rows, and its tasks are then nudged by a channel', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name <= LAST_BEFORE_CHANNELS);
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const dueAt = new Date(clock.now().getTime() + 3_600_000);
    const [owner = ''] = await insertDueTasks(old, { tasks: 3, owners: 1, dueAt });
    await old.destroy();
    const rig = closing.use(await NtfyRig.start());
    const settings = { BASE_URL, ...rig.settings };
    const app = closing.use(await startTestApp(engine, { clock, settings, databaseUrl: database.url }));
    const ada = personWith(app, '', owner, await openSession(app, owner));
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.fallback_minutes, 3);
    await rig.connect(ada);
    await clock.advance('1h');
    assert.equal(rig.take().length, 3);
    const deliveries = await app.db.selectFrom('deliveries').select(['status', 'tier']).where('provider', '=', 'ntfy');
    assert.deepEqual(await deliveries.execute(), Array(3).fill({ status: 'sent', tier: 0 }));
  });

  test('a task from before writers were stored is marked with who created it', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0029');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const [owner = '', other = ''] = await insertDueTasks(old, { tasks: 6, owners: 2, dueAt: clock.now() });
    const own = await old.selectFrom('tasks').select('id').where('owner_id', '=', owner).orderBy('id').execute();
    const [byToken = '', byOther = '', byOwner = ''] = own.map(({ id }) => id);
    await old.updateTable('tasks').set({ created_by_token: byToken }).where('id', 'in', [byToken, byOther]).execute();
    await old.updateTable('tasks').set({ assigner_id: other }).where('id', '=', byOther).execute();
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    const ada = personWith(app, '', owner, await openSession(app, owner));
    const { body } = await ada.ask('GET', '/v1/tasks/search');
    const writers = body.data.map(({ id, written_by }: { id: string; written_by: { kind: string } }) => [
      id,
      written_by.kind,
    ]);
    assert.deepEqual(Object.fromEntries(writers), { [byToken]: 'agent', [byOther]: 'person', [byOwner]: 'you' });
  });
});
