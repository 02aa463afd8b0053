/** What an assistant may ask a person for, and what is refused before anything leaves the app. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRepeatedParameter } from '../../src/connections/authorization-request.ts';
import {
  agree,
  CALLBACK,
  connect,
  DocumentServer,
  decide,
  type Fields,
  newProof,
  queryOf,
  RAILS,
  register,
  registerAt,
} from '../support/assistants.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { challenge } = newProof();
const preview = (person: Person, query: string) => person.ask('POST', '/v1/connections/preview', { query });

/** Refused when it is shown and when it is answered, and nothing is stored for it. */
async function assertRefused(app: TestApp, person: Person, query: string, words: RegExp): Promise<void> {
  // Past the limit of requests per account.
  await app.clock.advance('15m');
  for (const answer of [
    await preview(person, query),
    await decide(person, query),
    await decide(person, query, RAILS, false),
  ]) {
    assert.deepEqual([answer.status, answer.body.data], [400, null], query);
    assert.match(answer.body.error, /^connection_not_possible: /);
    assert.match(answer.body.error, words, query);
  }
  assert.deepEqual(await app.db.selectFrom('connection_codes').selectAll().execute(), []);
}

onEveryEngineWith(startWithAda, (it) => {
  it('a new connection keeps the shortest wait of the one before, unless its person chose another or none', async ({
    app,
    ada,
  }) => {
    const { client_id } = await register(app);
    const heldAfter = async (rails: object) => {
      await app.clock.advance('1m');
      await connect(app, ada, rails, client_id);
      return (await preview(ada, queryOf(client_id, challenge))).body.data.held.shortest_wait;
    };
    assert.equal(await heldAfter({ shortest_wait: 20 }), 20);
    assert.equal(await heldAfter({}), 20);
    assert.equal(await heldAfter({ shortest_wait: null }), null);
    assert.equal(await heldAfter({}), null);
  });

  it('the page learns who asks, where the code goes and what is asked for', async ({ app, ada }) => {
    const redirect_uris = [CALLBACK, 'http://127.0.0.1:3118/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'];
    const { client_id } = await register(app, { redirect_uris });
    const targets = [
      [CALLBACK, { kind: 'web', address: 'assistant.example' }],
      ['http://127.0.0.1:9/cb', { kind: 'own_machine', address: '127.0.0.1:9' }],
      ['cursor://anysphere.cursor-mcp/oauth/callback', { kind: 'app', address: 'cursor:' }],
    ] as const;
    for (const [redirect_uri, target] of targets) {
      const { body } = await preview(ada, queryOf(client_id, challenge, { redirect_uri }));
      assert.deepEqual(body.data, { client: { name: 'Jeeves', host: null }, target, scopes: RAILS.scopes, held: null });
    }
    const scopes = [
      [' offline_access', ['tasks:read', 'tasks:write']],
      ['openid  settings:write', ['settings:write']],
      ['tasks:read', ['tasks:read']],
      [undefined, ['tasks:read', 'tasks:write']],
    ] as const;
    for (const [scope, expected] of scopes) {
      const { body } = await preview(ada, queryOf(client_id, challenge, { scope }));
      assert.deepEqual(body.data.scopes, expected);
    }
  });

  it('the answer of the person goes back with state and iss, and a refusal says so', async ({ app, ada }) => {
    const withQuery = `${CALLBACK}?tenant=7`;
    const { client_id } = await register(app, { redirect_uris: [withQuery] });
    const query = queryOf(client_id, challenge, { redirect_uri: withQuery, state: 'a b&c=d' });
    const agreed = new URL((await decide(ada, query)).body.data.redirect_to);
    assert.match(agreed.searchParams.get('code') ?? '', /^cc_/);
    const refused = (await decide(ada, query, RAILS, false)).body.data.redirect_to;
    assert.equal(refused, `${withQuery}&error=access_denied&state=a+b%26c%3Dd&iss=http%3A%2F%2Flocalhost%3A80`);
    for (const url of [agreed, new URL(refused)]) {
      const { tenant, state, iss } = Object.fromEntries(url.searchParams);
      assert.deepEqual([tenant, state, iss], ['7', 'a b&c=d', 'http://localhost:80']);
    }
    const unstated = (await decide(ada, queryOf(client_id, challenge, { redirect_uri: withQuery, state: undefined })))
      .body;
    assert.ok(!unstated.data.redirect_to.includes('state='));
    assert.equal((await ada.ask('POST', '/v1/connections', { query, agrees: true })).status, 422);
    for (const rails of [
      { scopes: [] },
      { scopes: ['admin'] },
      { max_stage: 3 },
      { max_open_tasks: 0 },
      { expires_at: 'x' },
    ])
      assert.equal((await decide(ada, query, { ...RAILS, ...rails })).status, 422, JSON.stringify(rails));
  });

  it('a request with anything wrong is told to the person, and never to the address it names', async ({ app, ada }) => {
    const { client_id } = await register(app, { redirect_uris: [CALLBACK, 'http://localhost:7/cb'] });
    const wrong: [Fields, RegExp][] = [
      [{ code_challenge_method: 'plain' }, /PKCE/],
      [{ code_challenge_method: undefined }, /PKCE/],
      [{ code_challenge: undefined }, /PKCE/],
      [{ code_challenge: 'short' }, /PKCE/],
      [{ response_type: 'token' }, /response_type/],
      [{ response_type: undefined }, /response_type/],
      [{ resource: 'https://other.example/mcp' }, /resource/],
      [{ resource: 'http://localhost:80/mcp/other' }, /resource/],
      [{ resource: 'http://localhost:80/mcp?x=1' }, /resource/],
      [{ resource: 'http://user@localhost:80/mcp' }, /resource/],
      [{ client_id: undefined }, /which assistant/],
      [{ client_id: 'dc_forged.forged' }, /not registered/],
      [{ client_id: `${client_id}x` }, /not registered/],
      [{ client_id: 'http://client.example/doc' }, /Its id/],
      [{ redirect_uri: undefined }, /where to send/],
      [{ state: 'x'.repeat(2_049) }, /too long/],
    ];
    for (const [fields, words] of wrong) await assertRefused(app, ada, queryOf(client_id, challenge, fields), words);
    await assertRefused(app, ada, '', /which assistant/);
    const addresses = [
      `${CALLBACK}/other`,
      `${CALLBACK}?x=1`,
      `${CALLBACK}#x`,
      'https://assistant.example:8443/callback',
      'https://assistant.example/../callback',
      'https://assistant.example/x/%2e%2e/callback',
      'https://ASSISTANT.example/callback',
      'https://assistant.example@evil.example/callback',
      'https://user@assistant.example/callback',
      'https://assistant.example.evil.example/callback',
      'http://assistant.example/callback',
      'http://localhost.evil.example/cb',
      'http://127.0.0.1/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://localhost:7@evil.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
    ];
    for (const redirect_uri of addresses)
      await assertRefused(app, ada, queryOf(client_id, challenge, { redirect_uri }), /did not register/);
    for (const name of ['client_id', 'redirect_uri', 'code_challenge', 'state', 'scope']) {
      const twice = `${queryOf(client_id, challenge, { scope: 'tasks:read' })}&${name}=x`;
      await assertRefused(app, ada, twice, /twice/);
    }
    const both = 'resource=http%3A%2F%2FLOCALHOST%3A80%2Fmcp%2Fall%2F&resource=http%3A%2F%2Flocalhost';
    assert.equal((await preview(ada, `${queryOf(client_id, challenge, { resource: undefined })}&${both}`)).status, 200);
    assert.equal(
      (await preview(ada, queryOf(client_id, challenge, { redirect_uri: 'http://localhost:999/cb' }))).status,
      200,
    );
  });

  it('names are shown without the signs that deceive, and what nobody vouches for has no host', async (service) => {
    const { app, ada } = service;
    const names = [
      ['Cla\u202eude\u2066', 'Cla ude'],
      ['Claude <b>https://claude.ai</b>\n', 'Claude b https claude ai b'],
      ['\u200b\u202e', null],
      ['x'.repeat(500), `${'x'.repeat(39)}…`],
    ] as const;
    for (const [client_name, shown] of names) {
      const { client_id } = await register(app, { client_name });
      const { body } = await preview(ada, queryOf(client_id, challenge));
      assert.deepEqual(body.data.client, { name: shown, host: null });
    }
  });
});

