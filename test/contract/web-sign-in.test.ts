/** The web app's sign-in at a real OpenID provider: authorization code and PKCE, groups, and both ways to sign out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exportJWK, exportPKCS8, generateKeyPair, type JWTPayload } from 'jose';
import { AppError } from '../../src/lib/errors.ts';
import { hashToken } from '../../src/lib/secrets.ts';
import { RelyingParty } from '../../src/sign-in/provider/relying-party.ts';
import { CODE_POINT } from '../support/code-point.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { CLIENT_ID, OpenIdProvider, SECRET, TestBrowser } from '../support/openid-provider.ts';
import { createPerson, type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const BASE_URL = 'http://crescendo.test';

interface Options extends Partial<Parameters<typeof OpenIdProvider.start>[0]> {
  readonly settings?: Record<string, string>;
}

/** The provider lives in real time, so the service does too, until a test moves its clock. */
async function start(engine: EngineName, { settings, ...options }: Options = {}) {
  const parts = new AsyncDisposableStack();
  const clock = new FakeClock(new Date().toISOString());
  const provider = parts.use(await OpenIdProvider.start({ baseUrl: BASE_URL, ...options }));
  const log = { LOG_LEVEL: 'debug' };
  const app = parts.use(await startTestApp(engine, { clock, settings: { ...provider.settings, ...log, ...settings } }));
  return { app, provider, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

type Deployment = Awaited<ReturnType<typeof start>>;

interface Begun {
  readonly url: string;
  readonly ticket: string;
}

async function begin({ app }: Pick<Deployment, 'app'>): Promise<Begun> {
  app.clock.set(new Date().toISOString());
  const { status, body } = await app.ask({ method: 'POST', url: '/app/provider/begin' });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const finish = (app: TestApp, ticket: string, answer: string, headers = {}): Promise<Answer> =>
  app.ask({ method: 'POST', url: '/app/provider/finish', payload: { ticket, answer }, headers });

/** What the provider sends the browser back with. */
async function answerAt(url: string, browser = new TestBrowser()): Promise<string> {
  const back = await browser.follow(url, BASE_URL);
  assert.ok(back.startsWith(`${BASE_URL}/app/sign-in?`), back);
  return new URL(back).search.slice(1);
}

/** What the page of a `FakeIdentityProvider` sends back for a person who agrees. */
async function answerOnPage(url: string): Promise<string> {
  const page = await (await fetch(url)).text();
  const fields = page.matchAll(/name="(\w+)" value='([^']*)'/g);
  return new URLSearchParams([...fields].map(([, name = '', value = '']) => [name, value])).toString();
}

async function agreeAt({ app }: Pick<Deployment, 'app'>): Promise<Answer> {
  const { url, ticket } = await begin({ app });
  return finish(app, ticket, await answerOnPage(url));
}

async function signInAt(deployment: Deployment, browser = new TestBrowser()): Promise<Answer> {
  const { url, ticket } = await begin(deployment);
  return finish(deployment.app, ticket, await answerAt(url, browser));
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const sendLogoutToken = (app: TestApp, logout_token: string): Promise<Answer> =>
  app.ask({
    method: 'POST',
    url: '/app/provider/sign-out',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token }).toString(),
  });

const codeOf = ({ body }: Answer): string => body.error?.split(':')[0];
const withParameter = (answer: string, name: string, value: string): string => {
  const parameters = new URLSearchParams(answer);
  parameters.set(name, value);
  return parameters.toString();
};
const personOf = (app: TestApp, { body }: Answer): Person =>
  personWith(app, '', body.data.user_id, body.data.session_token);
const isSignedIn = async (person: Person) => (await person.ask('GET', '/v1/me')).status === 200;
const countUsers = async ({ db }: TestApp) => (await db.selectFrom('users').select('id').execute()).length;
const isAdmin = async ({ db }: TestApp) =>
  (await db.selectFrom('users').select('admin_by_provider').executeTakeFirstOrThrow()).admin_by_provider;

onEveryEngine((engine, it) => {
  it('a first sign-in creates the account with its name and address, and a later one finds it', async () => {
    await using deployment = await start(engine);
    const { app, provider } = deployment;
    const { url } = await begin(deployment);
    const asked = new URL(url).searchParams;
    assert.deepEqual(
      [asked.get('response_type'), asked.get('code_challenge_method'), asked.get('redirect_uri'), asked.get('scope')],
      ['code', 'S256', `${BASE_URL}/app/sign-in`, 'openid email profile'],
    );
    const first = await signInAt(deployment);
    assert.deepEqual([first.status, first.body.data?.mode], [200, 'register'], JSON.stringify(first.body));
    const { body } = await personOf(app, first).ask('GET', '/v1/me');
    assert.deepEqual([body.data.email, body.data.display_name], ['ada@example.org', 'Ada Lovelace']);
    provider.person = { sub: 'subject-1', name: 'Another Name' };
    const again = await signInAt(deployment);
    assert.deepEqual([again.body.data.mode, again.body.data.user_id], ['login', first.body.data.user_id]);
    assert.equal(await countUsers(app), 1);
  });

  it('an answer that a form brought is passed on in the fragment, and signs in', async () => {
    await using deployment = await start(engine);
    const { app } = deployment;
    const { url, ticket } = await begin(deployment);
    const page = await new TestBrowser().follow(`${url}&response_mode=form_post`, BASE_URL);
    const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    );
    const posted = await app.fastify.inject({
      method: 'POST',
      url: '/app/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams([...fields, ['id_token', 'x']]).toString(),
    });
    const [path, fragment = ''] = String(posted.headers.location).split('#');
    assert.deepEqual(
      [posted.statusCode, path, new URLSearchParams(fragment).has('id_token')],
      [303, '/app/sign-in', false],
    );
    assert.equal(posted.headers['cache-control'], 'no-store', 'the address holds the answer');
    assert.equal((await finish(app, ticket, fragment)).status, 200);
  });

  it('a form with many fields, or longer than an answer can be, is not read', async () => {
    await using deployment = await start(engine);
    for (const url of ['/app/sign-in', '/app/provider/sign-out']) {
      for (const payload of ['a&'.repeat(101), 'a'.repeat(17 * 1024)]) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const { statusCode } = await deployment.app.fastify.inject({ method: 'POST', url, headers, payload });
        assert.equal(statusCode, 413, url);
      }
    }
  });

  it('an answer that was changed, or belongs to another sign-in, signs nobody in', async () => {
    await using deployment = await start(engine);
    const { app } = deployment;
    const [mine, other] = [await begin(deployment), await begin(deployment)];
    const answer = await answerAt(mine.url);
    const faults: [string, string, string][] = [
      ["another browser's ticket", other.ticket, answer],
      ['a wrong state', mine.ticket, withParameter(answer, 'state', 'x')],
      ['a wrong issuer', mine.ticket, withParameter(answer, 'iss', 'https://other.test')],
      ['a wrong code', mine.ticket, withParameter(answer, 'code', 'x')],
      ['a state twice', mine.ticket, `${answer}&state=x`],
      ['a refusal', mine.ticket, withParameter(answer, 'error', 'access_denied')],
      ['an identity token beside it', mine.ticket, `${answer}&id_token=x`],
      ['nothing', mine.ticket, ''],
    ];
    for (const [name, ticket, text] of faults) {
      const refused = await finish(app, ticket, text);
      assert.deepEqual([refused.status, codeOf(refused)], [401, 'wrong_identity_token'], name);
    }
    // What the browser asks for is changed on the way: the token is then genuine, and not for this sign-in.
    for (const name of ['nonce', 'code_challenge']) {
      const { url, ticket } = await begin(deployment);
      const changed = new URL(url);
      changed.searchParams.set(name, 'a'.repeat(43));
      assert.equal(codeOf(await finish(app, ticket, await answerAt(changed.href))), 'wrong_identity_token', name);
    }
    assert.equal(await countUsers(app), 0);
    assert.equal((await finish(app, other.ticket, await answerAt(other.url))).status, 200);
  });

  test('a ticket is good once, for ten minutes, unchanged, and at the installation that sealed it', async () => {
    await using deployment = await start(engine);
    const { app } = deployment;
    const { url, ticket } = await begin(deployment);
    const answer = await answerAt(url);
    const changed = ticket.replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA'));
    for (const wrong of [changed, 'x', '', `v1.unknown${ticket.slice(ticket.indexOf('.', 3))}`])
      assert.equal(codeOf(await finish(app, wrong, answer)), 'sign_in_expired');
    const both = await Promise.all([finish(app, ticket, answer), finish(app, ticket, answer)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401], 'at the same time');
    assert.equal((await finish(app, ticket, answer)).status, 401, 'once more');
    const late = await begin(deployment);
    const lateAnswer = await answerAt(late.url);
    await app.clock.advance('10m');
    assert.equal(codeOf(await finish(app, late.ticket, lateAnswer)), 'sign_in_expired');
  });

  it('a careless provider changes nothing: its code signs in once, and its two addresses are not mixed', async () => {
    const clock = new FakeClock(new Date().toISOString());
    await using provider = await FakeIdentityProvider.start(clock);
    provider.person = { email: 'mallory@example.org' };
    provider.userInfo = { sub: 'subject-1', email: 'ada@example.org', email_verified: true, name: 'Mallory' };
    await using app = await startTestApp(engine, { clock, settings: provider.settings });
    const ada = await signIn(app, 'ada@example.org');
    const { url, ticket } = await begin({ app });
    const answer = await answerOnPage(url);
    const first = await finish(app, ticket, answer);
    assert.equal(first.body.data.mode, 'register');
    assert.notEqual(first.body.data.user_id, ada.userId);
    const { body } = await personOf(app, first).ask('GET', '/v1/me');
    assert.deepEqual([body.data.email, body.data.display_name], [null, 'Mallory']);
    assert.equal(codeOf(await finish(app, ticket, answer)), 'sign_in_expired');
  });

  it('a refresh token is kept where it has to be revoked with the account, and nowhere else', async () => {
    for (const isToRevoke of [true, false]) {
      const clock = new FakeClock(new Date().toISOString());
      await using provider = await FakeIdentityProvider.start(clock);
      const settings = { ...provider.settings, ...(isToRevoke && (await provider.clientSettings())) };
      await using app = await startTestApp(engine, { clock, settings });
      assert.equal((await agreeAt({ app })).status, 200);
      const [identity] = await app.db.selectFrom('identities').select('refresh_token').execute();
      assert.equal(identity?.refresh_token !== null, isToRevoke, JSON.stringify(identity));
    }
  });

  it('groups that only the userinfo endpoint tells count, also where the token tells everything else', async () => {
    const clock = new FakeClock(new Date().toISOString());
    await using provider = await FakeIdentityProvider.start(clock);
    provider.person = { email: 'ada@example.org', email_verified: true, name: 'Ada' };
    provider.userInfo = { sub: 'subject-1', groups: ['family'] };
    const settings = { ...provider.settings, IDP_ALLOWED_GROUPS: 'family' };
    await using app = await startTestApp(engine, { clock, settings });
    const { status, body } = await agreeAt({ app });
    assert.equal(status, 200, JSON.stringify(body));
  });

  it('a name that cannot be stored, or is endless, keeps nobody from signing in', async () => {
    const clock = new FakeClock(new Date().toISOString());
    await using provider = await FakeIdentityProvider.start(clock);
    await using app = await startTestApp(engine, { clock, settings: provider.settings });
    const names: [given: unknown, shown: string | null][] = [
      ['Ada\u0000', null],
      ['Ada\ud800', null],
      ['Ada\nLovelace', null],
      [{ first: 'Ada' }, null],
      ['  ', null],
      [`  ${'A'.repeat(300)}`, 'A'.repeat(100)],
      [`${'A'.repeat(99)}\u{1f600}`, `${'A'.repeat(99)}\ufffd`],
    ];
    for (const [index, [name, shown]] of names.entries()) {
      provider.person = { sub: `subject ${index}`, name };
      const signedIn = await agreeAt({ app });
      assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
      assert.equal((await personOf(app, signedIn).ask('GET', '/v1/me')).body.data.display_name, shown, `row ${index}`);
    }
  });

  it('signing out leads nowhere where the provider is silent, or is another one than that of the session', async () => {
    await using deployment = await start(engine);
    const { app, provider } = deployment;
    const ada = personOf(app, await signInAt(deployment));
    const lookUp = async () => {
      const { status, body } = await ada.ask('GET', '/app/provider/sign-out');
      return [status, body.data.url && new URL(body.data.url).origin];
    };
    assert.deepEqual(await lookUp(), [200, provider.issuer]);
    const issuedBy = (issuer: string) => app.db.updateTable('identities').set({ issuer }).execute();
    await issuedBy('https://former.test');
    assert.deepEqual(await lookUp(), [200, null]);
    await issuedBy(provider.issuer);
    provider.isDown = true;
    await app.clock.advance('1h');
    assert.deepEqual(await lookUp(), [200, null]);
  });

  it('an identity token whose signature is forged is refused, and rotated keys are noticed at once', async () => {
    await using deployment = await start(engine);
    const { provider } = deployment;
    assert.equal((await signInAt(deployment)).status, 200);
    await provider.rotateKeys();
    assert.equal((await signInAt(deployment)).status, 200, 'new keys');
    provider.tamper = (answer) => ({ ...answer, id_token: forge(String(answer.id_token)) });
    assert.equal(codeOf(await signInAt(deployment)), 'wrong_identity_token');
    provider.tamper = ({ id_token: _, ...answer }) => answer;
    assert.equal(codeOf(await signInAt(deployment)), 'wrong_identity_token', 'no identity token at all');
  });

  it('an unverified address opens no account of another person, unless the operator trusts the provider', async () => {
    await using strict = await start(engine);
    const victim = await signIn(strict.app, 'ada@example.org');
    strict.provider.person = { sub: 'subject-1', email: 'ada@example.org', email_verified: false };
    const stranger = await signInAt(strict);
    assert.equal(stranger.body.data.mode, 'register');
    assert.notEqual(stranger.body.data.user_id, victim.userId);
    assert.equal((await personOf(strict.app, stranger).ask('GET', '/v1/me')).body.data.email, null);

    await using trusting = await start(engine, { settings: { IDP_EMAIL_TRUSTED: 'true' } });
    const owner = await signIn(trusting.app, 'ada@example.org');
    trusting.provider.person = { sub: 'subject-1', email: 'ada@example.org', email_verified: false };
    const linked = await signInAt(trusting);
    assert.deepEqual([linked.body.data.mode, linked.body.data.user_id], ['link', owner.userId]);
  });

  it('groups decide anew at each sign-in who is admitted and who administers', async () => {
    const settings = {
      IDP_SCOPES: 'openid email profile groups',
      IDP_ALLOWED_GROUPS: 'family,friends',
      IDP_ADMIN_GROUPS: '["cn=admins,dc=home"]',
    };
    // Only the userinfo endpoint tells the groups, as at several providers.
    await using deployment = await start(engine, { settings, userInfoOnly: true });
    const { app, provider } = deployment;
    const { person } = provider;
    for (const groups of [undefined, [], ['strangers'], 7, { family: true }]) {
      provider.person = { ...person, groups };
      const refused = await signInAt(deployment);
      assert.deepEqual([refused.status, codeOf(refused)], [403, 'group_required'], JSON.stringify(groups));
    }
    assert.equal(await countUsers(app), 0);
    provider.person = { ...person, groups: ['friends', 'cn=admins,dc=home'] };
    const admitted = await signInAt(deployment);
    assert.equal(admitted.status, 200);
    assert.equal(await isAdmin(app), true);
    provider.person = { ...person, groups: 'family' };
    assert.equal((await signInAt(deployment)).status, 200);
    assert.equal(await isAdmin(app), false, 'no longer in the group');

    provider.person = { ...person, groups: ['family', 'cn=admins,dc=home'] };
    const ada = personOf(app, await signInAt(deployment));
    await enableSecondFactor(app, ada);
    assert.equal((await signInAt(deployment)).body.data.status, 'mfa_required');
    provider.person = { ...person, groups: ['cn=admins,dc=home'] };
    assert.equal(codeOf(await signInAt(deployment)), 'group_required');
    assert.equal(await isAdmin(app), false, 'refused');
    assert.equal(await isSignedIn(ada), false);
    const waiting = await app.db.selectFrom('mfa_challenges').selectAll().execute();
    assert.deepEqual(waiting, [], 'a sign-in that waited for the second factor');
  });

  it('SIGN_UP stands above IDP_SIGN_UP, and neither refuses a person who has an account', async () => {
    for (const settings of [{ IDP_SIGN_UP: 'false' }, { SIGN_UP: 'invite' }]) {
      await using deployment = await start(engine, { settings });
      assert.equal(codeOf(await signInAt(deployment)), 'sign_up_closed', JSON.stringify(settings));
      const ada = await createPerson(deployment.app, 'ada@example.org');
      assert.equal((await signInAt(deployment)).body.data.user_id, ada.userId);
    }
    await using open = await start(engine, { settings: { SIGN_UP: 'invite' } });
    const host = await createPerson(open.app);
    const space = (await host.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const { token } = (await host.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
    const { url, ticket } = await begin(open);
    const invited = await finish(open.app, ticket, await answerAt(url), { 'x-invite': token });
    assert.equal(invited.body.data.mode, 'register');
  });

  it('who is in an allowed group gets an account without an invitation, and nobody else does', async () => {
    const groups = { IDP_SCOPES: 'openid email profile groups', IDP_ALLOWED_GROUPS: 'family' };
    for (const rules of [{ SIGN_UP: 'invite' }, { SIGN_UP_DOMAINS: 'work.test' }]) {
      await using deployment = await start(engine, { settings: { ...groups, ...rules } });
      const { app, provider } = deployment;
      const { person } = provider;
      const stranger = receiveCode(app, 'eve@else.test').then((code) => verifyCode(app, 'eve@else.test', code));
      await assert.rejects(stranger, 'an address that nobody invited gets no code');
      provider.person = { ...person, groups: ['strangers'] };
      assert.equal(codeOf(await signInAt(deployment)), 'group_required');
      assert.equal(await countUsers(app), 0);
      // Without an address, too: the group alone decides.
      provider.person = { sub: 'subject-2', groups: ['family'] };
      assert.equal((await signInAt(deployment)).body.data?.mode, 'register', JSON.stringify(rules));
    }
    const settings = { ...groups, SIGN_UP: 'invite', IDP_SIGN_UP: 'false' };
    await using closed = await start(engine, { settings });
    closed.provider.person = { sub: 'subject-1', groups: ['family'] };
    assert.equal(codeOf(await signInAt(closed)), 'sign_up_closed');
  });

  it('signing out names the session by its identity token, which no script and no other person can read', async () => {
    await using deployment = await start(engine);
    const { app, provider } = deployment;
    const asApp = { 'x-crescendo-app': '1' };
    const enter = async () => {
      const { url, ticket } = await begin(deployment);
      const answered = await finish(app, ticket, await answerAt(url), asApp);
      const cookie = String(answered.headers['set-cookie']);
      return { token: answered.body.data.session_token as string, cookie };
    };
    const hintAt = async (token: string, cookie: string) => {
      const headers = { ...asApp, authorization: `Bearer ${token}`, cookie: cookie.split(';')[0] ?? '' };
      const { body } = await app.ask({ url: '/app/provider/sign-out', headers });
      return new URL(body.data.url).searchParams.get('id_token_hint');
    };
    const ada = await enter();
    assert.match(ada.cookie, /; Path=\/app\/provider\/sign-out; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const hint = (await hintAt(ada.token, ada.cookie)) ?? '';
    const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.iss, claims.sub, claims.aud], [provider.issuer, 'subject-1', CLIENT_ID]);
    assert.ok(!ada.cookie.includes(hint.split('.')[1] ?? ''), 'the cookie is sealed');
    assert.equal(await hintAt(ada.token, ada.cookie.replace(/.{4};/, 'AAAA;')), null, 'a cookie that was changed');
    provider.person = { sub: 'subject-2' };
    const bob = await enter();
    assert.equal(await hintAt(bob.token, ada.cookie), null, "another person's cookie");
    assert.ok(await hintAt(bob.token, bob.cookie));
    const ended = await app.ask({ method: 'DELETE', url: '/app/session', headers: asApp });
    assert.match(
      String(ended.headers['set-cookie']),
      /crescendo-sign-out=; Path=\/app\/provider\/sign-out;.*Max-Age=0/,
    );
  });

  it('the second factor follows, and the session behind it is the one that the provider can end', async () => {
    await using deployment = await start(engine);
    const { app, provider } = deployment;
    provider.serviceOrigin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enableSecondFactor(app, ada);
    const browser = new TestBrowser();
    const { body } = await signInAt(deployment, browser);
    assert.deepEqual([body.data.status, body.data.session_token], ['mfa_required', null]);
    const payload = { mfa_token: body.data.mfa_token, code: totpCode(app, secret) };
    const person = personOf(app, await app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload }));
    assert.equal(await isSignedIn(person), true);
    // A second sign-in is still waiting when the person signs out at the provider.
    await signInAt(deployment, browser);
    const [challenge] = await app.db.selectFrom('mfa_challenges').selectAll().execute();
    assert.ok(challenge?.identity_id && challenge.provider_sid);
    await provider.confirmSignOut(browser, `${provider.issuer}/session/end`);
    assert.equal((await app.db.selectFrom('mfa_challenges').selectAll().execute()).length, 0);
    assert.deepEqual([await isSignedIn(person), await isSignedIn(ada)], [false, true]);
  });

  it('signing out here leads to the provider, and signing out there ends that session here and no other', async () => {
    await using deployment = await start(engine);
    const { app, provider } = deployment;
    provider.serviceOrigin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const [laptop, phone] = [new TestBrowser(), new TestBrowser()];
    const onLaptop = personOf(app, await signInAt(deployment, laptop));
    const onPhone = personOf(app, await signInAt(deployment, phone));
    const byMail = await signIn(app, 'ada@example.org');
    const urlFor = async (person: Person) => (await person.ask('GET', '/app/provider/sign-out')).body.data.url;
    assert.equal(await urlFor(byMail), null, 'a session that did not begin there');
    const url = new URL(await urlFor(onLaptop));
    assert.deepEqual(
      [url.origin, url.searchParams.get('client_id'), url.searchParams.get('post_logout_redirect_uri')],
      [provider.issuer, CLIENT_ID, `${BASE_URL}/app/sign-in`],
    );
    // The provider tells the service by the back channel before it sends the browser back.
    assert.equal(await provider.confirmSignOut(laptop, url.href), `${BASE_URL}/app/sign-in`);
    const states = await Promise.all([onLaptop, onPhone, byMail].map(isSignedIn));
    assert.deepEqual(states, [false, true, true]);
    assert.ok(
      app.log.some(({ audit, result, sessions }) => audit === 'provider_sign_out' && result === 'ok' && sessions === 1),
    );
  });

  it('a provider that names no session ends all that began there, and none that did not', async () => {
    await using deployment = await start(engine, { client: { backchannel_logout_session_required: false } });
    const { app, provider } = deployment;
    provider.serviceOrigin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const [laptop, phone] = [new TestBrowser(), new TestBrowser()];
    const onLaptop = personOf(app, await signInAt(deployment, laptop));
    const onPhone = personOf(app, await signInAt(deployment, phone));
    const byMail = await signIn(app, 'ada@example.org');
    await provider.confirmSignOut(laptop, `${provider.issuer}/session/end`);
    assert.deepEqual(await Promise.all([onLaptop, onPhone, byMail].map(isSignedIn)), [false, false, true]);
  });

  it('a logout token ends what it names, and one with a single fault ends nothing', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    await using app = await startTestApp(engine, { clock, settings: provider.settings });
    const signInTo = async (sub: string, sid: string) => {
      const identity_token = await provider.issue({ sub, sid });
      return personOf(app, await app.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token } }));
    };
    const people = [await signInTo('ada', 's1'), await signInTo('ada', 's2'), await signInTo('bob', 's3')];
    // At a provider that the service had before, whose sessions may have the same names.
    people.push(await signInTo('cem', 's1'));
    await app.db
      .updateTable('identities')
      .set({ issuer: 'https://former.test' })
      .where('subject', '=', 'cem')
      .execute();
    const states = () => Promise.all(people.map(isSignedIn));
    const events = { [LOGOUT_EVENT]: {} };
    const tell = async (claims: JWTPayload, typ = 'logout+jwt') =>
      (await sendLogoutToken(app, await provider.issue({ events, ...claims }, undefined, typ))).status;
    const now = Math.floor(clock.now().getTime() / 1_000);
    const faults: [JWTPayload, string?][] = [
      [{ sub: 'ada', sid: 's1' }, 'JWT'],
      [{ sub: 'ada', nonce: 'n' }],
      [{ sub: 'ada', events: undefined }],
      [{ sub: 'ada', events: { other: {} } }],
      [{ sub: 'ada', events: LOGOUT_EVENT }],
      [{ sub: undefined as never }],
      [{ sub: 'ada', jti: undefined as never }],
      [{ sub: 'ada', aud: 'another-client' }],
      [{ sub: 'ada', iss: 'https://other.test' }],
      [{ sub: 'ada', exp: now - 60 }],
    ];
    for (const [claims, typ] of faults) assert.equal(await tell(claims, typ), 400, JSON.stringify(claims));
    assert.equal(await tell({ sub: 'bob', sid: 's1' }), 200, 'the session of another person');
    assert.equal(await tell({ sub: 'nobody' }), 200);
    assert.equal(await tell({ sub: undefined as never, sid: 'unknown' }), 200);
    assert.deepEqual(await states(), [true, true, true, true]);
    assert.equal(await tell({ sub: undefined as never, sid: 's1' }), 200);
    assert.deepEqual(await states(), [false, true, true, true]);
    assert.equal(await tell({ sub: 'ada' }), 200);
    assert.deepEqual(await states(), [false, false, true, true]);
  });

  it('a session that began at the provider ends after IDP_SESSION_DAYS, however often it is used', async () => {
    await using deployment = await start(engine, { settings: { IDP_SESSION_DAYS: '2' } });
    const { app } = deployment;
    const ada = personOf(app, await signInAt(deployment));
    const byMail = await signIn(app, 'ada@example.org');
    const [listed] = (await ada.ask('GET', '/v1/auth/sessions')).body.data.toSorted(
      (a: { expires_at: string }, b: { expires_at: string }) => a.expires_at.localeCompare(b.expires_at),
    );
    assert.equal(Date.parse(listed.expires_at) - Date.parse(listed.created_at), 2 * 86_400_000);
    await app.clock.advance('47h');
    assert.deepEqual([await isSignedIn(ada), await isSignedIn(byMail)], [true, true]);
    await app.clock.advance('1h');
    assert.deepEqual([await isSignedIn(ada), await isSignedIn(byMail)], [false, true]);
    assert.equal((await byMail.ask('GET', '/v1/auth/sessions')).body.data.length, 1);
  });
});

