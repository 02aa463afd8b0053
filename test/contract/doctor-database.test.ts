/** What the doctor reads in the database: whom nothing reaches, and which processes serve it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { databaseChecks } from '../../src/cli/doctor/database.ts';
import { processes } from '../../src/cli/doctor/processes.ts';
import { loadConfig } from '../../src/config.ts';
import { POOL_SIZE } from '../../src/db/postgres/postgres.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

async function start(engine: EngineName) {
  const database = await createDatabase(engine);
  const app = await startTestApp(engine, { databaseUrl: database.url });
  const { url } = database;
  const look = async (name: string, settings: Readonly<Record<string, string>> = {}) => {
    const check = [...databaseChecks, processes].find((one) => one.name === name);
    const config = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32), ...settings });
    const context = { config, version: VERSION, clock: app.clock, logger: createLogger('silent') };
    const found = await check?.run(context, new AbortController().signal);
    return found && `${found.verdict}: ${found.says}`;
  };
  const close = async () => {
    await app[Symbol.asyncDispose]();
    await database.drop();
  };
  return { app, look, url, [Symbol.asyncDispose]: close };
}

onEveryEngine((engine, it) => {
  it('accounts that nothing reaches are counted, without those that are deleted', async () => {
    await using started = await start(engine);
    const { app, look } = started;
    const person = async () => (await createPerson(app)).userId;
    const [phone, channel, lost, open] = [await person(), await person(), await person(), await person()];
    await addDevice(app, phone);
    const now = app.clock.now();
    await app.db
      .insertInto('channels')
      .values(channelRow(now, { user_id: channel, provider: 'ntfy' }))
      .execute();
    assert.match((await look('reach')) ?? '', /^warning: 2 accounts have neither .* no nudge reaches them/);
    await addDevice(app, lost);
    await app.db.updateTable('devices').set({ valid: false }).where('user_id', '=', lost).execute();
    const unconfirmed = channelRow(now, { user_id: open, provider: 'ntfy', verified_at: null, proven_by: null });
    const off = channelRow(now, { user_id: open, provider: 'webhook', valid: false });
    await app.db.insertInto('channels').values([unconfirmed, off]).execute();
    assert.match((await look('reach')) ?? '', /^warning: 2 accounts have/);
    const mail = { SMTP_URL: 'smtp://localhost' };
    assert.match((await look('reach', mail)) ?? '', /^ok: 2 accounts have .* mailed at their sign-in address/);
    await app.db.updateTable('users').set({ deleted_at: now }).where('id', '=', lost).execute();
    assert.match((await look('reach')) ?? '', /^warning: 1 account has/);
    await app.db.deleteFrom('users').where('id', '=', open).execute();
    assert.equal(await look('reach'), undefined);
  });

  it('a process of another release is told beside those of this one, and one that is long gone is not', async () => {
    await using started = await start(engine);
    const { app, look } = started;
    assert.match((await look('processes')) ?? '', new RegExp(`^ok: 1 running: ${VERSION} \\(all\\)$`));
    const row = await app.db.selectFrom('processes').selectAll().executeTakeFirstOrThrow();
    const other = { ...row, id: newId(), release: '9.9.9' };
    await app.db.insertInto('processes').values(other).execute();
    assert.match((await look('processes')) ?? '', /^warning: running: .*9\.9\.9 \(all\)/);
    const gone = new Date(app.clock.now().getTime() - 36_000);
    await app.db.updateTable('processes').set({ seen_at: gone }).where('id', '=', other.id).execute();
    assert.match((await look('processes')) ?? '', /^ok: 1 running/);
  });
});

onlyOn('postgres', () => {
  test('the room for connections is that of the whole server, and too little for another process is a warning', async () => {
    await using started = await start('postgres');
    const other = await createDatabase('postgres');
    const client = new pg.Client({ connectionString: other.url });
    await client.connect();
    const expectRoom = async (): Promise<number> => {
      const { rows } = await client.query<{ room: number }>(`
        select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - count(*)::int as room from pg_stat_activity where datid is not null`);
      return rows[0]?.room ?? 0;
    };
    // Other tests come and go on the same server. The doctor has a connection of its own.
    const isTold = async () => {
      const expected = (await expectRoom()) - 1;
      const found = await started.look('PostgreSQL');
      const verdict = expected > POOL_SIZE ? 'ok' : 'warning';
      return new RegExp(`^${verdict}: version \\d.*, with room for ${expected} more connections$`).test(found ?? '');
    };
    try {
      await waitUntil(isTold, 10_000);
    } finally {
      await client.end();
      await other.drop();
    }
  });

  test('a process of a release that does not notice new tables is a fault', async () => {
    await using started = await start('postgres');
    const old = new pg.Client({ connectionString: started.url, application_name: 'crescendo bell' });
    await old.connect();
    const found = await started.look('processes').finally(() => old.end());
    assert.match(found ?? '', /^fault: a process of a release before 0\.3\.0 runs/);
  });
});
