import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { newId } from '../../src/lib/ids.ts';
import { Authenticator, addPasskey, type Lies } from '../support/authenticator.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, openSession, type Person, personWith, signIn } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const errorOf = ({ status, body }: Answer): string => `${status} ${String(body?.error ?? '').split(':')[0]}`;

const begin = async (app: TestApp) =>
  (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data.options;

const send = (app: TestApp, credential: object, remoteAddress = '127.0.0.1'): Promise<Answer> =>
  app.ask({ method: 'POST', url: '/v1/auth/passkey', payload: { credential }, remoteAddress });

const signInWith = async (app: TestApp, phone: Authenticator, lies: Lies = {}): Promise<Answer> =>
  send(app, phone.get(await begin(app), lies));

const beginAdding = async (person: Person) => (await person.ask('POST', '/v1/passkeys/begin')).body.data.options;

/** An account without an address, as an identity provider makes it. */
async function createPersonWithoutEmail(app: TestApp): Promise<Person> {
  const person = await createPerson(app);
  await app.db.updateTable('users').set({ email: null }).where('id', '=', person.userId).execute();
  return person;
}

const countRows = async ({ db }: TestApp, table: 'throttles' | 'passkeys') =>
  (await db.selectFrom(table).selectAll().execute()).length;

onEveryEngine((engine, it) => {
  it('a passkey is added, signs in without an address, is renamed, and signs in no more once it is removed', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const phone = new Authenticator();
    const options = await beginAdding(ada);
    assert.deepEqual(
      [options.rp.id, options.user.name, options.attestation, options.authenticatorSelection.residentKey],
      ['localhost', 'ada@example.org', 'none', 'required'],
    );
    assert.equal(options.authenticatorSelection.userVerification, 'required');
    const added = await ada.ask('POST', '/v1/passkeys', { name: 'Phone', credential: phone.create(options) });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    const { id, ...shown } = added.body.data;
    assert.deepEqual(shown, { name: 'Phone', created_at: app.clock.now().toISOString(), last_used_at: null });
    assert.deepEqual(
      (await beginAdding(ada)).excludeCredentials.map((known: { id: string }) => known.id),
      [phone.credentialId],
    );

    await app.clock.advance('1h');
    assert.deepEqual(await begin(app).then(({ rpId, userVerification }) => [rpId, userVerification]), [
      'localhost',
      'required',
    ]);
    const signedIn = await signInWith(app, phone);
    assert.deepEqual(
      { ...signedIn.body.data, session_token: typeof signedIn.body.data.session_token },
      {
        status: 'authenticated',
        mode: 'login',
        created: false,
        user_id: ada.userId,
        session_token: 'string',
        mfa_token: null,
        methods: null,
      },
    );
    const again = personWith(app, ada.email, ada.userId, signedIn.body.data.session_token);
    const renamed = await again.ask('PATCH', `/v1/passkeys/${id}`, { name: 'Old phone' });
    assert.deepEqual(renamed.body.data, {
      id,
      ...shown,
      name: 'Old phone',
      last_used_at: app.clock.now().toISOString(),
    });
    assert.deepEqual((await ada.ask('GET', '/v1/passkeys')).body.data, [renamed.body.data]);

    const challenge = await begin(app);
    assert.equal((await again.ask('DELETE', `/v1/passkeys/${id}`)).status, 200);
    assert.equal(errorOf(await send(app, phone.get(challenge))), '401 unknown_passkey');
    assert.deepEqual((await ada.ask('GET', '/v1/passkeys')).body.data, []);
    assert.equal(errorOf(await ada.ask('DELETE', `/v1/passkeys/${id}`)), '404 not_found');
  });

  it('a passkey is enough where the second factor is on, and a sign-in with it is recent', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const phone = new Authenticator();
    assert.equal((await addPasskey(ada, phone)).status, 200);
    const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const code = generateSync({ secret, epoch: Math.floor(app.clock.now().getTime() / 1_000) });
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code })).status, 200);
    await app.clock.advance('16m');
    assert.equal(errorOf(await ada.ask('POST', '/v1/passkeys/begin')), '403 recent_sign_in_required');
    const { data } = (await signInWith(app, phone)).body;
    assert.deepEqual([data.status, data.user_id], ['authenticated', ada.userId]);
    assert.equal((await addPasskey(personWith(app, ada.email, ada.userId, data.session_token))).status, 200);
  });

  test('a signature signs in once, also if it is sent twice at the same moment', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const phone = new Authenticator();
    await addPasskey(ada, phone);
    const credential = phone.get(await begin(app));
    const both = await Promise.all([send(app, credential), send(app, credential)]);
    assert.deepEqual(both.map(errorOf).sort(), ['200 ', '401 sign_in_expired']);
    assert.equal(errorOf(await send(app, credential)), '401 sign_in_expired');
    assert.equal((await signInWith(app, phone)).status, 200);
  });

  it('a proof for another place, purpose, account or moment, or without a verified user, signs nobody in', async () => {
    await using app = await startTestApp(engine);
    const [ada, eve] = [await createPerson(app), await createPerson(app)];
    const [phone, evesPhone] = [new Authenticator(), new Authenticator()];
    await addPasskey(ada, phone);
    await addPasskey(eve, evesPhone);
    const handle = Buffer.from(ada.userId).toString('base64url');
    const adding = (await beginAdding(ada)).challenge;
    const old = (await begin(app)).challenge;
    await app.clock.advance('5m');
    const attacks: [Authenticator, Lies, string][] = [
      [phone, { origin: 'https://localhost:8080' }, '401 wrong_passkey'],
      [phone, { origin: 'http://localhost:8081' }, '401 wrong_passkey'],
      [phone, { origin: 'http://evil.test' }, '401 wrong_passkey'],
      [phone, { rpId: 'evil.test' }, '401 wrong_passkey'],
      [phone, { userVerified: false }, '401 wrong_passkey'],
      [phone, { type: 'webauthn.create' }, '401 wrong_passkey'],
      // Another account's credential, by its id or by its user.
      [evesPhone, { credentialId: phone.credentialId, userHandle: handle }, '401 wrong_passkey'],
      [evesPhone, { userHandle: handle }, '401 wrong_passkey'],
      [phone, { userHandle: '' }, '401 wrong_passkey'],
      [phone, { crossOrigin: true }, '401 sign_in_expired'],
      [phone, { challenge: adding }, '401 sign_in_expired'],
      [phone, { challenge: old }, '401 sign_in_expired'],
      [phone, { challenge: Buffer.alloc(32).toString('base64url') }, '401 sign_in_expired'],
      [new Authenticator(), {}, '401 unknown_passkey'],
    ];
    for (const [index, [authenticator, lies, expected]] of attacks.entries()) {
      const credential = authenticator.get(await begin(app), lies);
      // Each from a network of its own, so that none is refused for the others.
      const answer = await send(app, credential, `10.0.${index}.1`);
      assert.equal(errorOf(answer), expected, JSON.stringify(lies));
    }
    const credential = phone.get(await begin(app));
    const { signature } = credential.response;
    const forged = { ...credential.response, signature: signature.replace(/.{4}$/, 'AAAA') };
    assert.equal(errorOf(await send(app, { ...credential, response: forged })), '401 wrong_passkey');
    assert.equal((await send(app, credential)).body.data.user_id, ada.userId);
  });

  it('a challenge is good for five minutes, to the second', async () => {
    await using app = await startTestApp(engine);
    const phone = new Authenticator();
    await addPasskey(await createPerson(app), phone);
    const [first, second] = [await begin(app), await begin(app)];
    await app.clock.advance('299s');
    assert.equal((await send(app, phone.get(first))).status, 200);
    await app.clock.advance('1s');
    assert.equal(errorOf(await send(app, phone.get(second))), '401 sign_in_expired');
  });

  it('a counter that goes back or stands still is refused, and the owner is told; one that stays 0 is fine', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const [counting, synced] = [new Authenticator(undefined, 4_294_967_000), new Authenticator()];
    await addPasskey(ada, counting);
    await addPasskey(ada, synced);
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await signInWith(app, counting)).status, 200);
      assert.equal((await signInWith(app, synced)).status, 200);
    }
    const { counter } = await app.db
      .selectFrom('passkeys')
      .select('counter')
      .where('credential_id', '=', counting.credentialId)
      .executeTakeFirstOrThrow();
    for (const lower of [counter, counter - 1, 0])
      assert.equal(errorOf(await signInWith(app, counting, { counter: lower })), '401 copied_passkey', `${lower}`);
    await waitUntil(() => app.printed.some((text) => text.includes('may have been copied')));
    const results = app.log.filter(({ audit }) => audit === 'sign_in').map(({ result }) => result);
    assert.ok(results.includes('copied_passkey'));
    assert.equal((await signInWith(app, counting)).status, 200);
  });

  it('a new passkey for another place, session or moment, or without a verified user, is not added', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const elsewhere = personWith(app, ada.email, ada.userId, await openSession(app, ada.userId));
    const eve = await createPerson(app);
    const signingIn = (await begin(app)).challenge;
    const lies: Lies[] = [
      { origin: 'http://evil.test' },
      { rpId: 'evil.test' },
      { userVerified: false },
      { type: 'webauthn.get' },
      { crossOrigin: true },
      { challenge: signingIn },
      { challenge: (await beginAdding(elsewhere)).challenge },
      { challenge: (await beginAdding(eve)).challenge },
    ];
    for (const lie of lies)
      assert.equal(
        errorOf(await addPasskey(ada, new Authenticator(), lie)),
        '403 passkey_refused',
        JSON.stringify(lie),
      );
    const phone = new Authenticator();
    const late = phone.create(await beginAdding(ada));
    await app.clock.advance('5m');
    assert.equal(
      errorOf(await ada.ask('POST', '/v1/passkeys', { name: 'Phone', credential: late })),
      '403 passkey_refused',
    );
    const credential = phone.create(await beginAdding(ada));
    assert.equal((await ada.ask('POST', '/v1/passkeys', { name: 'Phone', credential })).status, 200);
    const replayed = await ada.ask('POST', '/v1/passkeys', { name: 'Phone', credential });
    assert.equal(errorOf(replayed), '403 passkey_refused');
    assert.equal(errorOf(await addPasskey(ada, phone)), '409 passkey_known');
    assert.equal(errorOf(await addPasskey(eve, phone)), '409 passkey_known');
    assert.equal(await countRows(app, 'passkeys'), 1);
  });

  it('a repetition with the same Idempotency-Key answers the same, and adds nothing', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const payload = { name: 'Phone', credential: new Authenticator().create(await beginAdding(ada)) };
    const headers = { authorization: `Bearer ${ada.sessionToken}`, 'idempotency-key': 'once' };
    const post = () => app.ask({ method: 'POST', url: '/v1/passkeys', headers, payload });
    const [first, second] = [await post(), await post()];
    assert.deepEqual([first.status, second.body], [200, first.body]);
    assert.equal(await countRows(app, 'passkeys'), 1);
  });

  it('what an authenticator says about its maker is not read', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    // `fmt` "packed", and an `attStmt` with a signature and a certificate that are none.
    const attestation =
      'a363666d74667061636b65646761747453746d74a363616c672663736967410063783563814100686175746844617461' + '59';
    const phone = new Authenticator();
    assert.equal((await addPasskey(ada, phone, { attestation })).status, 200);
    assert.equal((await signInWith(app, phone)).status, 200);
  });

  test('an account has at most 20 passkeys, also if the last two are added at once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    for (let count = 0; count < 19; count += 1) assert.equal((await addPasskey(ada)).status, 200);
    // Both begin before either ends: the 21st would be refused at its beginning.
    const begun = [await ada.ask('POST', '/v1/passkeys/begin'), await ada.ask('POST', '/v1/passkeys/begin')];
    const credentials = begun.map(({ body }) => new Authenticator().create(body.data.options));
    const answers = await Promise.all(
      credentials.map((credential) => ada.ask('POST', '/v1/passkeys', { name: 'Phone', credential })),
    );
    assert.deepEqual(answers.map(errorOf).sort(), ['200 ', '429 too_many_passkeys']);
    assert.equal(errorOf(await ada.ask('POST', '/v1/passkeys/begin')), '429 too_many_passkeys');
  });

  it('the last way in stays: mail that is sent, the configured provider or another passkey is one', async () => {
    const settings = { IDP_AUDIENCE: 'app', IDP_ISSUER: 'https://idp.test', IDP_JWKS_URL: 'https://idp.test/jwks' };
    await using app = await startTestApp(engine, { settings });
    const ada = await createPersonWithoutEmail(app);
    const first = (await addPasskey(ada)).body.data.id;
    const second = (await addPasskey(ada)).body.data.id;
    assert.equal((await ada.ask('DELETE', `/v1/passkeys/${first}`)).status, 200);
    assert.equal(errorOf(await ada.ask('DELETE', `/v1/passkeys/${second}`)), '409 last_way_in');
    const identity = { id: newId(), user_id: ada.userId, subject: 'ada', client_id: 'app', refresh_token: null };
    const insert = (issuer: string) =>
      app.db
        .insertInto('identities')
        .values({ ...identity, id: newId(), issuer, created_at: app.clock.now() })
        .execute();
    await insert('https://former.test');
    assert.equal(errorOf(await ada.ask('DELETE', `/v1/passkeys/${second}`)), '409 last_way_in');
    await insert('https://idp.test');
    assert.equal((await ada.ask('DELETE', `/v1/passkeys/${second}`)).status, 200);

    const quiet = { BASE_URL: 'https://crescendo.example', PRINT_MAIL: 'false' };
    await using silent = await startTestApp(engine, { settings: quiet });
    const grace = await createPerson(silent);
    const only = await addPasskey(grace, new Authenticator('https://crescendo.example'));
    assert.equal(errorOf(await grace.ask('DELETE', `/v1/passkeys/${only.body.data.id}`)), '409 last_way_in');
  });

  it('the owner is told by mail, and the audit log says who, with which passkey', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app, 'ada@example.org');
    const phone = new Authenticator();
    const { id } = (await addPasskey(ada, phone)).body.data;
    await signInWith(app, phone);
    await ada.ask('DELETE', `/v1/passkeys/${id}`);
    const mailed = (words: string) =>
      app.printed.some((text) => text.includes('ada@example.org') && text.includes(words));
    await waitUntil(() => mailed('A passkey named “Phone” was added') && mailed('“Phone” can no longer sign in'));
    const lines = app.log
      .filter(({ passkey_id }) => passkey_id === id)
      .map(({ audit, result, user_id, method }) => [audit, result, user_id, method]);
    assert.deepEqual(lines, [
      ['passkey_added', 'ok', ada.userId, undefined],
      ['sign_in', 'ok', ada.userId, 'passkey'],
      ['passkey_removed', 'ok', ada.userId, undefined],
    ]);
    const log = JSON.stringify(app.log);
    assert.ok(!log.includes(phone.credentialId));
  });

  it('strangers leave no row but the counters of their wrong proofs, and never keep the owner out', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const phone = new Authenticator(undefined, 1);
    await addPasskey(ada, phone);
    // The notice is counted in the background.
    await waitUntil(() => app.printed.some((text) => text.includes('was added')));
    const before = await countRows(app, 'throttles');
    for (let count = 0; count < 5; count += 1) await begin(app);
    assert.equal(await countRows(app, 'throttles'), before);
    const answers: string[] = [];
    const lies: Lies[] = [{ userVerified: false }, { challenge: 'AAAA' }, { counter: 0 }];
    for (let count = 0; count < 12; count += 1)
      answers.push(errorOf(await signInWith(app, phone, lies[count % lies.length])));
    assert.deepEqual(answers.slice(0, 3), ['401 wrong_passkey', '401 sign_in_expired', '401 copied_passkey']);
    assert.deepEqual(answers.slice(9), ['401 wrong_passkey', ...Array(2).fill('429 too_many_attempts')]);
    const unknown = new Authenticator().get(await begin(app));
    for (let count = 0; count < 100; count += 1) await send(app, unknown, '10.9.9.9');
    assert.equal(errorOf(await send(app, unknown, '10.9.9.9')), '429 too_many_attempts');
    // Two for the account and its network, one for the notice of the copy, one for the other network.
    await waitUntil(async () => (await countRows(app, 'throttles')) === before + 4);
    assert.equal((await signInWith(app, phone)).status, 200);
    assert.equal((await send(app, phone.get(await begin(app)), '10.9.9.9')).status, 200);
  });

  it('where browsers allow no passkeys, the service says why, and the app is told', async () => {
    for (const BASE_URL of ['http://crescendo.lan', 'https://192.168.1.5']) {
      await using app = await startTestApp(engine, { settings: { BASE_URL } });
      const ada = await createPerson(app);
      const answer = await ada.ask('POST', '/v1/passkeys/begin');
      assert.equal(errorOf(answer), '503 passkeys_unavailable');
      assert.match(answer.body.error, /https.*host name.*BASE_URL/);
      assert.equal(
        errorOf(await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })),
        '503 passkeys_unavailable',
      );
      assert.equal((await app.ask({ url: '/app/sign-in-options' })).body.data.passkey_origin, null);
    }
    await using app = await startTestApp(engine);
    assert.equal((await app.ask({ url: '/app/sign-in-options' })).body.data.passkey_origin, 'http://localhost:8080');
  });

  it('an export names the passkeys without their keys, and they go with the account', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const phone = new Authenticator();
    await addPasskey(ada, phone);
    const { passkeys } = (await ada.ask('GET', '/v1/me/export')).body.data;
    assert.deepEqual(passkeys, [{ name: 'Phone', created_at: app.clock.now().toISOString(), last_used_at: null }]);
    await ada.ask('DELETE', '/v1/me');
    assert.equal(await countRows(app, 'passkeys'), 0);
    assert.equal(errorOf(await signInWith(app, phone)), '401 unknown_passkey');
  });
});
