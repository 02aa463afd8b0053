/** The commands of the operator on accounts, while the service runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { loadConfig } from '../../src/config.ts';
import { openShared } from '../../src/db/open-for-command.ts';
import { type Db, isPostgres } from '../../src/db/schema.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { deleteTaskSlice } from '../../src/tasks/delete-tasks.ts';
import { recordRemovals } from '../../src/tasks/sync/sync.store.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { type CliTestApp, runCommand, startCliTestApp } from '../support/command-line.ts';
import { enableSecondFactor } from '../support/deployment.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { makeAdmin, type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { tablesNaming } from '../support/tables-naming.ts';
import { VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const auditOf = (err: string) =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

onEveryEngine((engine, it) => {
  it('the operator changes an address: both get a mail, every session and every earlier link ends', async () => {
    await using catcher = await startMailCatcher();
    await using cli = await startCliTestApp(engine);
    const { app } = cli;
    const [ada, bob] = [await signIn(app, 'ada@example.org'), await signIn(app, 'bob@example.org')];
    await ada.ask('POST', '/v1/me/address/request', { email: 'thief@example.org' });
    const [, code = ''] = /account is (\d{6})/.exec(app.printed.at(-1) ?? '') ?? [];
    assert.equal((await ada.ask('POST', '/v1/me/address', { email: 'thief@example.org', code })).status, 200);
    const env = { ...cli.environment, SMTP_URL: catcher.url, ADMINS: 'ada@new.test' };
    const change = (...words: string[]) => runCommand(['user', 'address', ...words], env, { clock: app.clock });
    assert.match((await change(ada.userId, 'ada@new.test')).err, /Nothing was changed: add --yes/);
    for (const taken of [bob.email, 'thief@example.org'])
      assert.match((await change(ada.userId, taken, '--yes')).err, /belongs to an account/);
    // The former address of another account can have that account back.
    assert.match((await change(bob.userId, 'ada@example.org', '--yes')).err, /belongs to an account/);
    assert.match((await change(ada.userId, 'nonsense', '--yes')).err, /is not an email address/);
    const done = await change('thief@example.org', 'Ada@New.test', '--yes');
    assert.match(done.out, /now has the address ada@new\.test.*ADMINS names the address/);
    const told = [await catcher.next(), await catcher.next()].map(({ to }) => to[0]).toSorted();
    assert.deepEqual(told, ['ada@new.test', 'thief@example.org']);
    const line = auditOf(done.err).find(({ audit }) => audit === 'address_changed');
    assert.deepEqual([line?.result, line?.user_id, line?.address], ['without_proof', ada.userId, 'command line']);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(await app.db.selectFrom('address_changes').select('id').execute(), []);
    assert.equal((await signIn(app, 'ada@new.test')).userId, ada.userId);
  });

  it('explain names what holds the next nudge of a task, and what became of the last one, without its title', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    await ada.ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) });
    const explain = (id: string) => cli.command('explain', id);
    const due_at = new Date(cli.app.clock.now().getTime() + 60_000).toISOString();
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'a secret', due_at, has_time: true })).body.data;
    assert.match((await explain(id)).out, /^next nudge {2}not due: .*\nlast nudge {2}none so far$/m);
    await cli.app.clock.advance('2m');
    const { out } = await explain(id);
    assert.match(out, /^last nudge {2}at .*, stage 0, number 1, run 1\n {2}apns_sandbox {4}failed: .*not_configured/m);
    assert.doesNotMatch(out, /secret/);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.match((await explain(id)).out, /^next nudge {2}closed: /);
    assert.match((await explain(newId())).err, /^There is no task /);
    assert.match((await explain('pills')).err, /^There is no task pills/);
  });

  it('explain tells the operator that the server of a channel is in a private network', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    const now = cli.app.clock.now();
    const server = 'https://ntfy.lan:8090';
    const channel = channelRow(now, { user_id: ada.userId, provider: 'ntfy', server });
    await cli.app.db.insertInto('channels').values(channel).execute();
    const due_at = new Date(now.getTime() + 60_000).toISOString();
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true })).body.data;
    await cli.app.clock.advance('2m');
    await cli.app.db.updateTable('deliveries').set({ reason: 'enotfound' }).where('task_id', '=', id).execute();
    assert.match((await cli.command('explain', id)).out, /The server is in a private network: .*CHANNEL_HOSTS/);
    await cli.app.db.updateTable('deliveries').set({ reason: 'timeout' }).execute();
    assert.doesNotMatch((await cli.command('explain', id)).out, /private network/);
  });

  test('the list is paged, newest last, and shows the plan, second factor, open tasks and last use of each account', async () => {
    await using cli = await startCliTestApp(engine);
    const people: Person[] = [];
    for (const name of ['ada', 'bob', 'cleo']) people.push(await signIn(cli.app, `${name}@example.org`));
    const [ada] = people as [Person, Person, Person];
    for (const title of ['pills', 'plants']) await ada.ask('POST', '/v1/tasks', { title });
    await enableSecondFactor(cli.app, ada);

    const first = (await cli.command('user', 'list', '--limit', '2', '--json')).json.data;
    assert.deepEqual(
      first.users.map(({ email }: { email: string }) => email),
      ['ada@example.org', 'bob@example.org'],
    );
    assert.equal(first.next, people[1]?.userId);
    assert.deepEqual(first.users[0], {
      id: ada.userId,
      email: 'ada@example.org',
      display_name: null,
      plan: 'free',
      plan_expires_at: null,
      created_at: '2026-03-02T09:00:00.000Z',
      open_tasks: 2,
      working_targets: 0,
      is_admin: false,
      admin_by_provider: false,
      first_account: false,
      admin: null,
      suspended_at: null,
      mfa_enabled: true,
      last_sign_at: '2026-03-02T09:00:00.000Z',
    });
    const second = (await cli.command('user', 'list', '--limit', '2', '--after', first.next, '--json')).json.data;
    assert.deepEqual([second.users.length, second.users[0].email, second.next], [1, 'cleo@example.org', null]);

    const { out } = await cli.command('user', 'list', '--limit', '2');
    assert.match(out, /^id +email +created +plan +2nd factor +open +last sign +state\n/);
    assert.match(out, new RegExp(`${ada.userId} +ada@example\\.org +2026-03-02 +free +on +2 +2026-03-02 +-\n`));
    assert.match(out, new RegExp(`--limit 2 --after ${first.next}\n$`));
  });

  it('last_sign_at is the latest use of a session, an app or an access token', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    const signOf = async () =>
      (await cli.command('user', 'find', ada.userId, '--json')).json.data.users[0].last_sign_at;
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
    await cli.app.db
      .insertInto('devices')
      .values({ ...devices, ...at, push_env: 'production', keys: null, start_token: null, invalid_reason: null })
      .execute();
    assert.equal(await signOf(), seen.toISOString());
    await cli.app.clock.advance('10d');
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await cli.app.clock.advance('1d');
    await ada.ask('GET', '/v1/tasks', undefined, token);
    assert.equal((await signOf()).slice(0, 10), '2026-03-13');
  });

  test('an account is found by id, by address in any case, and by part of an address, where % and _ are literal', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada_l@example.org');
    await signIn(cli.app, 'adaxl@example.org');
    const find = async (text: string) => {
      const { code, json } = await cli.command('user', 'find', text, '--json');
      return code === 0 ? json.data.users.map(({ email }: { email: string }) => email) : json.error;
    };
    for (const text of [ada.userId, ada.userId.toUpperCase(), ' ADA_L@Example.ORG ', ' da_L ']) {
      assert.deepEqual(await find(text), ['ada_l@example.org'], text);
    }
    assert.deepEqual(await find('ADA'), ['ada_l@example.org', 'adaxl@example.org']);
    for (const text of ['%', 'bob', ' ', newId(), "'; --"])
      assert.match(await find(text), /^failed: No account matches/);
    await insertDueTasks(cli.app.db, { owners: 51, tasks: 0, dueAt: cli.app.clock.now(), withDevices: false });
    await sql`update users set email = cast(id as text) || '@many.example' where email is null`.execute(cli.app.db);
    const { users, has_more } = (await cli.command('user', 'find', '@many', '--json')).json.data;
    assert.deepEqual([users.length, has_more], [50, true]);
    const { err } = await cli.command('user', 'sessions', '@many');
    assert.deepEqual([err.split('@many.example').length - 1, / and more\. Give/.test(err)], [10, true]);
  });

  it('a part of an address selects no account, even if only one matches: the matches are listed, and nothing is done', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    for (const words of [
      ['sessions', 'ada'],
      ['mfa-off', 'ada', '--yes'],
      ['delete', 'ada', '--yes'],
    ]) {
      const { code, err } = await cli.command('user', ...words);
      assert.equal(code, 1);
      assert.equal(
        err,
        `"ada" is only part of an address: ada@example.org (${ada.userId}). Give the whole address or the id.\n`,
      );
    }
    const { code, err } = await cli.command('user', 'delete', 'nobody@example.org', '--yes');
    assert.deepEqual([code, err], [1, 'No account matches "nobody@example.org".\n']);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);
  });

  it('sessions are shown without token or hash, and end at once when they are revoked', async () => {
    await using cli = await startCliTestApp(engine);
    const [first, second] = [await signIn(cli.app, 'ada@example.org'), await signIn(cli.app, 'ada@example.org')];
    const bob = await signIn(cli.app, 'bob@example.org');
    const listed = await cli.command('user', 'sessions', 'ada@example.org', '--json');
    const { sessions } = listed.json.data;
    assert.deepEqual(Object.keys(sessions[0]), ['id', 'created_at', 'expires_at', 'last_used_at', 'name']);
    const shown = JSON.stringify(listed) + (await cli.command('user', 'sessions', first.userId)).out;
    const hashes = await cli.app.db.selectFrom('sessions').select('token_hash').execute();
    for (const secret of [first.sessionToken, second.sessionToken, ...hashes.map(({ token_hash }) => token_hash)])
      assert.ok(!shown.includes(secret));

    const others = (await cli.command('user', 'sessions', bob.email, '--json')).json.data.sessions[0].id;
    const refused = await cli.command('user', 'sessions', first.email, '--revoke', others);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.equal((await bob.ask('GET', '/v1/me')).status, 200);

    const mine = (await first.ask('GET', '/v1/auth/sessions')).body.data;
    const one = mine.find(({ current }: { current: boolean }) => current)?.id ?? sessions.at(-1).id;
    assert.equal((await cli.command('user', 'sessions', first.email, '--revoke', one)).code, 0);
    assert.deepEqual(
      [(await first.ask('GET', '/v1/me')).status, (await second.ask('GET', '/v1/me')).status].sort(),
      [200, 401],
    );
    const all = await cli.command('user', 'sessions', first.userId, '--revoke', 'all', '--json');
    assert.deepEqual([all.code, all.json.data.revoked], [0, 1]);
    assert.equal((await second.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(
      auditOf(all.err).map(({ audit, address, user_id, result }) => [audit, address, user_id, result]),
      [['session_revoked', 'command line', first.userId, 'ok']],
    );
    assert.equal((await cli.command('user', 'sessions', first.userId, '--revoke', 'most')).code, 2);
    assert.equal((await bob.ask('GET', '/v1/me')).status, 200);
  });

  it('a lost second factor is turned off only with --yes, which ends every session and every sign-in in progress', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    const [recovery = ''] = (await enableSecondFactor(cli.app, ada)).recovery;
    const started = await verifyCode(cli.app, ada.email, await receiveCode(cli.app, ada.email));

    const asked = await cli.command('user', 'mfa-off', ada.email);
    assert.equal(asked.code, 1);
    assert.match(asked.err, /^This turns off the second factor of ada@example\.org .* add --yes to do it\.\n$/);
    assert.equal((await ada.ask('GET', '/v1/auth/mfa')).body.data.enabled, true);

    await using mail = await startMailCatcher();
    const done = await runCommand(
      ['user', 'mfa-off', ada.email, '--yes', '--json'],
      { ...cli.environment, SMTP_URL: mail.url },
      { clock: cli.app.clock },
    );
    assert.match((await mail.next()).raw, /^Subject: The second factor of your Crescendo account is off/m);
    assert.deepEqual([done.code, done.json.data], [0, { user_id: ada.userId, email: ada.email, mfa_enabled: false }]);
    assert.deepEqual(
      auditOf(done.err).map(({ audit, address, user_id, result }) => [audit, address, user_id, result]),
      [['mfa_disabled', 'command line', ada.userId, 'without_proof']],
    );
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(await cli.app.db.selectFrom('mfa_challenges').select('user_id').execute(), []);
    const payload = { mfa_token: started.body.data.mfa_token, code: recovery };
    assert.equal((await cli.app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload })).status, 401);
    const again = await signIn(cli.app, ada.email);
    assert.deepEqual((await again.ask('GET', '/v1/auth/mfa')).body.data, {
      enabled: false,
      recovery_codes_remaining: 0,
    });

    const twice = await cli.command('user', 'mfa-off', ada.email, '--yes');
    assert.deepEqual([twice.code, twice.out], [1, '']);
    assert.match(twice.err, /has no second factor\.\n$/);
    assert.equal((await again.ask('GET', '/v1/me')).status, 200);
  });

  it('an account is suspended only with --yes, lifted again, and both leave an audit line and a mail', async () => {
    await using cli = await startCliTestApp(engine);
    await using mail = await startMailCatcher();
    const withMail = { ...cli.environment, SMTP_URL: mail.url };
    const ada = await signIn(cli.app, 'ada@example.org');
    const hesitant = await cli.command('user', 'suspend', 'ada@example.org');
    assert.deepEqual([hesitant.code, (await ada.ask('GET', '/v1/me')).status], [1, 200]);
    const done = await runCommand(['user', 'suspend', 'ada@example.org', '--yes'], withMail, { clock: cli.app.clock });
    assert.match((await mail.next()).raw, /^Subject: Your Crescendo account is suspended/m);
    assert.match(done.out, /ada@example\.org \(.+\) is suspended\.\n/);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.match((await cli.command('user', 'list')).out, / suspended\n/);
    const lifted = await runCommand(['user', 'lift', 'ada@example.org'], withMail, { clock: cli.app.clock });
    assert.match((await mail.next()).raw, /^Subject: Your Crescendo account works again/m);
    assert.match(lifted.out, /is not suspended any more/);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);
    const lines = [...auditOf(done.err), ...auditOf(lifted.err)];
    assert.deepEqual(
      lines.map(({ audit, action, result, user_id, address }) => [audit, action, result, user_id, address]),
      ['suspend', 'lift'].map((action) => ['admin_action', action, 'ok', ada.userId, 'command line']),
    );
    assert.match((await cli.command('user', 'lift', 'ada@example.org')).out, /was not suspended/);
  });

  it('an administrator is named and unnamed, and the command says if another reason is left', async () => {
    await using cli = await startCliTestApp(engine);
    const [first, second] = [await signIn(cli.app, 'ada@example.org'), await signIn(cli.app, 'bob@example.org')];
    assert.match((await cli.command('user', 'admin', second.email)).out, /is an administrator\.\n/);
    assert.equal((await second.ask('GET', '/v1/admin')).status, 200);
    const reset = {
      id: crypto.randomUUID(),
      user_id: first.userId,
      requested_by: second.userId,
      requested_at: cli.app.clock.now(),
      told_at: null,
      due_at: new Date('2030-01-01'),
      mail_due_at: null,
    };
    await cli.app.db.insertInto('second_factor_resets').values(reset).execute();
    assert.match((await cli.command('user', 'admin', second.email, '--off')).out, /is no administrator\.\n/);
    const resets = await cli.app.db.selectFrom('second_factor_resets').select('id').execute();
    assert.deepEqual(resets, [], 'what an administrator asked for ends with the role');
    assert.equal((await second.ask('GET', '/v1/admin')).status, 403);
    await cli.app.db.updateTable('users').set({ first_account: true }).where('id', '=', first.userId).execute();
    const still = await cli.command('user', 'admin', first.email, '--off');
    assert.deepEqual([still.code, /it was the first account/.test(still.out)], [1, true]);
    assert.match((await cli.command('user', 'list')).out, / admin\n/);
  });

  it('an address is invited, and sign-up is closed and opened, as in the app', async () => {
    await using cli = await startCliTestApp(engine);
    const { json } = await cli.command('sign-up', 'invite', '--json');
    assert.deepEqual(json.data, { sign_up: 'invite', sign_up_fixed: false });
    const invited = await cli.command('user', 'invite', 'Bob@example.org');
    assert.match(invited.out, /^bob@example\.org is invited until .+ No mail was sent: .+\/app\.\n$/);
    await signIn(cli.app, 'bob@example.org');
    const known = await cli.command('user', 'invite', 'bob@example.org');
    assert.deepEqual([known.code, /There is an account with this address/.test(known.err)], [1, true]);
    assert.match((await cli.command('user', 'invite', 'nobody')).err, /"nobody" is not an email address/);
    assert.equal((await cli.command('sign-up', 'shut')).code, 2);
    assert.match((await cli.command('sign-up', 'open')).out, /^Anyone can create an account\.\n$/);
  });

  it('passkeys are shown without their keys, and sign in no more once they are removed; the last way in stays', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    const phone = new Authenticator();
    for (const device of [phone, new Authenticator()]) assert.equal((await addPasskey(ada, device)).status, 200);
    // Otherwise a command would wait for the writes of the notices, which wait for this thread.
    await waitUntil(() => cli.app.printed.filter((text) => text.includes('was added')).length === 2);
    const listed = await cli.command('user', 'passkeys', ada.email, '--json');
    const { passkeys } = listed.json.data;
    assert.deepEqual(Object.keys(passkeys[0]), ['id', 'name', 'created_at', 'last_used_at']);
    assert.match((await cli.command('user', 'passkeys', ada.userId)).out, /last used\n.* {2}Phone {2}/);

    const remove = (which: string, environment = cli.environment) =>
      runCommand(['user', 'passkeys', ada.email, '--remove', which], environment, { clock: cli.app.clock });
    assert.equal((await remove('most')).code, 2);
    assert.match((await remove(newId())).err, /has no such passkey\.\n$/);
    await using mail = await startMailCatcher();
    const done = await remove(passkeys[0].id, { ...cli.environment, SMTP_URL: mail.url });
    assert.equal(done.code, 0, done.err);
    assert.match((await mail.next()).raw, /^Subject: A passkey of your Crescendo account was removed/m);
    assert.deepEqual(
      auditOf(done.err).map(({ audit, address, passkey_id }) => [audit, address, passkey_id]),
      [['passkey_removed', 'command line', passkeys[0].id]],
    );
    const { options } = (await cli.app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    const payload = { credential: phone.get(options) };
    assert.equal((await cli.app.ask({ method: 'POST', url: '/v1/auth/passkey', payload })).status, 401);

    await cli.app.db.updateTable('users').set({ email: null }).where('id', '=', ada.userId).execute();
    const last = await cli.command('user', 'passkeys', ada.userId, '--remove', 'all');
    assert.match(last.err, /^Nothing was removed: .* has no other way to sign in\.\n$/);
    assert.equal((await ada.ask('GET', '/v1/passkeys')).body.data.length, 1);
  });

  it('an account is deleted as by its owner; the service then notifies the identity provider', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    await using cli = await startCliTestApp(
      engine,
      { ...provider.settings, ...(await provider.clientSettings()) },
      clock,
    );
    const ada = await signInAtProvider(cli, provider);
    const bob = await signIn(cli.app, 'bob@example.org');
    const create = async (fields: object) => (await ada.ask('POST', '/v1/tasks', { title: 'x', ...fields })).body.data;
    const space = await createSpace(ada, bob);
    const shared = await create({ space_id: space });
    const request = await create({ owner_id: bob.userId });
    const since = (await bob.ask('GET', '/v1/sync')).body.data.server_time;

    const asked = await cli.command('user', 'delete', ada.userId);
    assert.equal(asked.code, 1);
    assert.match(asked.err, /^This deletes ada@example\.org \(.*\) with 1 open task and .* add --yes to do it\.\n$/);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);

    const done = await cli.command('user', 'delete', ada.email, '--yes', '--json');
    assert.deepEqual([done.code, done.json.data], [0, { user_id: ada.userId, email: ada.email, deleted: true }]);
    assert.deepEqual(
      auditOf(done.err).map(({ audit, address, user_id }) => [audit, address, user_id]),
      [['account_deleted', 'command line', ada.userId]],
    );
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.deepEqual(await tablesNaming(cli.app.db, ada.userId), []);
    const { removed } = (await bob.ask('GET', `/v1/sync?since=${since}`)).body.data;
    assert.deepEqual(removed, [shared.id]);
    assert.equal((await bob.ask('GET', `/v1/tasks/${request.id}`)).body.data.assigner_id, null);
    const { data: members } = (await bob.ask('GET', `/v1/spaces/${space}/members`)).body;
    assert.deepEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
      [[bob.userId, 'owner']],
    );

    const revoked = () => provider.calls.filter(({ path }) => path === '/auth/revoke').length;
    const waiting = async () => (await cli.app.db.selectFrom('provider_revocations').select('id').execute()).length;
    assert.deepEqual([revoked(), await waiting()], [0, 1]);
    await clock.advance('6m');
    await waitUntil(async () => (await waiting()) === 0);
    assert.equal(revoked(), 1);
  });
});

onEveryEngine((engine) => {
  test('a large account is deleted in small steps, and others sync the removal of each task they saw', async () => {
    await using cli = await startCliTestApp(engine);
    const [ada, bob] = [await signIn(cli.app, 'ada@example.org'), await signIn(cli.app, 'bob@example.org')];
    const space = await createSpace(ada, bob);
    const shared = (await ada.ask('POST', '/v1/tasks', { title: 'x', space_id: space })).body.data;
    const { db } = cli.app;
    const [owner = ''] = await insertDueTasks(db, { tasks: 449, owners: 1, dueAt: new Date('2030-01-01T00:00:00Z') });
    await db.updateTable('tasks').set({ owner_id: ada.userId }).where('owner_id', '=', owner).execute();
    const since = (await bob.ask('GET', '/v1/sync')).body.data.server_time;
    const left = async () =>
      (await db.selectFrom('tasks').select('id').where('owner_id', '=', ada.userId).execute()).length;

    const slice = await transact(db, (trx) => deleteTaskSlice(trx, ada.userId, 200));
    assert.equal(slice.isDone, false);
    assert.equal(await left(), 250);
    const done = await cli.command('user', 'delete', ada.email, '--yes');
    assert.equal(done.code, 0, done.err);
    assert.deepEqual(await tablesNaming(db, ada.userId), []);
    assert.deepEqual((await bob.ask('GET', `/v1/sync?since=${since}`)).body.data.removed, [shared.id]);
  });

  test('an interrupted deletion leaves no session, token or passkey valid, and the service finishes it', async () => {
    await using cli = await startCliTestApp(engine);
    const ada = await signIn(cli.app, 'ada@example.org');
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await ada.ask('POST', '/v1/tasks', { title: 'x' });
    assert.equal((await addPasskey(ada)).status, 200);
    await waitUntil(() => cli.app.printed.some((text) => text.includes('A passkey named')));
    await forbidDeletion(cli.app.db);
    assert.equal((await cli.command('user', 'delete', ada.email, '--yes')).code, 1);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/tasks', undefined, token)).status, 401);
    assert.deepEqual(await cli.app.db.selectFrom('passkeys').select('id').execute(), []);
    await sql.raw(isPostgres(cli.app.db) ? 'drop trigger kept on users' : 'drop trigger kept').execute(cli.app.db);
    await waitUntil(async () => (await tablesNaming(cli.app.db, ada.userId)).length === 0);
  });
});

async function forbidDeletion(db: Db): Promise<void> {
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
  test('a client that syncs before a command commits gets the change at its next sync', async () => {
    await using cli = await startCliTestApp('sqlite');
    const bob = await signIn(cli.app, 'bob@example.org');
    const { DATABASE_URL } = loadConfig(cli.environment);
    const commandDb = await openShared(DATABASE_URL, {
      version: VERSION,
      clock: cli.app.clock,
      logger: createLogger('silent'),
    });
    const [stamped, synced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const removal = { viewer_id: bob.userId, task_id: newId() };
    const change = transact(commandDb, async (trx) => {
      await recordRemovals(trx, [removal]);
      stamped.resolve();
      await synced.promise;
    });
    await stamped.promise;
    cli.app.clock.set('2026-03-02T09:00:03Z');
    const { server_time } = (await bob.ask('GET', '/v1/sync')).body.data;
    synced.resolve();
    await change;
    await commandDb.destroy();
    assert.deepEqual((await bob.ask('GET', `/v1/sync?since=${server_time}`)).body.data.removed, [removal.task_id]);
  });
});

onlyOn('sqlite', () => {
  test('administrators see when the last backup was made, also on a service that runs', async () => {
    await using cli = await startCliTestApp('sqlite');
    const ada = await signIn(cli.app, 'ada@example.org');
    await makeAdmin(cli.app, ada);
    const lastBackup = async () => (await ada.ask('GET', '/v1/admin/health')).body.data.last_backup_at;
    assert.equal(await lastBackup(), null);
    const folder = mkdtempSync(join(tmpdir(), 'crescendo-backup-'));
    try {
      const { json } = await cli.command('backup', join(folder, 'backup.db'), '--json');
      assert.equal(await lastBackup(), json.data.made_at);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

async function signInAtProvider({ app }: CliTestApp, provider: FakeIdentityProvider): Promise<Person> {
  const identity_token = await provider.issue({ email: 'ada@example.org', email_verified: true });
  const payload = { identity_token, authorization_code: 'a code' };
  const { body } = await app.ask({ method: 'POST', url: '/v1/auth/idp', payload });
  return personWith(app, 'ada@example.org', body.data.user_id, body.data.session_token);
}
