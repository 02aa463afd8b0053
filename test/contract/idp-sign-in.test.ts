import assert from 'node:assert/strict';
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { type EngineName, onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CLIENT_ID, FakeIdentityProvider } from '../support/identity-provider.ts';
import { openSession, type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

async function start(engine: EngineName, options: { client?: boolean; settings?: Record<string, string> } = {}) {
  const clock = new FakeClock();
  const provider = await FakeIdentityProvider.start(clock);
  const client = options.client ? await provider.clientSettings() : {};
  const settings = { ...provider.settings, ...client, ...options.settings };
  const app = await startTestApp(engine, { clock, settings });
  const dispose = async () => {
    await app[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { app, provider, [Symbol.asyncDispose]: dispose };
}

const signInWith = (app: TestApp, identity_token: string, more: object = {}) =>
  app.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token, ...more } });

const countUsers = async (app: TestApp) => (await app.db.selectFrom('users').select('id').execute()).length;

const firstLine = (mail: string) => mail.trim().split('\n')[1];

const VERIFIED = { email: 'ada@example.org', email_verified: 'true' };

onEveryEngineWith(start, (it, test) => {
  it('the first sign-in creates the account and sets its name; later ones find it and keep the name', async (service) => {
    const { app, provider } = service;
    const first = await signInWith(app, await provider.issue(VERIFIED), { full_name: 'Ada Lovelace' });
    assert.deepEqual([first.status, first.body.data.mode, first.body.data.created], [200, 'register', true]);
    const again = await signInWith(app, await provider.issue({ email: undefined }), { full_name: 'Somebody Else' });
    assert.deepEqual([again.body.data.mode, again.body.data.user_id], ['login', first.body.data.user_id]);
    const ada = personWith(app, 'ada@example.org', again.body.data.user_id, again.body.data.session_token);
    const { body } = await ada.ask('GET', '/v1/me');
    assert.deepEqual([body.data.email, body.data.display_name], ['ada@example.org', 'Ada Lovelace']);
    assert.equal((await signIn(app, 'ada@example.org')).userId, first.body.data.user_id);
  });

  it('a verified email links to the account that has it, whether the flag is a string or a boolean', async (service) => {
    const { app, provider } = service;
    const ada = await signIn(app, 'ada@example.org');
    const bob = await signIn(app, 'bob@example.org');
    const linked = await signInWith(app, await provider.issue({ email: 'Ada@Example.org', email_verified: 'true' }));
    assert.deepEqual([linked.body.data.mode, linked.body.data.created], ['link', false]);
    assert.equal(linked.body.data.user_id, ada.userId);
    const second = await provider.issue({ sub: 'subject-2', email: 'bob@example.org', email_verified: true });
    assert.equal((await signInWith(app, second)).body.data.user_id, bob.userId);
  });

  it('where a second factor is on, the answer says that an account was linked once that is verified', async (service) => {
    const { app, provider } = service;
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enableSecondFactor(app, ada);
    await app.clock.advance('1m');
    const { data } = (await signInWith(app, await provider.issue(VERIFIED))).body;
    assert.deepEqual([data.status, data.mode], ['mfa_required', 'link']);
    const payload = { mfa_token: data.mfa_token, code: totpCode(app, secret) };
    const { body } = await app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload });
    assert.deepEqual([body.data.mode, body.data.created, body.data.user_id], ['link', false, ada.userId]);
  });

  it("an unverified or invalid email creates a new account without it, and never opens another person's", async (service) => {
    const { app, provider } = service;
    const victim = await signIn(app, 'ada@example.org');
    const claims = [
      ...[undefined, false, 'false', 'yes', 1].map((email_verified) => ({ email: 'ada@example.org', email_verified })),
      { email: 'ada@example.org@evil.test', email_verified: true },
    ];
    for (const [index, claim] of claims.entries()) {
      const token = await provider.issue({ sub: `attacker-${index}`, ...claim });
      const { status, body } = await signInWith(app, token);
      assert.deepEqual([status, body.data.mode], [200, 'register']);
      assert.notEqual(body.data.user_id, victim.userId);
      const attacker = personWith(app, '', body.data.user_id, body.data.session_token);
      assert.equal((await attacker.ask('GET', '/v1/me')).body.data.email, null);
    }
  });

  it('a token signs in once until it has expired, and a second signature does not make it another token', async (service) => {
    const { app, provider } = service;
    const key = await provider.addEllipticKey();
    const token = await provider.issue({ ...VERIFIED, exp: Math.floor(app.clock.now().getTime() / 1_000) + 60 });
    assert.equal((await signInWith(app, token)).status, 200);
    for (let seconds = 0; seconds <= 120; seconds += 10) {
      const { status, body } = await signInWith(app, token);
      assert.deepEqual([status, body.error.split(':')[0]], [401, 'wrong_identity_token'], `after ${seconds} s`);
      await app.clock.advance('10s');
    }
    assert.equal((await signInWith(app, await provider.issue(VERIFIED))).body.data.mode, 'login');

    const first = await provider.issue({ jti: 'one' }, key);
    const second = await provider.issue({ jti: 'one' }, key);
    assert.notEqual(first, second);
    assert.equal((await signInWith(app, first)).status, 200);
    assert.equal((await signInWith(app, second)).status, 401);
  });

  test('of concurrent sign-ins with one token, exactly one succeeds', async ({ app, provider }) => {
    const token = await provider.issue(VERIFIED);
    const answers = await Promise.all(Array.from({ length: 4 }, () => signInWith(app, token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  it('a token with a single fault is refused, and no account is created', async ({ app, provider }) => {
    const now = Math.floor(app.clock.now().getTime() / 1_000);
    const { privateKey } = await generateKeyPair('RS256');
    const claims = { iss: provider.issuer, aud: CLIENT_ID, sub: 'x', iat: now, exp: now + 600 };
    const bad: [string, string][] = [
      ['wrong audience', await provider.issue({ aud: 'org.example.other' })],
      ['wrong issuer', await provider.issue({ iss: 'https://appleid.apple.com' })],
      ['expired', await provider.issue({ exp: now - 60 })],
      ['no subject', await provider.issue({ sub: undefined as never })],
      ['audience null', await provider.issue({ aud: null as never })],
      ['audience a number', await provider.issue({ aud: 7 as never })],
      ['no issuer', await provider.issue({ iss: undefined as never })],
      ['issuer a list', await provider.issue({ iss: [provider.issuer] as never })],
      ['issuer with a slash', await provider.issue({ iss: `${provider.issuer}/` })],
      ['expiry a text', await provider.issue({ exp: String(now + 600) as never })],
      ['no time of issue', await provider.issue({ iat: undefined as never })],
      ['not before a text', await provider.issue({ nbf: String(now) as never })],
      ['not yet valid', await provider.issue({ nbf: now + 600 })],
      ['algorithm none', new UnsecuredJWT(claims).encode()],
      ['HS256 with the public key', await provider.issue({}, { alg: 'HS256', key: await provider.publicKeyPem() })],
      ['signed with another key', await provider.issue({}, { alg: 'RS256', key: privateKey })],
      ['garbage', 'garbage'],
      ['empty', ''],
    ];
    for (const [name, token] of bad) {
      const { status, body } = await signInWith(app, token);
      assert.deepEqual([status, body.error?.split(':')[0]], [401, 'wrong_identity_token'], name);
    }
    assert.equal(await countUsers(app), 0);
  });

  it('a token that was asked for with a nonce signs in once, within ten minutes, and only its own request', async (service) => {
    const { app, provider } = service;
    const ask = async () => {
      const { body, headers } = await app.ask({ method: 'POST', url: '/v1/auth/idp/request' });
      assert.equal(body.data.expires_in_seconds, 600);
      return { nonce: String(body.data.nonce), token: String(headers['x-sign-in-request']) };
    };
    const answer = async (nonce: unknown, token: string | undefined, claims: JWTPayload = {}) => {
      const identity_token = await provider.issue({ ...VERIFIED, ...claims, nonce });
      const headers = token === undefined ? {} : { 'x-sign-in-request': token };
      return (await app.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token }, headers })).status;
    };
    const [mine, other, late] = [await ask(), await ask(), await ask()];
    const stored = () => app.db.selectFrom('throttles').select('key').execute();
    assert.deepEqual(await stored(), [], 'anyone can ask, so asking stores nothing');
    const [version, keyId, ...sealed] = late.token.split('.');
    const wrong: [string, unknown, string | undefined][] = [
      ['no nonce', undefined, mine.token],
      ['nonce null', null, mine.token],
      ['nonce empty', '', mine.token],
      ['nonce a list', [mine.nonce], mine.token],
      ['nonce of another request', other.nonce, mine.token],
      ['token of the request in place of the nonce', mine.token, mine.token],
      ['intercepted, without the token of the request', mine.nonce, undefined],
      ['a nonce that looks like ours', 'nc_forged', undefined],
      ['token of a request for an emailed code', mine.nonce, `sr_${mine.token.slice(3)}`],
      ['a request that was never made', mine.nonce, `pr_${'a'.repeat(43)}`],
      ['a request sealed with an unknown key', late.nonce, [version, 'a'.repeat(8), ...sealed].join('.')],
      ['a request that was changed', late.nonce, [version, keyId, ...sealed.slice(0, -1), 'AAAA'].join('.')],
    ];
    for (const [name, nonce, token] of wrong) assert.equal(await answer(nonce, token), 401, name);
    assert.equal(await countUsers(app), 0);
    assert.equal(await answer(mine.nonce, mine.token), 200);
    assert.equal(await answer(mine.nonce, mine.token), 401, 'a second token with the same nonce');
    const once = { jti: undefined as never };
    const both = await Promise.all([answer(other.nonce, other.token, once), answer(other.nonce, other.token, once)]);
    assert.deepEqual(both.sort(), [200, 401]);
    await app.clock.advance('10m');
    assert.equal(await answer(late.nonce, late.token), 401, 'ten minutes later');
    // A client that uses a nonce of its own, or none, signs in as before.
    for (const nonce of [undefined, 'own']) assert.equal(await answer(nonce, undefined), 200);
    const keys = (await stored()).map(({ key }) => key);
    for (const { nonce, token } of [mine, other, late])
      assert.ok(!keys.some((key) => key.includes(nonce) || key.includes(token)), 'stored in clear');
  });

  it('wrong identity tokens of others never refuse a right one from the same address', async ({ app, provider }) => {
    for (let count = 0; count < 101; count += 1) await signInWith(app, 'garbage');
    assert.equal((await signInWith(app, 'garbage')).status, 429);
    assert.equal((await signInWith(app, await provider.issue(VERIFIED))).status, 200);
  });

  it('the owner is told when a provider is linked, and when it is used from a new network', async (service) => {
    const { app, provider } = service;
    const ada = await signIn(app, 'ada@example.org');
    const notices = () => app.printed.filter((text) => text.includes('If this was not you')).map(firstLine);
    const signInFrom = async (remoteAddress: string, claims: JWTPayload) => {
      const payload = { identity_token: await provider.issue(claims) };
      assert.equal((await app.ask({ method: 'POST', url: '/v1/auth/idp', payload, remoteAddress })).status, 200);
    };
    await signInFrom('127.0.0.1', VERIFIED);
    await waitUntil(() => notices().length === 1);
    for (const address of ['127.0.0.1', '10.0.0.1', '10.0.0.1']) await signInFrom(address, {});
    await waitUntil(() => notices().length === 2);
    assert.deepEqual(notices(), [
      'New way to sign in to your Crescendo account',
      'New sign-in to your Crescendo account',
    ]);
    // Also before the second factor is verified: the link exists already.
    const mfa_enabled_at = app.clock.now();
    await app.db.updateTable('users').set({ mfa_enabled_at }).where('id', '=', ada.userId).execute();
    await signInFrom('127.0.0.1', { ...VERIFIED, sub: 'another subject' });
    await waitUntil(() => notices().length === 3);
    await app.db.updateTable('users').set({ mfa_enabled_at: null }).where('id', '=', ada.userId).execute();
    // An account without an address has nobody to write to.
    for (const address of ['127.0.0.1', '10.0.0.2']) await signInFrom(address, { sub: 'without an address' });
    await signInFrom('10.0.0.3', {});
    await waitUntil(() => notices().length === 4);
    assert.ok(app.printed.every((text) => text.includes(`Mail to ${ada.email} `)));
  });

  it('attempts during an outage of the provider do not count as wrong proofs', async ({ app, provider }) => {
    const token = await provider.issue(VERIFIED);
    provider.down = true;
    for (let count = 0; count < 101; count += 1) assert.equal((await signInWith(app, token)).status, 503);
    assert.ok(await signIn(app, 'bob@example.org'));
  });

  it('the keys of the provider are cached; unknown key ids do not each cause a fetch', async ({ app, provider }) => {
    for (let count = 0; count < 3; count += 1) await signInWith(app, await provider.issue());
    assert.equal(provider.keyRequests, 1);
    for (let count = 0; count < 5; count += 1) {
      const foreign = await provider.issue({}, { alg: 'HS256', key: new Uint8Array(32), kid: `unknown-${count}` });
      assert.equal((await signInWith(app, foreign)).status, 401);
    }
    assert.ok(provider.keyRequests <= 2, `${provider.keyRequests} requests`);
  });

  test('concurrent sign-ins of one new identity create one account', async ({ app, provider }) => {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => provider.issue(VERIFIED)));
    const answers = await Promise.all(tokens.map((token) => signInWith(app, token)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(new Set(answers.map(({ body }) => body.data.user_id)).size, 1);
    assert.equal(await countUsers(app), 1);
  });
});

