/** What the token endpoint takes: codes, refresh tokens, and proofs of who shows them. */
import assert from 'node:assert/strict';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  agree,
  askToken,
  CALLBACK,
  connect,
  DocumentServer,
  type Fields,
  mcpStatus,
  newProof,
  queryOf,
  refreshWith,
  register,
} from '../support/assistants.ts';
import { createDatabase, type EngineName, onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, personWith, startWithAda } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

const refusalOf = ({ status, body }: Answer) => [status, body.error];
const INVALID_GRANT = [400, 'invalid_grant'];
const INVALID_CLIENT = [401, 'invalid_client'];

/** A fresh code, and the fields with which it is exchanged. */
async function newCode(person: Person, client_id: string, query: Fields = {}) {
  const { verifier, challenge } = newProof();
  const code = await agree(person, queryOf(client_id, challenge, query));
  return { grant_type: 'authorization_code', code, client_id, code_verifier: verifier, redirect_uri: CALLBACK };
}

const countTokens = async ({ db }: TestApp) => (await db.selectFrom('access_tokens').select('id').execute()).length;

onEveryEngineWith(startWithAda, (it, test) => {
  test('a code counts for its client, its address, its verifier and a minute, and a wrong try does not spend it', async (service) => {
    const { app, ada } = service;
    const { client_id } = await register(app);
    const other = await register(app, { client_name: 'Other' });
    const fields = await newCode(ada, client_id);
    const wrong: [Fields, string][] = [
      [{ code: 'cc_unknown' }, 'invalid_grant'],
      [{ code: undefined }, 'invalid_request'],
      [{ client_id: other.client_id }, 'invalid_grant'],
      [{ client_id: undefined }, 'invalid_grant'],
      [{ client_id: 'dc_forged.forged' }, 'invalid_grant'],
      [{ redirect_uri: `${CALLBACK}/` }, 'invalid_grant'],
      [{ code_verifier: newProof().verifier }, 'invalid_grant'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ code_verifier: 'short' }, 'invalid_grant'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ grant_type: 'refresh_token', refresh_token: fields.code }, 'invalid_grant'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ];
    for (const [change, error] of wrong)
      assert.deepEqual(refusalOf(await askToken(app, { ...fields, ...change })), [400, error], JSON.stringify(change));
    const twice = `${new URLSearchParams(fields)}&code=${fields.code}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const repeated = await app.ask({ method: 'POST', url: '/oauth/token', payload: twice, headers });
    assert.deepEqual(refusalOf(repeated), [400, 'invalid_request']);
    assert.equal((await app.ask({ method: 'POST', url: '/oauth/token', payload: fields })).status, 400);
    const answer = await askToken(app, { ...fields, resource: 'http://localhost/mcp/all' });
    assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store']);
    const { access_token, refresh_token, ...rest } = answer.body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 86_400, scope: 'tasks:read tasks:write' });
    assert.match(`${access_token} ${refresh_token}`, /^ct_[\w-]{43} cr_[\w-]{43}$/);
    const late = await newCode(ada, client_id);
    await app.clock.advance('60s');
    assert.deepEqual(refusalOf(await askToken(app, late)), INVALID_GRANT);
  });

  test('a code that is shown twice ends the connection it became', async ({ app, ada }) => {
    const { client_id } = await register(app);
    const fields = await newCode(ada, client_id);
    const { access_token, refresh_token } = (await askToken(app, fields)).body;
    assert.equal(await mcpStatus(app, access_token), 200);
    await app.clock.advance('2h');
    assert.deepEqual(refusalOf(await askToken(app, { ...fields, code_verifier: newProof().verifier })), INVALID_GRANT);
    assert.deepEqual([await mcpStatus(app, access_token), await countTokens(app)], [401, 0]);
    assert.deepEqual(refusalOf(await refreshWith(app, { clientId: client_id, refresh: refresh_token })), INVALID_GRANT);
    assert.equal(
      app.log.filter(({ audit, result }) => audit === 'connection_ended' && result === 'code_reused').length,
      1,
    );
  });

  test('of eight exchanges of one code at once, one gets a pair, and the others end it', async ({ app, ada }) => {
    const fields = await newCode(ada, (await register(app)).client_id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => askToken(app, fields)));
    const pairs = answers.filter(({ status }) => status === 200);
    assert.equal(pairs.length, 1);
    for (const answer of answers) if (answer.status !== 200) assert.deepEqual(refusalOf(answer), INVALID_GRANT);
    assert.deepEqual([await mcpStatus(app, pairs[0]?.body.access_token), await countTokens(app)], [401, 0]);
  });

  test('of eight refreshes at once, each gets a pair that lives; long after that the token ends the connection', async (service) => {
    const { app, ada } = service;
    const connection = await connect(app, ada);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refreshWith(app, connection)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const tokens = new Set([connection.access, ...answers.map(({ body }) => body.access_token)]);
    assert.equal(tokens.size, 9);
    for (const token of tokens) assert.equal(await mcpStatus(app, token), 200);
    for (let count = 0; count < 2; count += 1) assert.equal((await refreshWith(app, connection)).status, 200);
    assert.deepEqual(refusalOf(await refreshWith(app, connection)), [503, 'temporarily_unavailable']);
    assert.equal(await countTokens(app), 1);
    await app.clock.advance('119s');
    assert.deepEqual(refusalOf(await refreshWith(app, connection)), [503, 'temporarily_unavailable']);
    await app.clock.advance('1s');
    assert.deepEqual(refusalOf(await refreshWith(app, connection)), INVALID_GRANT);
    for (const token of tokens) assert.equal(await mcpStatus(app, token), 401);
    assert.equal(await countTokens(app), 0);
  });

  it('a refresh token that was exchanged once ends the connection when it is shown again after two minutes', async (service) => {
    const { app, ada } = service;
    const connection = await connect(app, ada);
    const { body } = await refreshWith(app, connection);
    await app.clock.advance('120s');
    assert.deepEqual(refusalOf(await refreshWith(app, connection)), INVALID_GRANT);
    assert.deepEqual([await mcpStatus(app, body.access_token), await countTokens(app)], [401, 0]);
  });

  it("a refresh token is its client's alone, and an access token is none", async ({ app, ada }) => {
    const connection = await connect(app, ada);
    const other = await connect(app, ada, {}, (await register(app, { client_name: 'Other' })).client_id);
    for (const refresh of [connection.access, connection.code, 'cr_unknown'])
      assert.deepEqual(refusalOf(await refreshWith(app, { ...connection, refresh })), INVALID_GRANT);
    assert.deepEqual(refusalOf(await refreshWith(app, { ...connection, refresh: other.refresh })), INVALID_GRANT);
    assert.equal((await refreshWith(app, other)).status, 200);
    assert.equal((await refreshWith(app, connection)).status, 200);
  });

  it('a client with a secret shows it, in the form or in the header', async ({ app, ada }) => {
    for (const method of ['client_secret_post', 'client_secret_basic']) {
      const { client_id, client_secret = '' } = await register(app, { token_endpoint_auth_method: method });
      const { client_id: _, ...fields } = await newCode(ada, client_id);
      const basic = (secret: string) => ({
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
      });
      const none = await askToken(app, { ...fields, client_id });
      assert.deepEqual(
        [...refusalOf(none), none.headers['www-authenticate']],
        [...INVALID_CLIENT, 'Basic realm="crescendo"'],
      );
      assert.deepEqual(refusalOf(await askToken(app, { ...fields, client_id, client_secret: 'x' })), INVALID_CLIENT);
      assert.deepEqual(refusalOf(await askToken(app, fields, basic('x'))), INVALID_CLIENT);
      const mixed = await askToken(app, { ...fields, client_id: 'dc_other' }, basic(client_secret));
      assert.deepEqual(refusalOf(mixed), [400, 'invalid_request']);
      const shown = method.endsWith('basic')
        ? await askToken(app, fields, basic(client_secret))
        : await askToken(app, { ...fields, client_id, client_secret });
      assert.equal(shown.status, 200, JSON.stringify(shown.body));
      const bare = await refreshWith(app, { clientId: client_id, refresh: shown.body.refresh_token });
      assert.deepEqual(refusalOf(bare), INVALID_CLIENT);
    }
  });
});

onEveryEngine((engine, it) => {
  it('an assertion counts if a key of the document signed it, for this service, about itself, and in time', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
    const unnamed = await generateKeyPair('ES512', { extractable: true });
    const jwks = { keys: [jwk, await exportJWK(unnamed.publicKey)] };
    const id = documents.publish('/doc', { token_endpoint_auth_method: 'private_key_jwt', jwks });
    const now = Math.floor(app.clock.now().getTime() / 1_000);
    const good = { iss: id, sub: id, aud: 'http://localhost:80', exp: now + 60, jti: 'x' };
    const sign = (claims: object, alg = 'ES256', key: CryptoKey | Uint8Array = privateKey) =>
      new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg, kid: 'k' }).sign(key);
    const strange = await generateKeyPair('ES256');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const shared = new TextEncoder().encode(JSON.stringify(jwk));
    const wrong = [
      undefined,
      'garbage',
      `${part({ alg: 'none' })}.${part(good)}.`,
      await sign({}, 'HS256', shared),
      await sign({}, 'ES256', strange.privateKey),
      await sign({ aud: 'https://other.example' }),
      await sign({ sub: documents.idOf('/other') }),
      await sign({ iss: documents.idOf('/other') }),
      await sign({ exp: now - 31 }),
      await sign({ exp: undefined }),
      await new SignJWT(good).setProtectedHeader({ alg: 'ES512' }).sign(unnamed.privateKey),
    ];
    const fields = await newCode(ada, id);
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const show = (assertion: string | undefined, more: Fields = {}) =>
      askToken(app, {
        ...fields,
        ...(assertion !== undefined && { client_assertion: assertion, client_assertion_type: type }),
        ...more,
      });
    for (const [index, assertion] of wrong.entries())
      assert.deepEqual(refusalOf(await show(assertion)), INVALID_CLIENT, `row ${index}`);
    const untyped = await show(await sign({}), { client_assertion_type: 'jwt' });
    assert.deepEqual(refusalOf(untyped), [400, 'invalid_request']);
    const slowClock = await sign({ aud: 'http://localhost:80/oauth/token', exp: now - 29 });
    const taken = await show(slowClock, { client_id: undefined });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    // Its keys at another address, and the plural list that lets it come without.
    documents.replies.set('/keys', { body: { keys: [jwk] } });
    const both = documents.publish('/both', {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
      jwks_uri: documents.idOf('/keys'),
    });
    const signed = await sign({ iss: both, sub: both });
    const first = { ...(await newCode(ada, both)), client_assertion: signed, client_assertion_type: type };
    assert.equal((await askToken(app, first)).status, 200);
    assert.equal((await askToken(app, await newCode(ada, both))).status, 200);
    const open = documents.publish('/open', { jwks });
    const signedFor = await sign({ iss: open, sub: open });
    const shown = { ...(await newCode(ada, open)), client_assertion: signedFor, client_assertion_type: type };
    assert.deepEqual(refusalOf(await askToken(app, shown)), INVALID_CLIENT, 'its document names no such way');
  });

  it('a document that cannot be read at the moment costs nobody their connection', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    const id = documents.publish('/doc');
    const connection = await connect(app, ada, {}, id);
    await app.clock.advance('2h');
    documents.replies.set('/doc', { status: 502, body: {} });
    const asked = documents.requested.length;
    const unknown = await refreshWith(app, { clientId: id, refresh: 'cr_unknown' });
    assert.deepEqual(
      [refusalOf(unknown), documents.requested.length],
      [INVALID_GRANT, asked],
      'a stranger made us fetch',
    );
    const kept = await refreshWith(app, connection);
    assert.equal(kept.status, 200, 'what was read before counts for another day');
    const next = { clientId: id, refresh: kept.body.refresh_token };
    await app.clock.advance('24h');
    const now = await refreshWith(app, next);
    assert.deepEqual([...refusalOf(now), now.headers['retry-after']], [503, 'temporarily_unavailable', '2']);
    documents.publish('/doc');
    await app.clock.advance('10s');
    const back = await refreshWith(app, next);
    assert.equal(back.status, 200);
    await app.clock.advance('2h');
    documents.replies.set('/doc', { status: 404, body: {} });
    const gone = await connect(app, ada);
    assert.equal((await refreshWith(app, gone)).status, 200);
    const last = { clientId: id, refresh: back.body.refresh_token };
    assert.deepEqual(refusalOf(await refreshWith(app, last)), INVALID_CLIENT);
  });

  it('however often the token endpoint is called, the addresses of a client are asked a few times', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    documents.replies.set('/keys', { status: 500, body: {} });
    const id = documents.publish('/doc', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: documents.idOf('/keys'),
    });
    const fields = {
      ...(await newCode(ada, id)),
      client_assertion: 'x.y.z',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    const ask = () => askToken(app, fields);
    const keyFetches = () => documents.requested.filter((path) => path === '/keys').length;
    const together = await Promise.all(Array.from({ length: 20 }, ask));
    for (const answer of together) assert.deepEqual(refusalOf(answer), [503, 'temporarily_unavailable']);
    assert.equal(keyFetches(), 1, 'simultaneous fetches are one');
    for (let count = 0; count < 10; count += 1) await ask();
    assert.equal(keyFetches(), 1, 'a failure is remembered');
    for (let second = 0; second < 59; second += 1) {
      await app.clock.advance('1s');
      await ask();
    }
    assert.equal(keyFetches(), 4, 'the pause after a failure grows: 5, 10 and 20 seconds');
  });

  it('a connection that refreshed too often makes nobody fetch', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const connection = await connect(app, await createPerson(app), {}, documents.publish('/doc'));
    const { refresh_token } = (await refreshWith(app, connection)).body;
    await app.db.updateTable('throttles').set({ count: 500 }).execute();
    await app.clock.advance('2h');
    const asked = documents.requested.length;
    const refused = await refreshWith(app, { ...connection, refresh: refresh_token });
    assert.deepEqual([refused.status, documents.requested.length], [429, asked]);
  });

  it('a registered client of an older key is known, and one of a forgotten key is told to register anew', async () => {
    await using database = await disposableDatabase(engine);
    const [older, newer] = ['an older key for tests that is long enough', 'a newer key for tests that is long enough'];
    const start = (settings: Record<string, string>) => startTestApp(engine, { databaseUrl: database.url, settings });
    const fields = { token_endpoint_auth_method: 'client_secret_post' };
    const begin = async () => {
      await using app = await start({ SECRET_KEY: older });
      const person = await createPerson(app);
      const registered = await register(app, fields);
      const code = await newCode(person, registered.client_id);
      const { refresh_token } = (await askToken(app, { ...code, client_secret: registered.client_secret })).body;
      return { ...registered, person, refresh_token };
    };
    const { client_id, client_secret, person, refresh_token } = await begin();
    const renew = (app: TestApp, refresh: string) =>
      askToken(app, { grant_type: 'refresh_token', refresh_token: refresh, client_id, client_secret });
    const rotate = async () => {
      await using app = await start({ SECRET_KEY: newer, SECRET_KEY_OLD: older });
      assert.notEqual((await register(app, fields)).client_id, client_id);
      return await renew(app, refresh_token);
    };
    const kept = await rotate();
    assert.equal(kept.status, 200, JSON.stringify(kept.body));
    await using app = await start({ SECRET_KEY: newer });
    assert.deepEqual(refusalOf(await renew(app, kept.body.refresh_token)), INVALID_CLIENT);
    const query = queryOf(client_id, newProof().challenge);
    const ada = personWith(app, person.email, person.userId, person.sessionToken);
    const again = await ada.ask('POST', '/v1/connections/preview', { query });
    assert.match(again.body.error, /not registered here, or no longer/);
  });
});

async function disposableDatabase(engine: EngineName) {
  const { url, drop } = await createDatabase(engine);
  return { url, [Symbol.asyncDispose]: drop };
}
