/** Real clients, and what known ones send. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as oauth from 'openid-client';
import { TOOL_NAMES } from '../support/agents.ts';
import {
  agree,
  DocumentServer,
  decide,
  mcpStatus,
  newProof,
  queryOf,
  RAILS,
  register,
  registerAt,
} from '../support/assistants.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { DOCUMENTS, REGISTRATIONS } from '../support/known-assistants.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const listen = (app: TestApp) => app.fastify.listen({ port: 0, host: '127.0.0.1' });
const CONFORMANCE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const REDIRECT = 'http://localhost:3118/callback';

/** The client's memory, empty at first. It "opens" addresses by remembering them. */
function emptyMemory(clientMetadataUrl?: string) {
  // biome-ignore lint/suspicious/noExplicitAny: what the client stores is its own affair.
  const kept: Record<string, any> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Official', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    ...(clientMetadataUrl && { clientMetadataUrl }),
    state: () => 'of the client',
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('url'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: keep('discovery'),
    discoveryState: () => kept.discovery,
  };
  return { kept, provider };
}

/** What the consent page does with the address that a client opened: follows it and agrees. */
async function answerFor(app: TestApp, person: Person, url: URL, rails: object = {}): Promise<URLSearchParams> {
  const { statusCode, headers } = await app.fastify.inject({
    url: url.pathname + url.search,
    headers: { host: url.host },
  });
  assert.deepEqual([statusCode, headers.location?.startsWith('/app/connect?')], [303, true]);
  const query = new URL(String(headers.location), url).searchParams.get('query');
  const { body } = await app.ask({
    method: 'POST',
    url: '/v1/connections',
    headers: { host: url.host, authorization: `Bearer ${person.sessionToken}` },
    payload: {
      query,
      agrees: true,
      rails: { ...RAILS, ...rails },
    },
  });
  return new URL(body.data.redirect_to).searchParams;
}

