import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { type Bed, startBed } from '../support/bed.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CLIENT_ID, FakeIdentityProvider } from '../support/identity-provider.ts';
import { personWith, signIn } from '../support/people.ts';

async function start(engine: EngineName, options: { client?: boolean } = {}) {
  const clock = new FakeClock();
  const provider = await FakeIdentityProvider.start(clock);
  const settings = { ...provider.settings, ...(options.client ? await provider.clientSettings() : {}) };
  const bed = await startBed(engine, { clock, settings });
  const dispose = async () => {
    await bed[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { bed, provider, [Symbol.asyncDispose]: dispose };
}

const signInWith = (bed: Bed, identity_token: string, more: object = {}) =>
  bed.ask({ method: 'POST', url: '/v1/auth/idp', payload: { identity_token, ...more } });

const countUsers = async (bed: Bed) => (await bed.db.selectFrom('users').select('id').execute()).length;

const VERIFIED = { email: 'ada@example.org', email_verified: 'true' };

onEveryEngine((engine) => {
  test('an identity makes an account once and finds it ever after, and its name is taken once', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const first = await signInWith(bed, await provider.issue(VERIFIED), { full_name: 'Ada Lovelace' });
    assert.deepEqual([first.status, first.body.data.mode, first.body.data.created], [200, 'register', true]);
    const again = await signInWith(bed, await provider.issue({ email: undefined }), { full_name: 'Somebody Else' });
    assert.deepEqual([again.body.data.mode, again.body.data.user_id], ['login', first.body.data.user_id]);
    const ada = personWith(bed, 'ada@example.org', again.body.data.user_id, again.body.data.session_token);
    const { body } = await ada.ask('GET', '/v1/me');
    assert.deepEqual([body.data.email, body.data.display_name], ['ada@example.org', 'Ada Lovelace']);
    assert.equal((await signIn(bed, 'ada@example.org')).userId, first.body.data.user_id);
  });

  test('a verified email links to the account that has it, whether the flag is text or a boolean', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const ada = await signIn(bed, 'ada@example.org');
    const bob = await signIn(bed, 'bob@example.org');
    const linked = await signInWith(bed, await provider.issue({ email: 'Ada@Example.org', email_verified: 'true' }));
    assert.deepEqual([linked.body.data.mode, linked.body.data.created], ['link', false]);
    assert.equal(linked.body.data.user_id, ada.userId);
    const second = await provider.issue({ sub: 'subject-2', email: 'bob@example.org', email_verified: true });
    assert.equal((await signInWith(bed, second)).body.data.user_id, bob.userId);
  });

  test("an unverified email of somebody else gets an account of its own, never that person's", async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const victim = await signIn(bed, 'ada@example.org');
    for (const [index, email_verified] of [undefined, false, 'false', 'yes', 1].entries()) {
      const token = await provider.issue({ sub: `attacker-${index}`, email: 'ada@example.org', email_verified });
      const { status, body } = await signInWith(bed, token);
      assert.deepEqual([status, body.data.mode], [200, 'register']);
      assert.notEqual(body.data.user_id, victim.userId);
      const attacker = personWith(bed, '', body.data.user_id, body.data.session_token);
      assert.equal((await attacker.ask('GET', '/v1/me')).body.data.email, null);
    }
  });

  test('a token that is not right in every respect signs nobody in and touches no account', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const now = Math.floor(bed.clock.now().getTime() / 1_000);
    const stranger = await FakeIdentityProvider.start(bed.clock);
    const claims = { iss: provider.issuer, aud: CLIENT_ID, sub: 'x', iat: now, exp: now + 600 };
    const bad: [string, string][] = [
      ['wrong audience', await provider.issue({ aud: 'org.example.other' })],
      ['wrong issuer', await provider.issue({ iss: 'https://appleid.apple.com' })],
      ['expired', await provider.issue({ exp: now - 60 })],
      ['no expiry', await provider.issue({ exp: undefined as never })],
      ['no subject', await provider.issue({ sub: undefined as never })],
      ['not yet valid', await provider.issue({ nbf: now + 600 })],
      ['algorithm none', new UnsecuredJWT(claims).encode()],
      ['HS256 with the public key', await provider.issue({}, { alg: 'HS256', key: await provider.publicKeyPem() })],
      ["signed by somebody else's key", await stranger.issue({ iss: provider.issuer })],
      ['garbage', 'garbage'],
      ['empty', ''],
    ];
    for (const [name, token] of bad) {
      const { status, body } = await signInWith(bed, token);
      assert.deepEqual([status, body.error.split(':')[0]], [401, 'wrong_identity_token'], name);
    }
    assert.equal(await countUsers(bed), 0);
    await stranger[Symbol.asyncDispose]();
  });

  test('a provider that cannot be reached is 503, never a login', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const token = await provider.issue(VERIFIED);
    provider.down = true;
    const { status, body, headers } = await signInWith(bed, token);
    assert.deepEqual([status, body.error.split(':')[0]], [503, 'identity_provider_unavailable']);
    assert.ok(headers['retry-after']);
    assert.equal(await countUsers(bed), 0);
    provider.down = false;
    assert.equal((await signInWith(bed, token)).status, 200);
  });

  test('an outage of the provider counts as no one’s guessing', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const token = await provider.issue(VERIFIED);
    provider.down = true;
    for (let count = 0; count < 101; count += 1) assert.equal((await signInWith(bed, token)).status, 503);
    assert.ok(await signIn(bed, 'bob@example.org'));
  });

  test('keys are cached, and asked for again when an unknown one appears, but not for every stranger', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    for (let count = 0; count < 3; count += 1) await signInWith(bed, await provider.issue());
    assert.equal(provider.keyRequests, 1);
    for (let count = 0; count < 5; count += 1) {
      const foreign = await provider.issue({}, { alg: 'HS256', key: new Uint8Array(32), kid: `unknown-${count}` });
      assert.equal((await signInWith(bed, foreign)).status, 401);
    }
    assert.ok(provider.keyRequests <= 2, `${provider.keyRequests} requests`);
  });

  test('the same identity signing in twice at once makes one account', async () => {
    await using world = await start(engine);
    const { bed, provider } = world;
    const token = await provider.issue(VERIFIED);
    const answers = await Promise.all(Array.from({ length: 4 }, () => signInWith(bed, token)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(new Set(answers.map(({ body }) => body.data.user_id)).size, 1);
    assert.equal(await countUsers(bed), 1);
  });

  test('the refresh token is kept sealed, and revoked after the account is deleted, however long that takes', async () => {
    await using world = await start(engine, { client: true });
    const { bed, provider } = world;
    const { body } = await signInWith(bed, await provider.issue(VERIFIED), { authorization_code: 'one-time-code' });
    const [exchange] = provider.calls;
    assert.equal(exchange?.path, '/auth/token');
    assert.deepEqual([exchange?.fields.code, exchange?.fields.client_id], ['one-time-code', CLIENT_ID]);
    assert.match(exchange?.fields.client_secret ?? '', /^ey/);
    const [identity] = await bed.db.selectFrom('identities').selectAll().execute();
    assert.ok(identity?.refresh_token);
    assert.doesNotMatch(identity.refresh_token, /refresh-token-of-the-provider/);

    provider.down = true;
    const ada = personWith(bed, '', body.data.user_id, body.data.session_token);
    assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    assert.equal(await countUsers(bed), 0);
    await untilLogged(bed, 'the identity provider took no revocation yet');
    provider.down = false;
    await bed.clock.advance('10m');
    await untilRevoked(bed);
    const revocation = provider.calls.find(({ path }) => path === '/auth/revoke');
    assert.equal(revocation?.fields.token, 'r.refresh-token-of-the-provider');
    assert.equal(revocation?.fields.client_id, CLIENT_ID);
  });

  test('a spent authorization code does not keep a person out', async () => {
    await using world = await start(engine, { client: true });
    const { bed, provider } = world;
    provider.refreshToken = undefined;
    assert.equal((await signInWith(bed, await provider.issue(), { authorization_code: 'spent' })).status, 200);
  });

  test('without an audience this way to sign in is off and says so', async () => {
    await using bed = await startBed(engine);
    const { status, body } = await signInWith(bed, 'anything');
    assert.deepEqual([status, body.error.split(':')[0]], [503, 'identity_provider_not_configured']);
  });
});

/** Waits for the service's own background work, turn by turn of the event loop, for a bounded number of turns. */
async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    if (await isDone()) return;
    await new Promise(setImmediate);
  }
  assert.fail('it never happened');
}

const untilLogged = (bed: Bed, message: string) => until(() => bed.log.some(({ msg }) => msg === message));

const untilRevoked = (bed: Bed) =>
  until(async () => (await bed.db.selectFrom('provider_revocations').select('id').execute()).length === 0);
