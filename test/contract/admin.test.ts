/** What an administrator may do, and what nobody may: read another person's tasks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessTable } from '../../src/http/access.ts';
import { headersOf, mintToken } from '../support/agents.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { EmailRig, WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice } from '../support/fake-phones.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import {
  createPerson,
  makeAdmin,
  openSession,
  type Person,
  personWith,
  receiveCode,
  signIn,
  verifyCode,
} from '../support/people.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { type Answer, startTestApp, type TestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const PUBLIC = { BASE_URL: 'http://crescendo.example', ADMINS: 'boss@home.test' };

const start = (engine: EngineName, settings: Record<string, string> = {}) =>
  startTestApp(engine, { settings: { ...PUBLIC, ...settings } });

const codeOf = ({ body }: Answer): string => body.error.split(':')[0];
const refusalOf = (answer: Answer) => [answer.status, codeOf(answer)];
const actionsOf = ({ log }: TestApp) =>
  log
    .filter(({ audit }) => audit === 'admin_action')
    .map(({ action, result, admin_id, user_id, email, address }) => ({
      action,
      result,
      admin_id,
      user_id,
      email,
      address,
    }));

const personPath = ({ userId }: Person) => `/v1/admin/people/${userId}`;
const suspend = (admin: Person, person: Person) => admin.ask('POST', `${personPath(person)}/suspend`);
const lift = (admin: Person, person: Person) => admin.ask('POST', `${personPath(person)}/lift`);

onEveryEngine((engine, it) => {
  it('ADMINS, the provider and the command line make administrators, until the next call without a reason', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app);
    assert.equal((await boss.ask('GET', '/v1/admin')).status, 200);
    assert.deepEqual(refusalOf(await ada.ask('GET', '/v1/admin')), [403, 'admin_required']);
    for (const column of ['is_admin', 'admin_by_provider'] as const) {
      await makeAdmin(app, ada, column);
      assert.equal((await ada.ask('GET', '/v1/admin')).status, 200);
      await app.db
        .updateTable('users')
        .set({ [column]: false })
        .where('id', '=', ada.userId)
        .execute();
      assert.equal((await ada.ask('GET', '/v1/admin')).status, 403);
    }
    const { token } = await mintToken(boss, { scopes: ['tasks:read', 'tasks:write', 'settings:write'] });
    assert.deepEqual(refusalOf(await boss.ask('GET', '/v1/admin', undefined, token)), [403, 'session_required']);
    assert.deepEqual(
      Object.keys((await boss.ask('GET', '/v1/me')).body.data)
        .sort()
        .includes('admin'),
      false,
    );
  });

  it('no answer to an administrator contains what a person wrote, or where it is sent', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app, 'ada@home.test');
    const word = (name: string) => `planted-${name}`;
    const due_at = '2026-03-02T09:00:00Z';
    const space = (await ada.ask('POST', '/v1/spaces', { name: word('space') })).body.data.id;
    const task = { title: word('title'), notes: word('notes'), kind: word('kind'), due_at, has_time: true };
    const id = (await ada.ask('POST', '/v1/tasks', { ...task, space_id: space })).body.data.id;
    await ada.ask('POST', '/v1/channels', {
      provider: 'webhook',
      name: word('channel'),
      fields: { url: `https://${word('host')}.example/${word('path')}` },
    });
    await mintToken(ada, { name: word('token') });
    await addDevice(app, ada.userId);
    const { token } = await app.db.selectFrom('devices').select('token').executeTakeFirstOrThrow();
    await ada.ask('POST', `/v1/spaces/${space}/invites`, { invitee_contact: `${word('contact')}@home.test` });
    await app.clock.advance('1h');

    const admin = personWith(app, boss.email, boss.userId, await openSession(app, boss.userId));
    const { id: invitation } = (await admin.ask('POST', '/v1/admin/invitations', { email: 'old@home.test' })).body.data
      .invitation;
    const asked = new Set<string>();
    const answers: Answer[] = [];
    const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, url: string, body?: object) => {
      asked.add(`${method} ${path}`);
      answers.push(await admin.ask(method, url, body));
    };
    const at = (end = '') => [`/v1/admin/people/{user_id}${end}`, `${personPath(ada)}${end}`] as const;
    await ask('GET', '/v1/admin', '/v1/admin');
    await ask('GET', '/v1/admin/people', '/v1/admin/people');
    await ask('GET', '/v1/admin/people', '/v1/admin/people?search=ada');
    await ask('GET', ...at());
    await ask('GET', '/v1/admin/health', '/v1/admin/health');
    await ask('GET', '/v1/admin/invitations', '/v1/admin/invitations');
    await ask('POST', '/v1/admin/invitations', '/v1/admin/invitations', { email: 'new@home.test' });
    await ask('DELETE', '/v1/admin/invitations/{invitation_id}', `/v1/admin/invitations/${invitation}`);
    await ask('PATCH', '/v1/admin/sign-up', '/v1/admin/sign-up', { sign_up: 'invite' });
    await ask('POST', ...at('/suspend'));
    await ask('POST', ...at('/lift'));
    await app.db.updateTable('users').set({ mfa_enabled_at: app.clock.now() }).where('id', '=', ada.userId).execute();
    await ask('POST', ...at('/second-factor-reset'));
    await ask('DELETE', ...at('/second-factor-reset'));
    await ask('DELETE', ...at('/sessions'));
    await ask('DELETE', ...at());
    for (const { status } of answers) assert.equal(status, 200);
    const said = JSON.stringify([
      answers.map(({ body, headers }) => [body, headers]),
      app.log.filter(({ audit }) => audit),
    ]);
    assert.match(said, /ada@home\.test/);
    assert.doesNotMatch(said, /planted-/);
    assert.ok(!said.includes(token) && !said.includes(id) && !said.includes(space));
    const { paths } = (await app.ask({ url: '/openapi.json' })).body;
    const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
      path.startsWith('/v1/admin') ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`) : [],
    );
    assert.deepEqual([...asked].toSorted(), routes.toSorted());
    for (const [route, access] of Object.entries(accessTable))
      assert.equal(access === 'admin', / \/v1\/admin(\/|$)/.test(route), route);
  });

  test('people are listed in pages and found by a part of the address, with counts of what is true of them', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app, 'ada_l@home.test');
    await createPerson(app, 'adaxl@home.test');
    for (const title of ['pills', 'plants', 'bins']) await ada.ask('POST', '/v1/tasks', { title });
    const [{ id }] = (await ada.ask('GET', '/v1/tasks')).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await addDevice(app, ada.userId);
    const broken = await addDevice(app, ada.userId, 'android');
    await app.db.updateTable('devices').set({ valid: false }).where('id', '=', broken).execute();
    await ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url: 'https://hook.example/' } });

    const first = await boss.ask('GET', '/v1/admin/people?limit=2');
    const emails = ({ body }: Answer) => body.data.map(({ email }: { email: string }) => email);
    assert.deepEqual(emails(first), ['boss@home.test', 'ada_l@home.test']);
    const second = await boss.ask('GET', `/v1/admin/people?limit=2&cursor=${first.headers['x-next-cursor']}`);
    assert.deepEqual([emails(second), second.headers['x-next-cursor']], [['adaxl@home.test'], undefined]);
    assert.deepEqual(emails(await boss.ask('GET', '/v1/admin/people?search=ADA_')), ['ada_l@home.test']);
    assert.deepEqual(emails(await boss.ask('GET', '/v1/admin/people?search=%25')), []);

    const { data } = (await boss.ask('GET', personPath(ada))).body;
    assert.deepEqual(data, {
      id: ada.userId,
      email: 'ada_l@home.test',
      display_name: null,
      created_at: '2026-03-02T09:00:00.000Z',
      last_seen_at: '2026-03-02T09:00:00.000Z',
      open_tasks: 2,
      working_targets: 1,
      mfa_enabled: false,
      admin: null,
      suspended_at: null,
      tasks: { open: 2, done: 1, skipped: 0 },
      reach: [
        { kind: 'android', state: 'broken', count: 1 },
        { kind: 'ios', state: 'working', count: 1 },
        { kind: 'webhook', state: 'waiting', count: 1 },
      ],
      stand_ins: { asked: 0, agreed: 0, stands_in: 0 },
      sessions: 1,
      tokens: 0,
      second_factor_reset: null,
    });
    assert.equal((await boss.ask('GET', personPath(boss))).body.data.admin, 'setting');
    assert.equal((await boss.ask('GET', `/v1/admin/people/${crypto.randomUUID()}`)).status, 404);
  });

  it('who has set up nothing is shown as reached by mail, if the service sends mail', async () => {
    await using mail = await EmailRig.start();
    await using app = await start(engine, mail.settings);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app, 'ada@home.test');
    const { body } = await boss.ask('GET', '/v1/admin/people');
    assert.deepEqual(
      body.data.map(({ working_targets }: { working_targets: number }) => working_targets),
      [1, 1],
    );
    const { body: shown } = await boss.ask('GET', personPath(ada));
    assert.deepEqual(shown.data.reach, [{ kind: 'email', state: 'working', count: 1 }]);
  });

  it('a suspended account is refused at the next call in every way, and lifted it works as before', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await signIn(app, 'ada@home.test');
    const { token } = await mintToken(ada);
    const feed = new URL((await ada.ask('POST', '/v1/me/calendar')).body.data.url).pathname;
    const ways = async () => ({
      session: (await ada.ask('GET', '/v1/me')).status,
      app: (await ada.ask('GET', '/app/session')).status,
      token: (await ada.ask('GET', '/v1/tasks', undefined, token)).status,
      mcp: (await app.fastify.inject({ method: 'POST', url: '/mcp', headers: headersOf(token), payload: LIST_TOOLS }))
        .statusCode,
      feed: (await app.fastify.inject({ url: feed })).statusCode,
    });
    const before = await ways();
    assert.deepEqual(before, { session: 200, app: 200, token: 200, mcp: 200, feed: 200 });
    const code = await receiveCode(app, ada.email);
    const suspendedAt = app.clock.now().toISOString();
    assert.equal((await suspend(boss, ada)).body.data.suspended_at, suspendedAt);
    assert.deepEqual(await ways(), { session: 401, app: 401, token: 401, mcp: 401, feed: 404 });
    // The code is right: only who owns the address learns of the suspension.
    assert.deepEqual(refusalOf(await verifyCode(app, ada.email, code)), [403, 'account_suspended']);
    const wrong = code === '000000' ? '000001' : '000000';
    assert.deepEqual(refusalOf(await verifyCode(app, ada.email, wrong)), [401, 'wrong_code']);
    await app.clock.advance('1s');
    assert.equal((await suspend(boss, ada)).body.data.suspended_at, suspendedAt);
    const lifted = (await lift(boss, ada)).body.data;
    assert.deepEqual([lifted.suspended_at, lifted.sessions, lifted.tokens], [null, 1, 1]);
    assert.deepEqual(await ways(), before);
    assert.equal((await verifyCode(app, ada.email, code)).status, 200);
  });

  it('a suspended account cannot sign in by the identity provider, or finish a second factor it had begun', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    await using app = await startTestApp(engine, { clock, settings: { ...PUBLIC, ...provider.settings } });
    const boss = await createPerson(app, 'boss@home.test');
    const byProvider = async () => {
      const payload = { identity_token: await provider.issue({ email: 'ada@home.test', email_verified: true }) };
      return app.ask({ method: 'POST', url: '/v1/auth/idp', payload });
    };
    const { data } = (await byProvider()).body;
    const ada = personWith(app, 'ada@home.test', data.user_id, data.session_token);
    await suspend(boss, ada);
    assert.deepEqual(refusalOf(await byProvider()), [403, 'account_suspended']);
    await lift(boss, ada);
    const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const { generateSync } = await import('otplib');
    const totp = () => generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1_000) });
    await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: totp() });
    const { mfa_token } = (await byProvider()).body.data;
    await suspend(boss, ada);
    await clock.advance('30s');
    const payload = { mfa_token, code: totp() };
    const finished = await app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload });
    assert.deepEqual(refusalOf(finished), [403, 'account_suspended']);
    assert.equal(
      (await app.db.selectFrom('sessions').select('id').where('user_id', '=', ada.userId).execute()).length,
      1,
    );
  });

  it('a suspended account cannot sign in with a passkey, and lifted it can', async () => {
    await using app = await startTestApp(engine, { settings: { ADMINS: 'boss@home.test' } });
    const [boss, ada] = [await createPerson(app, 'boss@home.test'), await createPerson(app)];
    const phone = new Authenticator();
    assert.equal((await addPasskey(ada, phone)).status, 200);
    const byPasskey = async () => {
      const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
      const payload = { credential: phone.get(options) };
      return app.ask({ method: 'POST', url: '/v1/auth/passkey', payload });
    };
    await suspend(boss, ada);
    assert.deepEqual(refusalOf(await byPasskey()), [403, 'account_suspended']);
    assert.ok(
      app.log.some(
        ({ audit, result, user_id }) => audit === 'sign_in' && result === 'account_suspended' && user_id === ada.userId,
      ),
    );
    await lift(boss, ada);
    assert.equal((await byPasskey()).body.data.user_id, ada.userId);
  });

  it('the owner is told by mail of a suspension and of its end, once for each and at most ten times a day', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app, 'ada@home.test');
    const mails = () => app.printed.flatMap((mail) => /Mail to ada@home\.test ─+\n(.*)/.exec(mail)?.[1] ?? []);
    const [suspended, lifted] = ['Your Crescendo account is suspended', 'Your Crescendo account works again'];
    for (const act of [lift, suspend, suspend, lift, lift]) assert.equal((await act(boss, ada)).status, 200);
    await waitUntil(() => mails().length === 2);
    assert.deepEqual(mails().toSorted(), [suspended, lifted]);
    assert.match(app.printed.join('\n'), /ask that person\.\n\nWhen: 2 March 2026 at 09:00 \(UTC\)\n/);
    assert.doesNotMatch(app.printed.join('\n'), /If this was you/);
    for (let time = 0; time < 10; time += 1) for (const act of [suspend, lift]) await act(boss, ada);
    const other = await createPerson(app, 'bob@home.test');
    await suspend(boss, other);
    await waitUntil(() => app.printed.some((mail) => mail.includes('Mail to bob@home.test')));
    assert.equal(mails().length, 20);
  });

  it('a service without mail suspends all the same, and logs no failed mail', async () => {
    let log: TestApp['log'];
    {
      await using app = await start(engine, { PRINT_MAIL: 'false' });
      const [boss, ada] = [await createPerson(app, 'boss@home.test'), await createPerson(app)];
      assert.equal((await suspend(boss, ada)).status, 200);
      ({ log } = app);
    }
    assert.deepEqual(
      log.filter(({ msg }) => String(msg).includes('mail could not')),
      [],
    );
  });

  it('links in messages do nothing and show nothing while their owner is suspended, except to stop messages', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), { ADMINS: 'boss@home.test' });
    const { app, ada, rig } = scenario;
    const boss = await createPerson(app, 'boss@home.test');
    await rig.connect(ada);
    const task = await scenario.due();
    const page = rig.take()[0]?.page ?? '';
    const admin = personWith(app, boss.email, boss.userId, await openSession(app, boss.userId));
    await suspend(admin, ada);
    assert.equal((await scenario.press(page, 'done')).status, 410);
    const shown = await app.fastify.inject({ url: page, headers: { accept: 'text/html' } });
    assert.doesNotMatch(shown.body, /pills/);
    const stored = app.db.selectFrom('tasks').select('status').where('id', '=', task);
    assert.equal((await stored.executeTakeFirstOrThrow()).status, 'open');
    await lift(admin, ada);
    assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
    await suspend(admin, ada);
    assert.equal((await scenario.press(page, 'stop')).body.data.state, 'stopped');
  });

  test('the invitation of a suspended person says nothing about the space until they are lifted', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'home' })).body.data;
    const { token } = (await ada.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
    const preview = () => bob.ask('GET', `/v1/invites/${token}`);
    await suspend(boss, ada);
    assert.deepEqual(refusalOf(await preview()), [410, 'invite_revoked']);
    await lift(boss, ada);
    assert.equal((await preview()).body.data.space_name, 'home');
  });

  test('nobody suspends or deletes themself, and of two administrators who suspend each other one stays', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app);
    await makeAdmin(app, ada);
    for (const [method, end] of [
      ['POST', '/suspend'],
      ['DELETE', ''],
    ] as const)
      assert.deepEqual(refusalOf(await boss.ask(method, `${personPath(boss)}${end}`)), [403, 'not_allowed']);
    const answers = await Promise.all([suspend(boss, ada), suspend(ada, boss)]);
    assert.deepEqual(answers.map(({ status }) => status === 200).toSorted(), [false, true]);
    const left = await app.db.selectFrom('users').select('id').where('suspended_at', 'is', null).execute();
    assert.equal(left.length, 1);
  });

  it('suspending and deleting need a recent sign-in, and every action is in the audit log', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const ada = await createPerson(app, 'ada@home.test');
    await app.clock.advance('16m');
    const old = [await suspend(boss, ada), await boss.ask('DELETE', personPath(ada))];
    for (const answer of old) assert.deepEqual(refusalOf(answer), [403, 'recent_sign_in_required']);
    assert.deepEqual((await boss.ask('DELETE', `${personPath(ada)}/sessions`)).body.data, { ended: 1 });
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    const fresh = personWith(app, boss.email, boss.userId, await openSession(app, boss.userId));
    await suspend(fresh, ada);
    await lift(fresh, ada);
    await fresh.ask('DELETE', personPath(ada));
    assert.equal((await fresh.ask('GET', personPath(ada))).status, 404);
    assert.deepEqual(refusalOf(await suspend(fresh, ada)), [404, 'not_found']);
    const about = { admin_id: boss.userId, user_id: ada.userId, email: undefined, address: '127.0.0.1' };
    assert.deepEqual(actionsOf(app), [
      { action: 'suspend', result: 'recent_sign_in_required', ...about },
      { action: 'delete', result: 'recent_sign_in_required', ...about },
      { action: 'end_sessions', result: 'ok', ...about },
      { action: 'suspend', result: 'ok', ...about },
      { action: 'lift', result: 'ok', ...about },
      { action: 'delete', result: 'ok', ...about },
      { action: 'suspend', result: 'not_found', ...about },
    ]);
    assert.equal(app.log.filter(({ audit }) => audit === 'account_deleted').length, 1);
  });

  it('sign-up is closed and opened where SIGN_UP is not set, and SIGN_UP stands above the switch', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const signUpOf = async () => (await boss.ask('GET', '/v1/admin')).body.data;
    const request = () =>
      app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email: 'new@home.test' } });
    assert.deepEqual(await signUpOf(), { people: 1, sign_up: 'open', sign_up_fixed: false });
    await boss.ask('PATCH', '/v1/admin/sign-up', { sign_up: 'invite' });
    assert.equal((await request()).body.data.sign_up, 'invite');
    assert.match(app.printed.at(-1) ?? '', /new accounts are not open to everyone/);
    assert.equal((await app.ask({ url: '/app/sign-in-options' })).body.data.sign_up, 'invite');
    await boss.ask('PATCH', '/v1/admin/sign-up', { sign_up: 'open' });
    assert.equal((await request()).body.data.sign_up, 'open');

    for (const SIGN_UP of ['open', 'invite']) {
      await using fixed = await start(engine, { SIGN_UP });
      const admin = await createPerson(fixed, 'boss@home.test');
      const answer = await admin.ask('PATCH', '/v1/admin/sign-up', { sign_up: 'open' });
      assert.deepEqual(refusalOf(answer), [409, 'sign_up_fixed']);
      assert.deepEqual((await admin.ask('GET', '/v1/admin')).body.data.sign_up, SIGN_UP);
    }
  });

  it('an invitation admits its address once, for two weeks, until it is taken back, whatever SIGN_UP says', async () => {
    await using app = await start(engine, { SIGN_UP: 'open', SIGN_UP_DOMAINS: 'work.test' });
    const boss = await createPerson(app, 'boss@home.test');
    const invite = (email: string) => boss.ask('POST', '/v1/admin/invitations', { email });
    const isAdmitted = async (email: string) => {
      const sent = app.printed.length;
      await app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
      return /Your sign-in code/.test(app.printed.slice(sent).join(''));
    };
    assert.equal((await invite('New@Home.test')).body.data.mailed, true);
    const mail = app.printed.at(-1) ?? '';
    assert.match(mail, /Mail to new@home\.test[\s\S]*http:\/\/crescendo\.example\/app\n/);
    assert.deepEqual([await isAdmitted('new@home.test'), await isAdmitted('other@home.test')], [true, false]);
    await signIn(app, 'new@home.test');
    assert.deepEqual((await boss.ask('GET', '/v1/admin/invitations')).body.data, []);
    assert.deepEqual(refusalOf(await invite('new@home.test')), [409, 'account_exists']);
    assert.equal((await invite('no address')).status, 422);

    const { invitation } = (await invite('back@home.test')).body.data;
    assert.equal((await boss.ask('DELETE', `/v1/admin/invitations/${invitation.id}`)).status, 200);
    assert.equal((await boss.ask('DELETE', `/v1/admin/invitations/${invitation.id}`)).status, 404);
    assert.equal(await isAdmitted('back@home.test'), false);
    await invite('late@home.test');
    await app.clock.advance('10d');
    const again = (await invite('late@home.test')).body.data.invitation;
    const open = (await boss.ask('GET', '/v1/admin/invitations')).body.data;
    assert.deepEqual(open, [again]);
    await app.clock.advance('13d');
    assert.equal(await isAdmitted('late@home.test'), true);
    await app.clock.advance('2d');
    assert.equal(await isAdmitted('late@home.test'), false);
    assert.deepEqual((await boss.ask('GET', '/v1/admin/invitations')).body.data, []);
  });

  it('invitations are limited in number and per mailbox, and one that cannot be mailed is not kept', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const invite = (email: string) => boss.ask('POST', '/v1/admin/invitations', { email });
    for (let mail = 0; mail < 3; mail += 1) assert.equal((await invite('a@home.test')).status, 200);
    assert.deepEqual(refusalOf(await invite('a@home.test')), [429, 'too_many_invitations']);
    // The invitation from before stands.
    assert.equal((await boss.ask('GET', '/v1/admin/invitations')).body.data.length, 1);
    assert.deepEqual(refusalOf(await invite('a+b@home.test')), [429, 'too_many_invitations']);
    assert.equal((await boss.ask('GET', '/v1/admin/invitations')).body.data.length, 1);
    const now = app.clock.now();
    const rows = Array.from({ length: 199 }, (_, number) => ({
      id: crypto.randomUUID(),
      email: `${number}@home.test`,
      admitted_by: null,
      created_at: now,
      expires_at: new Date(now.getTime() + 1_000),
    }));
    await app.db.insertInto('admitted_addresses').values(rows).execute();
    assert.deepEqual(refusalOf(await invite('more@home.test')), [429, 'too_many_invites']);
    assert.equal((await invite('0@home.test')).status, 200, 'one that is open is made again');
    await app.db.deleteFrom('admitted_addresses').where('email', '=', '0@home.test').execute();
    await app.clock.advance('1m');
    assert.equal((await invite('more@home.test')).status, 200);
    assert.equal((await app.db.selectFrom('admitted_addresses').select('id').execute()).length, 2);

    await using silent = await start(engine, { PRINT_MAIL: 'false' });
    const admin = await createPerson(silent, 'boss@home.test');
    const told = await admin.ask('POST', '/v1/admin/invitations', { email: 'a@home.test' });
    assert.deepEqual([told.status, told.body.data.mailed], [200, false]);
    assert.equal((await admin.ask('GET', '/v1/admin/invitations')).body.data.length, 1);
  });

  it('health tells what is late, what waits for which provider, and which providers are set up', async () => {
    await using app = await start(engine);
    const boss = await createPerson(app, 'boss@home.test');
    const { data } = (await boss.ask('GET', '/v1/admin/health')).body;
    assert.deepEqual([data.version, data.role, data.mail], [VERSION, 'all', 'printed']);
    assert.deepEqual([data.database.engine, data.database.size_bytes > 10_000], [engine, true]);
    assert.deepEqual([data.engine.lag_seconds, data.engine.processes], [0, 1]);
    assert.equal(data.last_backup_at, null);
    assert.equal(data.releases[0].version, VERSION);
    const of = (health: typeof data, name: string) =>
      health.providers.find(({ provider }: { provider: string }) => provider === name);
    assert.equal(of(data, 'webhook').configured, true);
    for (const name of ['apns', 'fcm', 'telegram', 'email'])
      assert.deepEqual(of(data, name), { provider: name, configured: false, due: 0, later: 0, wait_seconds: 0 });

    // Settings were removed while a delivery waited: no process sends it.
    const task = (await boss.ask('POST', '/v1/tasks', { title: 'x' })).body.data.id;
    const at = app.clock.now();
    const waiting = storedDelivery({ id: task, owner_id: boss.userId }, { provider: 'telegram', created_at: at });
    await app.db.insertInto('deliveries').values(waiting).execute();
    await app.clock.advance('10m');
    const later = (await boss.ask('GET', '/v1/admin/health')).body.data;
    assert.deepEqual(of(later, 'telegram'), {
      provider: 'telegram',
      configured: false,
      due: 1,
      later: 0,
      wait_seconds: 600,
    });
  });
});

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