onEveryEngine((engine, it) => {
  it('a document is believed only at its own address, in its own words, and soon', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    const id = documents.publish('/good.json', { client_name: 'Jeeves', token_endpoint_auth_method: 'none' });
    const { body } = await preview(ada, queryOf(id, challenge));
    assert.deepEqual(body.data.client, { name: 'Jeeves', host: `localhost:${documents.port}` });
    await agree(ada, queryOf(id, challenge));
    assert.deepEqual(documents.requested, ['/good.json'], 'the document was not kept');
    await app.db.deleteFrom('connection_codes').execute();

    documents.publish('/other-id', { client_id: documents.idOf('/good.json') });
    documents.publish('/secret', { client_secret: 'x' });
    documents.publish('/post', { token_endpoint_auth_method: 'client_secret_post' });
    documents.publish('/nowhere', { redirect_uris: ['javascript:alert(1)'] });
    documents.publish('/huge', { client_uri: 'x'.repeat(33_000) });
    documents.replies.set('/moved', { status: 302, body: {}, headers: { location: '/good.json' } });
    documents.replies.set('/html', { type: 'text/html', body: '<p>{}</p>' });
    documents.replies.set('/broken', { body: '{' });
    documents.replies.set('/list', { body: [] });
    documents.replies.set('/gone', { status: 404, body: {} });
    const refusals: [string, RegExp][] = [
      ['/other-id', /client_id in its description/],
      ['/secret', /client secret/],
      ['/post', /no way to show/],
      ['/nowhere', /no address/],
      ['/huge', /too long/],
      ['/moved', /status 302/],
      ['/html', /not JSON/],
      ['/broken', /could not be read/],
      ['/list', /client_id|JSON object/],
      ['/gone', /status 404/],
    ];
    for (const [path, words] of refusals)
      await assertRefused(app, ada, queryOf(documents.idOf(path), challenge), words);
    const spellings = ['/', '/x/../good.json', '/good.json#x'].map((path) => documents.idOf(path));
    for (const one of [...spellings, id.replace('localhost', 'LOCALHOST'), id.replace('https', 'http')])
      await assertRefused(app, ada, queryOf(one, challenge), /Its id/);
    assert.ok(!documents.requested.includes('/'));
    await app.clock.advance('61m');
    documents.publish('/good.json', { client_name: 'Renamed' });
    assert.equal((await preview(ada, queryOf(id, challenge))).body.data.client.name, 'Renamed');
  });

  it('invented addresses at a host refuse nobody the assistant there that another person has connected', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    const [connected, unheard] = [documents.publish('/connected'), documents.publish('/unheard')];
    await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    // As after a restart: the connection is stored, and its document was not read yet.
    await app.db.updateTable('access_tokens').set({ client_id: connected }).execute();
    for (let account = 0; account < 6; account += 1) {
      const eve = await createPerson(app);
      for (let count = 0; count < 20; count += 1) {
        const path = `/invented-${account}-${count}`;
        documents.replies.set(path, { status: 404, body: {} });
        await preview(eve, queryOf(documents.idOf(path), challenge));
      }
    }
    assert.equal(documents.requested.length, 120);
    const bob = await createPerson(app);
    assert.match((await preview(bob, queryOf(unheard, challenge))).body.error, /Too many descriptions/);
    assert.equal((await preview(bob, queryOf(connected, challenge))).status, 200);
  });

  it('a document that does not come in time is not waited for', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: { ...documents.options, timeoutMs: 100 } } });
    const ada = await createPerson(app);
    await assertRefused(app, ada, queryOf(documents.idOf('/silent'), challenge), /could not be read/);
  });

  it('no document is fetched from this machine or its network, by name or by address', async () => {
    await using documents = await DocumentServer.start();
    const { ca } = documents.options;
    await using app = await startTestApp(engine, { extra: { documents: { ...(ca && { ca }) } } });
    const ada = await createPerson(app);
    documents.publish('/doc');
    const { port } = documents;
    const hosts = ['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '10.0.0.1', '169.254.169.254'];
    for (const host of hosts)
      await assertRefused(app, ada, queryOf(`https://${host}:${port}/doc`, challenge), /Its id/);
    await assertRefused(app, ada, queryOf(`https://localhost:${port}/doc`, challenge), /could not be read/);
    assert.deepEqual(documents.requested, []);
  });
});