onlyOn('sqlite', () => {
  const auth: [string, () => Promise<{ client?: object; settings: Record<string, string> }>][] = [
    ['client_secret_basic', async () => ({ client: {}, settings: {} })],
    [
      'client_secret_post',
      async () => ({
        client: { token_endpoint_auth_method: 'client_secret_post' },
        settings: { IDP_CLIENT_AUTH: 'client_secret_post' },
      }),
    ],
    [
      'none',
      async () => ({
        client: { token_endpoint_auth_method: 'none', client_secret: undefined },
        settings: { IDP_CLIENT_SECRET: '' },
      }),
    ],
    [
      'private_key_jwt',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
        return {
          client: {
            token_endpoint_auth_method: 'private_key_jwt',
            token_endpoint_auth_signing_alg: 'ES256',
            jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] },
          },
          settings: { IDP_CLIENT_KEY: await exportPKCS8(privateKey) },
        };
      },
    ],
  ];
  for (const [name, make] of auth) {
    test(`the service proves who it is by ${name}`, async () => {
      await using deployment = await start('sqlite', await make());
      const { status, body } = await signInAt(deployment);
      assert.equal(status, 200, JSON.stringify(body));
      const call = deployment.provider.calls.find(({ path }) => path === '/token');
      assert.equal(call?.authorization?.startsWith('Basic ') ?? false, name === 'client_secret_basic');
    });
  }

  test('a secret with -._~ is accepted by a provider that does not decode it, and every other one by those that do', async () => {
    await using literal = await start('sqlite', { basic: 'literal' });
    assert.equal((await signInAt(literal)).status, 200);
    const secret = `-._~!*'()%25+&=/?#:@"<>`;
    const settings = { IDP_CLIENT_SECRET: secret };
    await using decoding = await start('sqlite', { client: { client_secret: secret }, settings });
    assert.equal((await signInAt(decoding)).status, 200);
  });

  test('the secret is posted if the provider names no other way', async () => {
    await using deployment = await start('sqlite', {
      discovery: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    });
    assert.equal((await signInAt(deployment)).status, 200);
    const call = deployment.provider.calls.find(({ path }) => path === '/token');
    assert.deepEqual([call?.path, call?.authorization], ['/token', undefined]);
  });

  test('a wrong secret is told apart from a wrong sign-in: the person hears whom to ask, the log says why', async () => {
    await using deployment = await start('sqlite', { settings: { IDP_CLIENT_SECRET: 'not-the-secret' } });
    const refused = await signInAt(deployment);
    assert.deepEqual([refused.status, codeOf(refused)], [503, 'identity_provider_refused']);
    assert.ok(deployment.app.log.some(({ reason }) => /invalid_client|WWW_AUTHENTICATE/.test(String(reason))));
  });

  test('a provider that stalls is given up after eight seconds, and the sign-in can be tried again', async (t) => {
    await using deployment = await start('sqlite');
    const { app, provider } = deployment;
    const { url, ticket } = await begin(deployment);
    const answer = await answerAt(url);
    const limits: number[] = [];
    const giveUp = new AbortController();
    t.mock.method(AbortSignal, 'timeout', (ms: number) => {
      limits.push(ms);
      return giveUp.signal;
    });
    provider.stalls = { path: '/token', seen: () => giveUp.abort(new DOMException('too late', 'TimeoutError')) };
    const stalled = await finish(app, ticket, answer);
    assert.deepEqual([stalled.status, codeOf(stalled)], [503, 'identity_provider_unavailable']);
    assert.ok(limits.length > 0 && limits.every((ms) => ms === 8_000), String(limits));
    t.mock.restoreAll();
    provider.stalls = undefined;
    assert.equal((await finish(app, ticket, answer)).status, 200);
  });

  test('a network has four answers checked at the provider at a time, and keeps no other network waiting', async (t) => {
    await using deployment = await start('sqlite');
    const { app } = deployment;
    const asked: (() => void)[] = [];
    t.mock.method(RelyingParty.prototype, 'finish', async () => {
      await new Promise<void>((resolve) => void asked.push(resolve));
      throw new AppError('wrong_identity_token');
    });
    const { ticket } = await begin(deployment);
    let refused = 0;
    const send = async (remoteAddress: string) => {
      const payload = { ticket, answer: 'code=x' };
      const { status } = await app.ask({ method: 'POST', url: '/app/provider/finish', payload, remoteAddress });
      if (status === 429) refused += 1;
      return status;
    };
    const flood = Array.from({ length: 60 }, () => send('192.0.2.1'));
    await waitUntil(() => refused === 6);
    assert.equal(asked.length, 4);
    const other = send('198.51.100.1');
    await waitUntil(() => asked.length === 5);
    asked.splice(4).forEach((answer) => void answer());
    assert.equal(await other, 401);
    const all = Promise.all(flood);
    for (let left = 54; left > 0; left -= 1) {
      await waitUntil(() => asked.length > 0);
      assert.ok(asked.length <= 4);
      asked.shift()?.();
    }
    assert.equal((await all).length, 60);
  });

  test('wrong answers have a rate, per network and over all others than networks where people sign in', async (t) => {
    await using deployment = await start('sqlite');
    const { app } = deployment;
    assert.equal((await signInAt(deployment)).status, 200);
    let asked = 0;
    t.mock.method(RelyingParty.prototype, 'finish', async () => {
      asked += 1;
      throw new AppError('wrong_identity_token');
    });
    const { ticket } = await begin(deployment);
    const send = async (remoteAddress: string) => {
      const payload = { ticket, answer: 'code=x' };
      const answer = await app.ask({ method: 'POST', url: '/app/provider/finish', payload, remoteAddress });
      return `${answer.status}, ${asked} asked about`;
    };
    const setCount = (counter: string, count: number) =>
      app.db.updateTable('throttles').set({ count }).where('key', '=', hashToken(counter)).execute();
    assert.equal(await send('192.0.2.1'), '401, 1 asked about');
    await setCount('answers per network: 192.0.2.1', 300);
    assert.equal(await send('192.0.2.1'), '429, 1 asked about');
    assert.equal(await send('192.0.2.2'), '401, 2 asked about');
    await setCount('answers: identity provider', 3_000);
    assert.equal(await send('192.0.2.3'), '429, 2 asked about');
    assert.equal(await send('127.0.0.1'), '401, 3 asked about');
  });

  test('all networks have 32 answers checked at a time, and a newcomer waits for four of each network at most', async (t) => {
    await using deployment = await start('sqlite');
    const { app } = deployment;
    const asked: { readonly answer: string; readonly refuse: () => void }[] = [];
    t.mock.method(RelyingParty.prototype, 'finish', async (answer: URLSearchParams) => {
      await new Promise<void>((refuse) => void asked.push({ answer: answer.toString(), refuse }));
      throw new AppError('wrong_identity_token');
    });
    const { ticket } = await begin(deployment);
    const send = (remoteAddress: string, answer: string) =>
      app.ask({ method: 'POST', url: '/app/provider/finish', payload: { ticket, answer }, remoteAddress });
    const flood = Array.from({ length: 100 }, (_, index) => send(`192.0.2.${index % 10}`, 'code=made-up'));
    await waitUntil(() => asked.length === 32);
    const newcomer = send('198.51.100.1', 'code=own');
    let before = 0;
    while (!asked.some(({ answer }) => answer === 'code=own')) {
      asked.shift()?.refuse();
      before += 1;
      await waitUntil(() => asked.length === 32);
    }
    // Ten networks have four places each. Without those, all 100 would be asked before.
    assert.ok(before < 40, `${before} were asked before`);
    const all = Promise.all([...flood, newcomer]);
    for (let left = 101 - before; left > 0; left -= 1) {
      await waitUntil(() => asked.length > 0);
      assert.ok(asked.length <= 32);
      asked.shift()?.refuse();
    }
    assert.equal((await all).length, 101);
  });

  test('a logout token is accepted once and only if it is genuine, and is no identity token, nor the reverse', async () => {
    await using deployment = await start('sqlite');
    const { app, provider } = deployment;
    const seen: string[] = [];
    const tell = (token: string) => sendLogoutToken(app, token);
    provider.onLogoutToken = (token) => void seen.push(token);
    const browser = new TestBrowser();
    const ada = personOf(app, await signInAt(deployment, browser));
    let identityToken = '';
    provider.tamper = (answer) => {
      identityToken = String(answer.id_token);
      return answer;
    };
    await signInAt(deployment);
    await provider.confirmSignOut(browser, `${provider.issuer}/session/end`);
    const [token = ''] = seen;
    for (const wrong of ['x', forge(token), identityToken, '']) {
      const { status, body } = await tell(wrong);
      assert.deepEqual([status, body.error.split(':')[0]], [400, 'wrong_logout_token']);
    }
    assert.equal((await app.ask({ method: 'POST', url: '/app/provider/sign-out' })).status, 400);
    assert.equal(await isSignedIn(ada), true);
    assert.equal((await tell(token)).status, 200);
    assert.equal(await isSignedIn(ada), false);
    assert.equal((await tell(token)).status, 400, 'again');
    const { body } = await app.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token: token } });
    assert.equal(body.error.split(':')[0], 'wrong_identity_token', 'as an identity token');
    // A token that the web app's sign-in was given is of no use to an app.
    const stolen = await app.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token: identityToken } });
    assert.equal(stolen.status, 401);
  });

  test('no code, token, secret, state or verifier is logged, at whatever step the sign-in fails', async () => {
    await using deployment = await start('sqlite', { settings: { LOG_LEVEL: 'trace' } });
    const { app, provider } = deployment;
    const secrets = [SECRET, 'a-planted-error'];
    const attempt = async (change: (answer: string) => string) => {
      const { url, ticket } = await begin(deployment);
      const answer = await answerAt(url);
      secrets.push(ticket, ...new URL(url).searchParams.getAll('nonce'), ...new URLSearchParams(answer).values());
      return finish(app, ticket, change(answer));
    };
    provider.tamper = (answer) => {
      secrets.push(String(answer.id_token), String(answer.access_token));
      return answer;
    };
    const statuses = [];
    statuses.push((await attempt((answer) => answer)).status);
    statuses.push((await attempt((answer) => withParameter(answer, 'iss', 'https://other.test'))).status);
    statuses.push((await attempt((answer) => withParameter(answer, 'error', 'a-planted-error'))).status);
    const { tamper } = provider;
    provider.tamper = (answer) => ({ ...tamper(answer), id_token: forge(String(answer.id_token)) });
    statuses.push((await attempt((answer) => answer)).status);
    provider.tamper = (answer) => ({ ...tamper(answer), token_type: 7 });
    statuses.push((await attempt((answer) => answer)).status);
    assert.deepEqual(statuses, [200, 401, 401, 401, 401]);
    const log = JSON.stringify(app.log);
    const isPublic = (text: string) => text === provider.issuer;
    for (const secret of secrets.filter((text) => !isPublic(text)))
      assert.ok(!log.includes(secret), 'a secret is logged');
  });

  test('whatever is sent as a ticket, an answer or a logout token is refused, and is never a fault', async () => {
    await using deployment = await start('sqlite');
    const { app } = deployment;
    const before = await begin(deployment);
    assert.equal((await finish(app, before.ticket, await answerAt(before.url))).status, 200);
    const { url, ticket } = await begin(deployment);
    const state = new URL(url).searchParams.get('state') ?? '';
    const parameter = fc.constantFrom('code', 'state', 'iss', 'error', 'user', 'response', 'access_token');
    const parameters = fc.array(fc.tuple(parameter, fc.oneof(fc.string({ unit: CODE_POINT }), fc.constant(state))));
    const answers = fc.oneof(
      parameters.map((pairs) => new URLSearchParams(pairs).toString()),
      fc.string(),
    );
    const tickets = fc.oneof({ arbitrary: fc.constant(ticket), weight: 3 }, { arbitrary: fc.string(), weight: 1 });
    await fc.assert(
      fc.asyncProperty(tickets, answers, async (anyTicket, answer) => {
        assert.ok([401, 422, 429].includes((await finish(app, anyTicket, answer)).status));
        assert.ok([400, 422, 429].includes((await sendLogoutToken(app, answer)).status));
      }),
      { numRuns: sized(60, 2_000) },
    );
    // The provider lives in real time, and its token must not be of the service's future.
    app.clock.set(new Date().toISOString());
    assert.equal((await finish(app, ticket, await answerAt(url))).status, 200, 'the owner signs in all the same');
  });

  test('EMAIL_SIGN_IN=false refuses codes, and the sign-in screen learns which ways there are', async () => {
    const settings = { EMAIL_SIGN_IN: 'false', IDP_NAME: 'Home', IDP_AUTO_REDIRECT: 'true' };
    await using deployment = await start('sqlite', { settings });
    const { app } = deployment;
    const { body } = await app.ask({ url: '/app/sign-in-options' });
    assert.deepEqual(body.data, {
      identity_provider: { name: 'Home', auto_redirect: true },
      email: false,
      mail: 'printed',
      sign_up: 'open',
      passkey_origin: null,
    });
    for (const [path, payload] of [
      ['request', { email: 'ada@example.org' }],
      ['verify', { email: 'ada@example.org', code: '123456' }],
    ] as const) {
      const refused = await app.ask({ method: 'POST', url: `/v1/auth/email/${path}`, payload });
      assert.deepEqual([refused.status, codeOf(refused)], [403, 'email_sign_in_off']);
    }
    assert.equal((await signInAt(deployment)).status, 200);
  });

  test('IDP_ISSUER may be the address of the discovery document', async () => {
    await using provider = await OpenIdProvider.start({ baseUrl: BASE_URL });
    const IDP_ISSUER = `${provider.issuer}/.well-known/openid-configuration`;
    const clock = new FakeClock(new Date().toISOString());
    await using app = await startTestApp('sqlite', { clock, settings: { ...provider.settings, IDP_ISSUER } });
    const { url, ticket } = await begin({ app });
    assert.equal((await finish(app, ticket, await answerAt(url))).status, 200);
    const [identity] = await app.db.selectFrom('identities').select('issuer').execute();
    assert.equal(identity?.issuer, provider.issuer);
  });

  test('without a provider the answer says so', async () => {
    await using app = await startTestApp('sqlite');
    for (const [path, payload] of [
      ['begin', {}],
      ['finish', { ticket: 'x', answer: 'y' }],
    ] as const) {
      const refused = await app.ask({ method: 'POST', url: `/app/provider/${path}`, payload });
      assert.equal(codeOf(refused), 'identity_provider_not_configured');
    }
  });
});

/** The same claims under a signature that nobody made. */
const forge = (token: string) => {
  const [header, payload, signature = ''] = token.split('.');
  return [
    header,
    payload,
    signature.replace(/^.{8}/, (start) => (start === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA')),
  ].join('.');
};