/** Runs the official suite against the authorization server, and agrees in its browser's place. */
async function runConformance(app: TestApp, person: Person, revision: string): Promise<string> {
  const issuer = await listen(app);
  const port = await freePort();
  const { client_id } = await register(app, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const options = { '--url': issuer, '--client-id': client_id, '--resource': `${issuer}/mcp`, '--port': String(port) };
  const suite = spawn(process.execPath, [
    CONFORMANCE,
    'authorization',
    ...Object.entries(options).flat(),
    '--spec-version',
    revision,
  ]);
  let output = '';
  let answered: Promise<unknown> | undefined;
  suite.stderr.on('data', (text) => {
    output += text;
  });
  suite.stdout.on('data', (text) => {
    output += text;
    const address = /^http:\S+\/oauth\/authorize\S+$/m.exec(output)?.[0];
    if (address === undefined || !output.includes('Callback server started')) return;
    answered ??= answerFor(app, person, new URL(address)).then((answer) =>
      fetch(`http://127.0.0.1:${port}/callback?${answer}`),
    );
  });
  await once(suite, 'exit');
  await answered;
  return output;
}

onlyOn('sqlite', () => {
  for (const revision of sized(['2026-07-28'], ['2025-11-25', '2026-07-28'])) {
    test(`the official conformance suite accepts the authorization server in revision ${revision}`, async () => {
      await using app = await startTestApp('sqlite');
      const output = await runConformance(app, await createPerson(app), revision);
      assert.match(output, /Total: 3 passed, 0 failed/);
    });
  }
});

onEveryEngine((engine, it) => {
  for (const [path, kind] of [
    ['/mcp', 'registration'],
    ['/mcp/all', 'document'],
  ] as const) {
    it(`the official client comes from an empty start to the tools of ${path}, by ${kind}`, async () => {
      await using documents = await DocumentServer.start();
      await using app = await startTestApp(engine, { extra: { documents: documents.options } });
      const ada = await createPerson(app);
      const server = new URL(path, await listen(app));
      const id = documents.publish('/client.json', { redirect_uris: ['http://localhost/callback'] });
      const { kept, provider } = emptyMemory(kind === 'document' ? id : undefined);
      const transport = () => new StreamableHTTPClientTransport(server, { authProvider: provider });
      const open = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const first = transport();
      await assert.rejects(open().connect(first), /nauthorized/);
      assert.equal(kept.url.searchParams.get('resource'), server.href);
      assert.equal(kept.url.searchParams.get('scope'), 'tasks:read tasks:write');
      assert.equal(kept.url.searchParams.get('client_id')?.slice(0, 3), kind === 'document' ? 'htt' : 'dc_');
      const answer = await answerFor(app, ada, kept.url);
      await first.finishAuth(answer);
      const client = open();
      await client.connect(transport());
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.slice(0, TOOL_NAMES.length).map(({ name }) => name),
        TOOL_NAMES,
      );
      // The other address takes the same token. After a day, the client refreshes by itself.
      assert.equal(await mcpStatus(app, kept.tokens.access_token, path === '/mcp' ? '/mcp/all' : '/mcp'), 200);
      await app.clock.advance('25h');
      const before = kept.tokens.access_token;
      const { isError } = await client.callTool({ name: 'list_tasks', arguments: {} });
      assert.ok(!isError);
      assert.notEqual(kept.tokens.access_token, before);
      await client.close();
    });
  }

  for (const mode of ['legacy', 'auto'] as const) {
    it(`the official client (${mode}) asks its person for more by itself, and the call then works`, async () => {
      await using app = await startTestApp(engine);
      const ada = await createPerson(app);
      const server = new URL('/mcp/all', await listen(app));
      const { kept, provider } = emptyMemory();
      const transport = () => new StreamableHTTPClientTransport(server, { authProvider: provider });
      const open = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const first = transport();
      await assert.rejects(open().connect(first), /nauthorized/);
      const rails = { max_stage: 0, max_open_tasks: 7, shortest_wait: 20, expires_at: '2026-06-01T00:00:00.000Z' };
      await first.finishAuth(await answerFor(app, ada, kept.url, { ...rails, scopes: ['tasks:read'] }));
      let [held, stage] = [['tasks:read'], null as number | null];
      for (const [name, input, asked] of [
        ['create_task', { title: 'Pills' }, ['tasks:read', 'tasks:write']],
        ['pause_reminders', { end: 'now' }, ['tasks:read', 'tasks:write', 'settings:write']],
      ] as const) {
        const current = transport();
        const client = open();
        await client.connect(current);
        await assert.rejects(client.callTool({ name, arguments: input }), /nauthorized/);
        assert.deepEqual(kept.url.searchParams.get('scope').split(' ').sort(), [...asked].sort());
        // The page is told what the assistant has, so that it shows what is added and keeps the rails.
        const query = kept.url.search.slice(1);
        const { body } = await app.ask({
          method: 'POST',
          url: '/v1/connections/preview',
          headers: { host: server.host, authorization: `Bearer ${ada.sessionToken}` },
          payload: { query },
        });
        assert.deepEqual([body.data.scopes, body.data.held], [asked, { ...rails, scopes: held }]);
        await current.finishAuth(await answerFor(app, ada, kept.url, { ...body.data.held, scopes: asked }));
        const result = await client.callTool({ name, arguments: input });
        assert.ok(!result.isError, JSON.stringify(result));
        held = [...asked];
        stage = (await ada.ask('GET', '/v1/tokens')).body.data[0].max_stage;
        await client.close();
      }
      assert.equal(stage, 0);
    });
  }

  it('a strict stranger finds, registers, connects, refreshes and revokes as the standards say', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const issuer = new URL(await listen(app));
    for (const method of ['client_secret_post', 'client_secret_basic', 'none']) {
      const auth = {
        client_secret_post: oauth.ClientSecretPost(),
        client_secret_basic: oauth.ClientSecretBasic(),
        none: oauth.None(),
      }[method];
      const config = await oauth.dynamicClientRegistration(
        issuer,
        { client_name: 'Strict', redirect_uris: [REDIRECT], token_endpoint_auth_method: method },
        auth,
        { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
      );
      assert.ok(config.serverMetadata().supportsPKCE());
      const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
      const state = oauth.randomState();
      const url = oauth.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT,
        scope: 'tasks:read',
        code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state,
      });
      const back = new URL(`${REDIRECT}?${await answerFor(app, ada, url)}`);
      const tokens = await oauth.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState: state });
      const next = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
      assert.equal(await mcpStatus(app, next.access_token), 200);
      await oauth.tokenRevocation(config, next.refresh_token ?? '');
      assert.equal(await mcpStatus(app, next.access_token), 401);
    }
  });

  it('what known assistants send is taken', async () => {
    await using documents = await DocumentServer.start();
    await using app = await startTestApp(engine, { extra: { documents: documents.options } });
    const ada = await createPerson(app);
    for (const [body, redirect_uri, query] of REGISTRATIONS) {
      const { status, body: registered } = await registerAt(app, body);
      assert.deepEqual([status, registered.redirect_uris], [201, (body as { redirect_uris: string[] }).redirect_uris]);
      assert.ok(registered.client_id.length < 500, registered.client_id);
      const answer = await decide(ada, queryOf(registered.client_id, newProof().challenge, { redirect_uri, ...query }));
      assert.ok(answer.body.data?.redirect_to.startsWith(`${redirect_uri}?code=cc_`), JSON.stringify(answer.body));
    }
    for (const [index, [document, redirect_uri]] of DOCUMENTS.entries()) {
      const id = documents.publish(`/client-${index}.json`, document);
      await agree(ada, queryOf(id, newProof().challenge, { redirect_uri }));
    }
  });
});