onEveryEngine((engine, it) => {
  it('a registration stores nothing, says the same to the same words, and refuses what it cannot keep', async () => {
    await using app = await startTestApp(engine);
    const twice = [await register(app), await register(app)];
    assert.equal(twice[0]?.client_id, twice[1]?.client_id);
    assert.ok((twice[0]?.client_id.length ?? 0) < 250);
    const wrong: [object, string][] = [
      [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: [7] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://public.example/cb'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript://x.example/%0aalert(1)'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://x.example/*'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: Array.from({ length: 11 }, (_, index) => `${CALLBACK}/${index}`) }, 'invalid_redirect_uri'],
      [
        { redirect_uris: Array.from({ length: 9 }, (_, index) => `${CALLBACK}/${'x'.repeat(400)}${index}`) },
        'invalid_redirect_uri',
      ],
      [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
      [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ response_types: ['token'] }, 'invalid_client_metadata'],
    ];
    for (const [fields, error] of wrong) {
      const { status, body } = await registerAt(app, { client_name: 'x', redirect_uris: [CALLBACK], ...fields });
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(fields));
      assert.equal(typeof body.error_description, 'string');
    }
    const json = { 'content-type': 'application/json' };
    for (const payload of ['{', '7', 'null', '']) {
      const { status } = await app.ask({ method: 'POST', url: '/oauth/register', payload, headers: json });
      assert.equal(status, 400, payload);
    }
  });

  it('an account can make the service look at 60 requests in a quarter of an hour', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const query = queryOf((await register(app)).client_id, challenge);
    for (let count = 0; count < 60; count += 1) assert.equal((await preview(ada, query)).status, 200);
    assert.deepEqual([(await preview(ada, query)).status, (await decide(ada, query)).status], [429, 429]);
    assert.equal((await preview(await createPerson(app), query)).status, 200);
  });

  it('only the app itself answers for a person: not another origin, not without its header, not in a frame', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const query = queryOf((await register(app)).client_id, challenge);
    const post = (headers: object) =>
      app.ask({
        method: 'POST',
        url: '/v1/connections',
        payload: { query, agrees: true, rails: RAILS },
        headers: { cookie: `crescendo-session=${ada.sessionToken}`, ...headers },
      });
    const own = { 'x-crescendo-app': '1' };
    assert.equal((await post({})).status, 401);
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.equal((await post({ ...own, 'sec-fetch-site': site })).status, 401, site);
    assert.equal((await post({ ...own, 'sec-fetch-site': 'same-origin' })).status, 200);
    for (const url of ['/app/connect', '/oauth/authorize']) {
      const { headers } = await app.fastify.inject({ url });
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(headers['cross-origin-opener-policy'], 'unsafe-none');
    }
    assert.equal((await app.fastify.inject({ url: '/app' })).headers['cross-origin-opener-policy'], 'same-origin');
  });
});

test('the names that a stranger sends are read through once, however many they are', () => {
  let looks = 0;
  class Counted extends URLSearchParams {
    override getAll(name: string): string[] {
      looks += 1;
      return super.getAll(name);
    }
  }
  const many = Array.from({ length: 5_000 }, (_, index) => index.toString(36)).join('&');
  assert.equal(hasRepeatedParameter(new Counted(many)), false);
  assert.equal(hasRepeatedParameter(new Counted(`${many}&0`)), true);
  assert.equal(hasRepeatedParameter(new Counted(`${many}&resource&resource`)), false);
  assert.equal(looks, 0);
});
