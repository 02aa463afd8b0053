/** What whoever runs the service can do with accounts, while it runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { generateSync } from 'otplib';
import { loadConfig } from '../../src/config.ts';
import { isPostgres } from '../../src/db/engine-of.ts';
import { openBeside } from '../../src/db/open-beside.ts';
import type { Database } from '../../src/db/schema.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { forgetSomeTasks } from '../../src/tasks/forget-tasks.ts';
import { recordRemovals } from '../../src/tasks/sync.store.ts';
import { VERSION } from '../support/bed.ts';
import { startTown, type Town } from '../support/command-line.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';

async function turnOnSecondFactor({ bed }: Town, person: Person): Promise<string[]> {
  const { secret } = (await person.ask('POST', '/v1/auth/mfa/enroll')).body.data;
  const code = generateSync({ secret, epoch: Math.floor(bed.clock.now().getTime() / 1_000) });
  return (await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code })).body.data.recovery_codes;
}

/** Every table that still holds something of the account, by any of its columns. */
async function tablesNaming(db: Kysely<Database>, id: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  const naming = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      return JSON.stringify(rows).includes(id) ? [name] : [];
    }),
  );
  return naming.flat();
}

const auditOf = (err: string) =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

onEveryEngine((engine) => {
  test('the list is paged, the newest last, and tells of each account what its columns say', async () => {
    await using town = await startTown(engine);
    const people: Person[] = [];
    for (const name of ['ada', 'bob', 'cleo']) people.push(await signIn(town.bed, `${name}@example.org`));
    const [ada] = people as [Person, Person, Person];
    for (const title of ['pills', 'plants']) await ada.ask('POST', '/v1/tasks', { title });
    await turnOnSecondFactor(town, ada);

    const first = (await town.command('user', 'list', '--limit', '2', '--json')).json.data;
    assert.deepEqual(
      first.users.map(({ email }: { email: string }) => email),
      ['ada@example.org', 'bob@example.org'],
    );
    assert.equal(first.next, people[1]?.userId);
    assert.deepEqual(first.users[0], {
      ...{ id: ada.userId, email: 'ada@example.org', display_name: null, plan: 'free', plan_expires_at: null },
      ...{ created_at: '2026-03-02T09:00:00.000Z', open_tasks: 2, mfa_enabled: true },
      last_sign_at: '2026-03-02T09:00:00.000Z',
    });
    const second = (await town.command('user', 'list', '--limit', '2', '--after', first.next, '--json')).json.data;
    assert.deepEqual([second.users.length, second.users[0].email, second.next], [1, 'cleo@example.org', null]);

    const { out } = await town.command('user', 'list', '--limit', '2');
    assert.match(out, /^id +email +created +plan +2nd factor +open +last sign\n/);
    assert.match(out, new RegExp(`${ada.userId} +ada@example\\.org +2026-03-02 +free +on +2 +2026-03-02\n`));
    assert.match(out, new RegExp(`--limit 2 --after ${first.next}\n$`));
  });

  test('the last sign of life is the newest of session, app and access token', async () => {
    await using town = await startTown(engine);
    const ada = await signIn(town.bed, 'ada@example.org');
    const signOf = async () =>
      (await town.command('user', 'find', ada.userId, '--json')).json.data.users[0].last_sign_at;
    const devices = {
      id: newId(),
      user_id: ada.userId,
      platform: 'ios',
      token: 'x',
      token_hash: 'x',
      valid: true,
    } as const;
    const seen = new Date('2026-03-05T12:00:00Z');
    const at = { registered_at: seen, created_at: seen, last_seen_at: seen };
    await town.bed.db
      .insertInto('devices')
      .values({ ...devices, ...at, push_env: 'production', keys: null, start_token: null, invalid_reason: null })
      .execute();
    assert.equal(await signOf(), seen.toISOString());
    await town.bed.clock.advance('10d');
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await town.bed.clock.advance('1d');
    await ada.ask('GET', '/v1/tasks', undefined, token);
    assert.equal((await signOf()).slice(0, 10), '2026-03-13');
  });

  test('somebody is found by id, by address however it is written, and by a part of it in which % and _ mean themselves', async () => {
    await using town = await startTown(engine);
    const ada = await signIn(town.bed, 'ada_l@example.org');
    await signIn(town.bed, 'adaxl@example.org');
    const find = async (text: string) => {
      const { code, json } = await town.command('user', 'find', text, '--json');
      return code === 0 ? json.data.users.map(({ email }: { email: string }) => email) : json.error;
    };
    for (const text of [ada.userId, ada.userId.toUpperCase(), ' ADA_L@Example.ORG ', 'da_L']) {
      assert.deepEqual(await find(text), ['ada_l@example.org'], text);
    }
    assert.deepEqual(await find('ADA'), ['ada_l@example.org', 'adaxl@example.org']);
    for (const text of ['%', 'bob', ' ', newId(), "'; --"])
      assert.match(await find(text), /^failed: Nobody is found by/);
  });

  test('a part of an address names nobody, not even where only one has it: who it could be is said, and nothing is done', async () => {
    await using town = await startTown(engine);
    const ada = await signIn(town.bed, 'ada@example.org');
    for (const words of [
      ['sessions', 'ada'],
      ['mfa-off', 'ada', '--yes'],
      ['delete', 'ada', '--yes'],
    ]) {
      const { code, err } = await town.command('user', ...words);
      assert.equal(code, 1);
      assert.equal(err, `"ada" is nobody's whole address. It is part of ada@example.org (${ada.userId}): name one.\n`);
    }
    const { code, err } = await town.command('user', 'delete', 'nobody@example.org', '--yes');
    assert.deepEqual([code, err], [1, 'Nobody is found by "nobody@example.org".\n']);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);
  });

  test('sessions are shown without anything that opens them, and end at once when they are revoked', async () => {
    await using town = await startTown(engine);
    const [first, second] = [await signIn(town.bed, 'ada@example.org'), await signIn(town.bed, 'ada@example.org')];
    const bob = await signIn(town.bed, 'bob@example.org');
    const listed = await town.command('user', 'sessions', 'ada@example.org', '--json');
    const { sessions } = listed.json.data;
    assert.deepEqual(Object.keys(sessions[0]), ['id', 'created_at', 'expires_at', 'last_used_at']);
    const shown = JSON.stringify(listed) + (await town.command('user', 'sessions', first.userId)).out;
    const hashes = await town.bed.db.selectFrom('sessions').select('token_hash').execute();
    for (const secret of [first.sessionToken, second.sessionToken, ...hashes.map(({ token_hash }) => token_hash)])
      assert.ok(!shown.includes(secret));

    const others = (await town.command('user', 'sessions', bob.email, '--json')).json.data.sessions[0].id;
    const refused = await town.command('user', 'sessions', first.email, '--revoke', others);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.equal((await bob.ask('GET', '/v1/me')).status, 200);

    const mine = (await first.ask('GET', '/v1/auth/sessions')).body.data;
    const one = mine.find(({ current }: { current: boolean }) => current)?.id ?? sessions.at(-1).id;
    assert.equal((await town.command('user', 'sessions', first.email, '--revoke', one)).code, 0);
    assert.deepEqual(
      [(await first.ask('GET', '/v1/me')).status, (await second.ask('GET', '/v1/me')).status].sort(),
      [200, 401],
    );
    const all = await town.command('user', 'sessions', first.userId, '--revoke', 'all', '--json');
    assert.deepEqual([all.code, all.json.data.revoked], [0, 1]);
    assert.equal((await second.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(
      auditOf(all.err).map(({ audit, address, user_id, result }) => [audit, address, user_id, result]),
      [['session_revoked', 'command line', first.userId, 'ok']],
    );
    assert.equal((await town.command('user', 'sessions', first.userId, '--revoke', 'most')).code, 2);
    assert.equal((await bob.ask('GET', '/v1/me')).status, 200);
  });

  test('a lost second factor is turned off only with --yes, and then nobody is signed in and no sign-in goes on', async () => {
    await using town = await startTown(engine);
    const ada = await signIn(town.bed, 'ada@example.org');
    const [recovery = ''] = await turnOnSecondFactor(town, ada);
    const started = await verifyCode(town.bed, ada.email, await receiveCode(town.bed, ada.email));

    const asked = await town.command('user', 'mfa-off', ada.email);
    assert.equal(asked.code, 1);
    assert.match(asked.err, /^This turns off the second factor of ada@example\.org .* add --yes to do it\.\n$/);
    assert.equal((await ada.ask('GET', '/v1/auth/mfa')).body.data.enabled, true);

    const done = await town.command('user', 'mfa-off', ada.email, '--yes', '--json');
    assert.deepEqual([done.code, done.json.data], [0, { user_id: ada.userId, email: ada.email, mfa_enabled: false }]);
    assert.deepEqual(
      auditOf(done.err).map(({ audit, address, user_id, result }) => [audit, address, user_id, result]),
      [['mfa_disabled', 'command line', ada.userId, 'without_proof']],
    );
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(await town.bed.db.selectFrom('mfa_challenges').select('user_id').execute(), []);
    const payload = { mfa_token: started.body.data.mfa_token, code: recovery };
    assert.equal((await town.bed.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload })).status, 401);
    const again = await signIn(town.bed, ada.email);
    assert.deepEqual((await again.ask('GET', '/v1/auth/mfa')).body.data, {
      enabled: false,
      recovery_codes_remaining: 0,
    });

    const twice = await town.command('user', 'mfa-off', ada.email, '--yes');
    assert.deepEqual([twice.code, twice.out], [1, '']);
    assert.match(twice.err, /has no second factor\.\n$/);
    assert.equal((await again.ask('GET', '/v1/me')).status, 200);
  });

  test('an account is deleted with all that follows, as by its owner; the provider is left to the service', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    await using town = await startTown(engine, { ...provider.settings, ...(await provider.clientSettings()) }, clock);
    const ada = await signInAtProvider(town, provider);
    const bob = await signIn(town.bed, 'bob@example.org');
    const create = async (fields: object) => (await ada.ask('POST', '/v1/tasks', { title: 'x', ...fields })).body.data;
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const invite = (await ada.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
    await bob.ask('POST', `/v1/invites/${invite.token}/accept`);
    const shared = await create({ space_id: space.id });
    const request = await create({ owner_id: bob.userId });
    const since = (await bob.ask('GET', '/v1/sync')).body.data.server_time;

    const asked = await town.command('user', 'delete', ada.userId);
    assert.equal(asked.code, 1);
    assert.match(asked.err, /^This deletes ada@example\.org \(.*\) with 1 open task and .* add --yes to do it\.\n$/);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);

    const done = await town.command('user', 'delete', ada.email, '--yes', '--json');
    assert.deepEqual([done.code, done.json.data], [0, { user_id: ada.userId, email: ada.email, deleted: true }]);
    assert.deepEqual(
      auditOf(done.err).map(({ audit, address, user_id }) => [audit, address, user_id]),
      [['account_deleted', 'command line', ada.userId]],
    );
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(await tablesNaming(town.bed.db, ada.userId), []);
    const { removed } = (await bob.ask('GET', `/v1/sync?since=${since}`)).body.data;
    assert.deepEqual(removed, [shared.id]);
    assert.equal((await bob.ask('GET', `/v1/tasks/${request.id}`)).body.data.assigner_id, null);
    const { data: members } = (await bob.ask('GET', `/v1/spaces/${space.id}/members`)).body;
    assert.deepEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
      [[bob.userId, 'owner']],
    );

    const revoked = () => provider.calls.filter(({ path }) => path === '/auth/revoke').length;
    const waiting = async () => (await town.bed.db.selectFrom('provider_revocations').select('id').execute()).length;
    assert.deepEqual([revoked(), await waiting()], [0, 1]);
    await clock.advance('6m');
    await town.bed.close();
    assert.equal(revoked(), 1);
  });
});

