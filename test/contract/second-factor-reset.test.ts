/** Turning off a second factor that its owner has lost, by an administrator, with a delay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor, signInWithSecondFactor, totpCode } from '../support/deployment.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { createPerson, type Person, renewSignIn, signIn } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const refusalOf = ({ status, body }: Answer) => `${status} ${String(body.error).split(':')[0]}`;
const pathOf = ({ userId }: Person, end = '/second-factor-reset') => `/v1/admin/people/${userId}${end}`;
const mailsTo = ({ printed }: TestApp, { email }: Person) =>
  printed.filter((text) => text.includes(`Mail to ${email} `) && text.includes('/take-back/'));

async function start(engine: EngineName, settings: Record<string, string> = {}) {
  const app = await startTestApp(engine, {
    settings: { ADMINS: 'boss@home.test', BASE_URL: 'http://localhost:8080', ...settings },
  });
  const [boss, ada] = [await createPerson(app, 'boss@home.test'), await createPerson(app, 'ada@home.test')];
  const { secret } = await enableSecondFactor(app, ada);
  const request = async () => {
    await renewSignIn(app, boss);
    return boss.ask('POST', pathOf(ada));
  };
  const pending = async () => (await boss.ask('GET', pathOf(ada, ''))).body.data.second_factor_reset;
  const isOn = async () => (await boss.ask('GET', pathOf(ada, ''))).body.data.mfa_enabled;
  /** Passes hours as they pass for a service: what is due happens before the next hour. */
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      await app.clock.advance('1h');
      await settle(app);
    }
  };
  return {
    app,
    boss,
    ada,
    secret,
    request,
    pending,
    isOn,
    pass,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** Until nothing of a reset is due at this moment. */
const settle = (app: TestApp) =>
  waitUntil(async () => {
    const now = app.clock.now();
    const rows = await app.db.selectFrom('second_factor_resets').selectAll().execute();
    return rows.every(({ mail_due_at, due_at }) => (mail_due_at === null || mail_due_at > now) && due_at > now);
  });

onEveryEngine((engine, it) => {
  it('an administrator turns a second factor off after 72 hours, of which the owner hears each day', async () => {
    await using service = await start(engine);
    const { app, boss, ada, request, pending, isOn, pass } = service;
    assert.equal(refusalOf(await boss.ask('POST', pathOf(boss))), '403 not_allowed');
    await app.clock.advance('16m');
    assert.equal(refusalOf(await boss.ask('POST', pathOf(ada))), '403 recent_sign_in_required');
    const { body } = await request();
    const { due_at } = body.data.second_factor_reset;
    assert.equal(Date.parse(due_at) - app.clock.now().getTime(), 72 * 3_600_000);
    await settle(app);
    await pass(24);
    // Asking again does not start the delay again, nor does it make it shorter.
    await request();
    assert.deepEqual(await pending(), body.data.second_factor_reset);
    assert.deepEqual((await ada.ask('GET', '/v1/me/second-factor-reset')).body.data.reset.due_at, due_at);
    await pass(47);
    assert.deepEqual([await isOn(), (await ada.ask('GET', '/v1/me')).status, mailsTo(app, ada).length], [true, 200, 3]);
    await pass(1);
    assert.deepEqual([await isOn(), await pending()], [false, null]);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await signIn(app, ada.email)).userId, ada.userId);
    const told = (text: string) => text.includes(`Mail to ${ada.email} `) && text.includes('nobody stopped it');
    await waitUntil(() => app.printed.some(told));
    const lines = app.log.filter(({ audit }) => audit === 'admin_action' || audit === 'second_factor_reset');
    assert.deepEqual(
      lines.map(({ audit, action, result, admin_id }) => [audit, action, result, admin_id]),
      [
        ['admin_action', 'reset_second_factor', 'not_allowed', boss.userId],
        ['admin_action', 'reset_second_factor', 'recent_sign_in_required', boss.userId],
        ['admin_action', 'reset_second_factor', 'ok', boss.userId],
        ['admin_action', 'reset_second_factor', 'ok', boss.userId],
        ['second_factor_reset', undefined, 'ok', boss.userId],
      ],
    );
  });

  it('the link, the app, the second factor itself, a new address and the administrators stop it', async () => {
    await using service = await start(engine);
    const { app, boss, ada, secret, request, pending, isOn, pass } = service;
    const ways: Record<string, () => Promise<unknown>> = {
      link: async () => {
        await settle(app);
        const path = /\/take-back\/\S+/.exec(mailsTo(app, ada).at(-1) ?? '')?.[0] ?? '';
        assert.equal((await app.ask({ url: path })).body.data.state, 'reset');
        assert.notEqual(await pending(), null);
        assert.equal((await app.ask({ method: 'POST', url: path })).body.data.state, 'reset_done');
        assert.equal((await app.ask({ method: 'POST', url: path })).status, 410);
      },
      app: () => ada.ask('DELETE', '/v1/me/second-factor-reset'),
      withdrawn: () => boss.ask('DELETE', pathOf(ada)),
      'second factor': () => signInWithSecondFactor(app, ada.email, totpCode(app, secret)),
    };
    for (const [name, stop] of Object.entries(ways)) {
      assert.equal((await request()).status, 200);
      assert.notEqual(await pending(), null);
      await stop();
      assert.equal(await pending(), null, name);
      await app.clock.advance('1m');
    }
    assert.equal(refusalOf(await boss.ask('DELETE', pathOf(ada))), '404 not_found');
    const stops = app.log.filter(({ audit, result }) => audit === 'second_factor_reset' && result === 'stopped');
    assert.deepEqual(
      stops.map(({ by, user_id }) => [by, user_id]),
      ['link', 'owner', 'second_factor'].map((by) => [by, ada.userId]),
    );
    // A passkey signs in without the second factor, so its owner may have lost that.
    const phone = new Authenticator();
    await renewSignIn(app, ada);
    await addPasskey(ada, phone);
    await request();
    const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    const credential = phone.get(options);
    assert.equal((await app.ask({ method: 'POST', url: '/v1/auth/passkey', payload: { credential } })).status, 200);
    assert.notEqual(await pending(), null);
    // A thief of the session who changes the address must not get the mails about it.
    await renewSignIn(app, ada);
    await ada.ask('POST', '/v1/me/address/request', { email: 'ada@new.test' });
    const [, code = ''] = /account is (\d{6})/.exec(app.printed.at(-1) ?? '') ?? [];
    assert.equal((await ada.ask('POST', '/v1/me/address', { email: 'ada@new.test', code })).status, 200);
    assert.equal(await pending(), null);
    assert.equal(refusalOf(await request()), '403 not_allowed');
    await pass(80);
    assert.equal(await isOn(), true);
    for (let count = 0; count < 10; count += 1) await request();
    assert.equal(refusalOf(await request()), '429 too_many_requests');
  });

  test('a sign-in with the second factor and the end of the reset are stored together', async () => {
    await using service = await start(engine);
    const { app, ada, secret, request } = service;
    await request();
    const { id } = await app.db.selectFrom('second_factor_resets').select('id').executeTakeFirstOrThrow();
    await refuseDeletion(app, id);
    const sessions = async () => (await app.db.selectFrom('sessions').select('id').execute()).length;
    const before = await sessions();
    await app.clock.advance('1m');
    await signInWithSecondFactor(app, ada.email, totpCode(app, secret)).catch(() => undefined);
    assert.equal(await sessions(), before);
  });

  it('what an administrator asked for ends with the administrator', async () => {
    await using service = await start(engine);
    const { app, boss, ada, pending } = service;
    const rogue = await createPerson(app, 'rogue@home.test');
    await app.db.updateTable('users').set({ is_admin: true }).where('id', '=', rogue.userId).execute();
    assert.equal((await rogue.ask('POST', pathOf(ada))).status, 200);
    assert.notEqual(await pending(), null);
    assert.equal((await boss.ask('POST', pathOf(rogue, '/suspend'))).status, 200);
    assert.equal(await pending(), null);
  });

  it('a reset is not applied for somebody who is no administrator any more', async () => {
    await using service = await start(engine);
    const { app, ada, isOn } = service;
    const stored = () => app.db.selectFrom('second_factor_resets').selectAll().executeTakeFirst();
    const rogue = await createPerson(app, 'rogue@home.test');
    const rule = (isAdmin: boolean) =>
      app.db.updateTable('users').set({ admin_by_provider: isAdmin }).where('id', '=', rogue.userId).execute();
    await rule(true);
    assert.equal((await rogue.ask('POST', pathOf(ada))).status, 200);
    await waitUntil(async () => (await stored())?.told_at != null);
    await rule(false);
    for (let day = 0; day < 4; day += 1) await app.clock.advance('24h');
    await waitUntil(async () => (await stored()) === undefined);
    assert.equal(await isOn(), true);
  });

  it('without mail nothing is turned off; the mail is tried ever more rarely, and the reset ends after seven days', async () => {
    await using catcher = await startMailCatcher();
    await using service = await start(engine, { SMTP_URL: catcher.url });
    const { app, ada, request, pending, isOn } = service;
    const stored = () => app.db.selectFrom('second_factor_resets').selectAll().executeTakeFirst();
    const tries = () => app.log.filter(({ msg }) => /it will be retried/.test(String(msg))).length;
    catcher.refuseWith(550, 1_000);
    await request();
    const waits: number[] = [];
    for (let count = 1; count <= 9; count += 1) {
      await waitUntil(() => tries() === count);
      const row = await stored();
      assert.deepEqual([row?.told_at, await isOn()], [null, true]);
      waits.push(((row?.mail_due_at?.getTime() ?? 0) - app.clock.now().getTime()) / 60_000);
      if (count < 9) await app.clock.advance(`${waits.at(-1)}m`);
    }
    assert.deepEqual(waits, [5, 5, 10, 20, 40, 80, 160, 320, 360]);
    const requested_at = new Date(app.clock.now().getTime() + 6 * 3_600_000 - 7 * 86_400_000);
    await app.db.updateTable('second_factor_resets').set({ requested_at }).execute();
    await app.clock.advance('6h');
    await waitUntil(async () => (await stored()) === undefined);
    assert.deepEqual([await pending(), await isOn(), (await ada.ask('GET', '/v1/me')).status], [null, true, 200]);
    assert.ok(app.log.some(({ msg, user_id }) => /stays on/.test(String(msg)) && user_id === ada.userId));
  });

  it('the 72 hours begin with the first mail that the mail server took, however late that is', async () => {
    await using catcher = await startMailCatcher();
    await using service = await start(engine, { SMTP_URL: catcher.url });
    const { app, request } = service;
    const stored = () => app.db.selectFrom('second_factor_resets').selectAll().executeTakeFirstOrThrow();
    catcher.refuseWith(550, 1_000);
    await request();
    await waitUntil(() => app.log.some(({ msg }) => /it will be retried/.test(String(msg))));
    catcher.refuseNoMore();
    await app.clock.advance('5m');
    await waitUntil(async () => (await stored()).told_at !== null);
    const { requested_at, told_at, due_at } = await stored();
    assert.ok(told_at && told_at > requested_at);
    assert.equal(due_at.getTime() - told_at.getTime(), 72 * 3_600_000);
  });

  test('a reset that cannot be applied keeps no other from being applied', async () => {
    await using service = await start(engine);
    const { app, boss, request, isOn } = service;
    const bob = await createPerson(app, 'bob@home.test');
    await enableSecondFactor(app, bob);
    await request();
    const { id } = await app.db.selectFrom('second_factor_resets').select('id').executeTakeFirstOrThrow();
    await refuseDeletion(app, id);
    assert.equal((await boss.ask('POST', pathOf(bob))).status, 200);
    for (let hour = 0; hour < 72; hour += 24) {
      await waitUntil(() => mailsTo(app, bob).length === 1 + hour / 24);
      await app.clock.advance('24h');
    }
    await waitUntil(async () => !(await boss.ask('GET', pathOf(bob, ''))).body.data.mfa_enabled);
    assert.equal(await isOn(), true);
  });
});

/** The database refuses to delete this reset. */
async function refuseDeletion(app: TestApp, id: string): Promise<void> {
  await sql`create table refusals (id uuid references second_factor_resets (id))`.execute(app.db);
  await sql`insert into refusals values (${id})`.execute(app.db);
}