onEveryEngine((engine, it) => {
  it('without the keys of the issuer itself, because the provider is down or names another, the answer is 503', async () => {
    for (const fault of [{ down: true }, { foreignIssuer: 'https://provider.test' }]) {
      await using deployment = await start(engine);
      const { app, provider } = deployment;
      const token = await provider.issue(VERIFIED);
      Object.assign(provider, fault);
      const { status, body, headers } = await signInWith(app, token);
      assert.deepEqual([status, body.error.split(':')[0]], [503, 'identity_provider_unavailable']);
      assert.ok(headers['retry-after']);
      assert.deepEqual([await countUsers(app), provider.keyRequests], [0, 0]);
      Object.assign(provider, { down: false, foreignIssuer: undefined });
      assert.equal((await signInWith(app, token)).status, 200);
    }
  });

  it('the refresh token is stored sealed, and its revocation is retried after the account is deleted', async () => {
    await using deployment = await start(engine, { client: true });
    const { app, provider } = deployment;
    const { body } = await signInWith(app, await provider.issue(VERIFIED), { authorization_code: 'one-time-code' });
    const [exchange] = provider.calls;
    assert.equal(exchange?.path, '/auth/token');
    assert.deepEqual([exchange?.fields.code, exchange?.fields.client_id], ['one-time-code', CLIENT_ID]);
    assert.match(exchange?.fields.client_secret ?? '', /^ey/);
    const [identity] = await app.db.selectFrom('identities').selectAll().execute();
    assert.ok(identity?.refresh_token);
    assert.doesNotMatch(identity.refresh_token, /refresh-token-of-the-provider/);

    provider.down = true;
    const ada = personWith(app, '', body.data.user_id, body.data.session_token);
    assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    assert.equal(await countUsers(app), 0);
    await waitUntilLogged(app, 'the identity provider did not accept a revocation; it will be retried');
    provider.down = false;
    await advanceUntilRevoked(app);
    const revocation = provider.calls.find(({ path }) => path === '/auth/revoke');
    assert.equal(revocation?.fields.token, 'r.refresh-token-of-the-provider');
    assert.equal(revocation?.fields.client_id, CLIENT_ID);
  });

  it('where groups decide, the people of the provider get in through it alone, and a lost group signs them out', async () => {
    await using deployment = await start(engine, { settings: { IDP_ALLOWED_GROUPS: 'family' } });
    const { app, provider } = deployment;
    const [byMail, bob] = [await signIn(app, 'ada@example.org'), await signIn(app, 'bob@example.org')];
    const [phone, bobsPhone] = [new Authenticator(), new Authenticator()];
    assert.equal((await addPasskey(byMail, phone)).status, 200);
    assert.equal((await addPasskey(bob, bobsPhone)).status, 200);
    const atProvider = async (groups: string[]) =>
      signInWith(app, await provider.issue({ ...VERIFIED, groups, jti: crypto.randomUUID() }));
    const outcome = ({ status, body }: Answer) => [status, body.error?.split(':')[0]];
    const byCode = async (email: string) => outcome(await verifyCode(app, email, await receiveCode(app, email)));
    const byPasskey = async (device: Authenticator) => {
      const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
      return outcome(
        await app.ask({ method: 'POST', url: '/v1/auth/passkey', payload: { credential: device.get(options) } }),
      );
    };
    const isSignedIn = async (person: Person) => (await person.ask('GET', '/v1/me')).status === 200;

    const { data } = (await atProvider(['family'])).body;
    assert.deepEqual([data.mode, data.user_id], ['link', byMail.userId]);
    const ada = personWith(app, '', data.user_id, data.session_token);
    assert.deepEqual([await isSignedIn(byMail), await isSignedIn(ada)], [false, true]);
    const refused = [403, 'provider_required'];
    assert.deepEqual([await byCode('ada@example.org'), await byPasskey(phone)], [refused, refused]);
    assert.deepEqual(outcome(await ada.ask('POST', '/v1/passkeys/begin')), refused);

    // A session from before the groups were set.
    const older = personWith(app, '', ada.userId, await openSession(app, ada.userId));
    assert.deepEqual(outcome(await atProvider(['strangers'])), [403, 'group_required']);
    assert.deepEqual([await isSignedIn(ada), await isSignedIn(older)], [false, false]);
    assert.deepEqual([await byCode('ada@example.org'), await byPasskey(phone)], [refused, refused]);
    assert.equal((await atProvider(['family'])).status, 200);
    // Who has no identity there is no concern of its groups.
    assert.deepEqual(
      [await isSignedIn(bob), await byCode('bob@example.org'), await byPasskey(bobsPhone)],
      [true, [200, undefined], [200, undefined]],
    );
  });

  it('a spent authorization code does not prevent the sign-in', async () => {
    await using deployment = await start(engine, { client: true });
    const { app, provider } = deployment;
    provider.refreshToken = undefined;
    assert.equal((await signInWith(app, await provider.issue(), { authorization_code: 'spent' })).status, 200);
  });

  it('without IDP_AUDIENCE the answer says that the identity provider is not configured', async () => {
    await using app = await startTestApp(engine);
    const { status, body } = await signInWith(app, 'anything');
    assert.deepEqual([status, body.error.split(':')[0]], [503, 'identity_provider_not_configured']);
  });
});

const waitUntilLogged = (app: TestApp, message: string) => waitUntil(() => app.log.some(({ msg }) => msg === message));

/** The service may still be storing the failed attempt, and chooses the moment of the next one after that. */
const advanceUntilRevoked = (app: TestApp) =>
  waitUntil(async () => {
    await app.clock.advance('10m');
    return (await app.db.selectFrom('provider_revocations').select('id').execute()).length === 0;
  });