onEveryEngine((engine) => {
  test('a large account goes a few tasks at a time, and others are told of each that they saw', async () => {
    await using town = await startTown(engine);
    const [ada, bob] = [await signIn(town.bed, 'ada@example.org'), await signIn(town.bed, 'bob@example.org')];
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const invite = (await ada.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
    await bob.ask('POST', `/v1/invites/${invite.token}/accept`);
    const shared = (await ada.ask('POST', '/v1/tasks', { title: 'x', space_id: space.id })).body.data;
    const { db } = town.bed;
    const [owner = ''] = await insertDueTasks(db, { tasks: 449, owners: 1, dueAt: new Date('2030-01-01T00:00:00Z') });
    await db.updateTable('tasks').set({ owner_id: ada.userId }).where('owner_id', '=', owner).execute();
    const since = (await bob.ask('GET', '/v1/sync')).body.data.server_time;
    const left = async () =>
      (await db.selectFrom('tasks').select('id').where('owner_id', '=', ada.userId).execute()).length;

    assert.equal(await transact(db, (trx) => forgetSomeTasks(trx, ada.userId)), true);
    assert.equal(await left(), 250);
    const done = await town.command('user', 'delete', ada.email, '--yes');
    assert.equal(done.code, 0, done.err);
    assert.deepEqual(await tablesNaming(db, ada.userId), []);
    assert.deepEqual((await bob.ask('GET', `/v1/sync?since=${since}`)).body.data.removed, [shared.id]);
  });

  test('a deletion that is interrupted leaves nobody signed in, and is finished by the next', async () => {
    await using town = await startTown(engine);
    const ada = await signIn(town.bed, 'ada@example.org');
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await ada.ask('POST', '/v1/tasks', { title: 'x' });
    await forbidDeletion(town.bed.db);
    assert.equal((await town.command('user', 'delete', ada.email, '--yes')).code, 1);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/tasks', undefined, token)).status, 401);
    await sql.raw(isPostgres(town.bed.db) ? 'drop trigger kept on users' : 'drop trigger kept').execute(town.bed.db);
    assert.equal((await town.command('user', 'delete', ada.email, '--yes')).code, 0);
    assert.deepEqual(await tablesNaming(town.bed.db, ada.userId), []);
  });
});

async function forbidDeletion(db: Kysely<Database>): Promise<void> {
  if (!isPostgres(db)) {
    await sql`create trigger kept before delete on users begin select raise(abort, 'kept'); end`.execute(db);
    return;
  }
  await sql`create function kept() returns trigger language plpgsql as 'begin raise exception ''kept''; end'`.execute(
    db,
  );
  await sql`create trigger kept before delete on users for each row execute function kept()`.execute(db);
}

onlyOn('sqlite', () => {
  test('what a command changes is not missed by somebody who syncs before it is committed', async () => {
    await using town = await startTown('sqlite');
    const bob = await signIn(town.bed, 'bob@example.org');
    const { DATABASE_URL } = loadConfig(town.environment);
    const beside = await openBeside(DATABASE_URL, {
      version: VERSION,
      clock: town.bed.clock,
      logger: createLogger('silent'),
    });
    const [stamped, synced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const removal = { viewer_id: bob.userId, task_id: newId() };
    const unit = transact(beside, async (trx) => {
      await recordRemovals(trx, [removal]);
      stamped.resolve();
      await synced.promise;
    });
    await stamped.promise;
    town.bed.clock.set('2026-03-02T09:00:03Z');
    const { server_time } = (await bob.ask('GET', '/v1/sync')).body.data;
    synced.resolve();
    await unit;
    await beside.destroy();
    assert.deepEqual((await bob.ask('GET', `/v1/sync?since=${server_time}`)).body.data.removed, [removal.task_id]);
  });
});

async function signInAtProvider({ bed }: Town, provider: FakeIdentityProvider): Promise<Person> {
  const identity_token = await provider.issue({ email: 'ada@example.org', email_verified: true });
  const payload = { identity_token, authorization_code: 'a code' };
  const { body } = await bed.ask({ method: 'POST', url: '/v1/auth/idp', payload });
  return personWith(bed, 'ada@example.org', body.data.user_id, body.data.session_token);
}
