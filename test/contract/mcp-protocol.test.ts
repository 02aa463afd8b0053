import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MCP_PATHS } from '../../src/agents/tools.ts';
import type { Routes } from '../../src/http/app.ts';
import { knownCallerOf } from '../../src/http/authentication.ts';
import {
  callsFor,
  documentOf,
  headersOf,
  type MintedToken,
  mintToken,
  parseBody,
  rpc,
  TOOL_NAMES,
} from '../support/agents.ts';
import { connect } from '../support/assistants.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countTurns } from '../support/turns.ts';

const listen = (app: TestApp) => app.fastify.listen({ port: 0, host: '127.0.0.1' });

onEveryEngine((engine, it) => {
  test('of many concurrent calls by several users, each gets its own answer and no data of another user', async () => {
    await using app = await startTestApp(engine);
    const address = await listen(app);
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Pacific/Apia', 'Asia/Kolkata'];
    const users = await Promise.all(zones.map((zone, index) => createUser(app, zone, `user-${index}`)));
    const calls = Array.from({ length: sized(60, 200) }, (_, id) => {
      const user = users[id % users.length] as User;
      return callAs(address, user, id, id % 3);
    });
    await Promise.all(calls);
    for (const { person, mark } of users) {
      const { body } = await person.ask('GET', '/v1/tasks');
      const titles: string[] = body.data.map(({ title }: { title: string }) => title);
      assert.ok(titles.every((title) => title.startsWith(mark)));
      assert.equal(new Set(titles).size, titles.length);
    }
  });

  it('a client that accepts any type is answered, and one that accepts neither of both types is not', async () => {
    await using app = await startTestApp(engine);
    const { token } = await mintToken(await createPerson(app));
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const ask = async (accept: string) => {
      const headers = { ...headersOf(token), accept };
      return (await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode;
    };
    for (const accept of ['*/*', 'text/html, */*;q=0.8']) assert.equal(await ask(accept), 200, accept);
    for (const accept of ['application/json', 'text/html']) assert.equal(await ask(accept), 406, accept);
  });

  test('a batch goes no further than a second after its token or connection was revoked', async () => {
    let afterCreating = async (): Promise<unknown> => undefined;
    const watch: Routes = (app) => {
      app.addHook('onSend', async ({ method, routeOptions }, { statusCode }) => {
        if (method === 'POST' && routeOptions.url === '/v1/tasks' && statusCode === 200) await afterCreating();
      });
    };
    await using app = await startTestApp(engine, { extra: { routes: [watch] } });
    const ada = await createPerson(app);
    const credentials = [
      await mintToken(ada),
      await connect(app, ada).then(({ id, access: token }) => ({ id, token })),
    ];
    for (const { id, token } of credentials) {
      let created = 0;
      afterCreating = async () => {
        created += 1;
        // A batch whose token is still good goes on for as long as it takes.
        await app.clock.advance('2s');
        if (created === 2) assert.equal((await ada.ask('DELETE', `/v1/tokens/${id}`)).status, 200);
      };
      const params = { name: 'create_task', arguments: { title: 'pills' } };
      const payload = [1, 2, 3, 4].map((number) => ({ jsonrpc: '2.0', id: number, method: 'tools/call', params }));
      const { body } = await app.fastify.inject({ method: 'POST', url: '/mcp', headers: headersOf(token), payload });
      assert.equal(created, 2);
      // The second task was created, and reading it back was refused.
      assert.equal(body.match(/unauthenticated: /g)?.length, 3, body);
    }
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 4);
  });
});

interface User {
  readonly person: Person;
  readonly token: string;
  readonly zone: string;
  readonly mark: string;
  readonly taskId: string;
}

async function createUser(app: TestApp, zone: string, mark: string): Promise<User> {
  const person = await createPerson(app);
  await person.ask('PATCH', '/v1/me', { timezone: zone });
  const { token } = await mintToken(person);
  const { body } = await person.ask('POST', '/v1/tasks', { title: `${mark} first` });
  return { person, token, zone, mark, taskId: body.data.id };
}

/** Half of the calls use the older revision. Asserts that the answer belongs to this call and this user. */
async function callAs(address: string, user: User, id: number, kind: number): Promise<void> {
  const [name, input] = [
    ['create_task', { title: `${user.mark} new ${id}` }],
    ['list_tasks', { limit: 100 }],
    ['task_status', { task_id: user.taskId }],
  ][kind] as [string, object];
  const isModern = id % 2 === 0;
  const params = { name, arguments: input, ...(isModern && { _meta: MODERN_META }) };
  const headers = { ...headersOf(user.token), ...(isModern && modernHeaders('tools/call', name)) };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const answer = parseBody(await (await fetch(new URL('/mcp', address), { method: 'POST', headers, body })).text());
  assert.equal(answer.id, id);
  assert.ok(!answer.result.isError, JSON.stringify(answer));
  const content = documentOf(answer.result);
  assert.equal(content.timezone, user.zone);
  for (const { title } of content.tasks ?? []) assert.ok(title.startsWith(user.mark), title);
  const begins = ['Created "', '', '"'][kind] + user.mark + (kind === 0 ? ` new ${id}"` : '');
  const [{ text }] = answer.result.content;
  if (kind !== 1) assert.ok(text.startsWith(begins), text);
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = (method: string, name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': name,
});

const product = <A extends string, B>(first: readonly A[], second: readonly B[]): [A, B][] =>
  first.flatMap((one) => second.map((other): [A, B] => [one, other]));

onlyOn('sqlite', () => {
  test('a raw 2025-era exchange: initialize, initialized, list, and each tool', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const post = (payload: object, headers = {}) =>
      app.fastify.inject({ method: 'POST', url: '/mcp', headers: { ...headersOf(token), ...headers }, payload });
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
      const hello = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const { result } = parseBody(hello.body);
      assert.equal(result.protocolVersion, protocolVersion);
      assert.deepEqual([result.serverInfo.name, result.capabilities], ['crescendo', { tools: {} }]);
      assert.match(result.instructions, /time zone/);
      assert.equal(hello.headers['mcp-session-id'], undefined);
      const version = { 'mcp-protocol-version': protocolVersion };
      assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, version)).statusCode, 202);
      const listed = parseBody((await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, version)).body);
      assert.deepEqual(
        listed.result.tools.map(({ name }: { name: string }) => name),
        TOOL_NAMES,
      );
      const { result: made } = await rpc(app, token, 'tools/call', { name: 'create_task', arguments: { title: 'x' } });
      for (const [name, input] of callsFor(documentOf(made).task.id)) {
        const called = await rpc(app, token, 'tools/call', { name, arguments: input });
        assert.ok(!called.result.isError && documentOf(called.result).timezone, `${name} ${JSON.stringify(called)}`);
      }
    }
  });

  test('a raw exchange of 2026-07-28: discovery, a cacheable list, and the header checks', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const ask = async (method: string, params: object, name = '') => {
      const headers = { ...headersOf(token), ...modernHeaders(method, name) };
      const payload = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MODERN_META } };
      const response = await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload });
      return { status: response.statusCode, type: response.headers['content-type'], body: parseBody(response.body) };
    };
    const found = await ask('server/discover', {});
    assert.deepEqual(found.body.result.supportedVersions, ['2026-07-28']);
    const list = await ask('tools/list', {});
    assert.deepEqual([list.body.result.cacheScope, list.body.result.ttlMs], ['public', 3_600_000]);
    assert.match(String(list.type), /^application\/json/);
    assert.equal((await ask('tools/nonsense', {})).status, 404);
    const mismatch = await ask('tools/call', { name: 'list_tasks', arguments: {} }, 'create_task');
    assert.deepEqual([mismatch.status, mismatch.body.error.code], [400, -32_020]);
  });

  test('a missing token, a wrong one and a session token are rejected with directions to the right one', async () => {
    await using app = await startTestApp('sqlite');
    const person = await createPerson(app);
    const casesAt = (
      url: string,
      metadata = `resource_metadata="http://localhost:80/.well-known/oauth-protected-resource${url}"`,
      scope = 'scope="tasks:read tasks:write"',
    ): [authorization: string | undefined, status: number, code: string, challenge: string][] => [
      [undefined, 401, 'unauthenticated', `Bearer realm="crescendo", ${metadata}, ${scope}`],
      [
        'Bearer pk_nope',
        401,
        'unauthenticated',
        `Bearer realm="crescendo", error="invalid_token", ${metadata}, ${scope}`,
      ],
      [
        `Bearer ${person.sessionToken}`,
        403,
        'token_required',
        `Bearer realm="crescendo", error="insufficient_scope", ${metadata}, ${scope}`,
      ],
    ];
    for (const url of MCP_PATHS) {
      for (const [method, [authorization, status, code, challenge]] of product(
        ['GET', 'POST', 'DELETE'],
        casesAt(url),
      )) {
        const { body, ...answer } = await app.ask({ method, url, headers: authorization ? { authorization } : {} });
        assert.deepEqual([answer.status, answer.headers['www-authenticate']], [status, challenge]);
        assert.deepEqual([body.jsonrpc, body.id, body.error.data.code], ['2.0', null, code]);
      }
      const { body: described } = await app.ask({ url: `/.well-known/oauth-protected-resource${url}` });
      assert.deepEqual(
        [described.resource, described.bearer_methods_supported],
        [`http://localhost:80${url}`, ['header']],
      );
    }
    const { id, token } = await mintToken(person);
    await rpc(app, token, 'tools/list');
    await person.ask('DELETE', `/v1/tokens/${id}`);
    const revoked = await app.ask({ method: 'POST', url: '/mcp', headers: headersOf(token), payload: {} });
    assert.equal(revoked.status, 401);
  });

  test('a foreign origin or host is rejected, even with a valid token', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const ask = (headers: object) =>
      app.ask({ method: 'POST', url: '/mcp', headers: { ...headersOf(token), ...headers }, payload });
    const origin = await ask({ origin: 'https://evil.example' });
    assert.deepEqual([origin.status, origin.body.error.data.code], [403, 'origin_not_allowed']);
    const host = await ask({ host: 'evil.example' });
    assert.deepEqual([host.status, host.body.error.data.code], [403, 'host_not_allowed']);
    const own = await app.fastify.inject({
      method: 'POST',
      url: '/mcp',
      payload,
      headers: { ...headersOf(token), host: 'localhost:8080', origin: 'http://localhost:8080' },
    });
    assert.equal(own.statusCode, 200);
  });

  test('an invalid message gets a JSON-RPC error, and one that is too large is rejected', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const post = async (payload: string | Buffer, headers = {}) => {
      const request = { method: 'POST', url: '/mcp', headers: { ...headersOf(token), ...headers }, payload } as const;
      const { statusCode, body } = await app.fastify.inject(request);
      return { status: statusCode, error: parseBody(body).error };
    };
    for (const body of ['{', 'null garbage', Buffer.from([0x22, 0xff, 0x22])]) {
      const { status, error } = await post(body);
      assert.deepEqual([status, error.code], [400, -32_700]);
    }
    const deep = await post('['.repeat(10_000));
    assert.deepEqual([deep.status, deep.error.message], [400, 'Parse error: Nested deeper than 64 levels']);
    for (const body of ['', '[]', '7', '{}']) assert.equal((await post(body)).status, 400, body);
    const large = await post(JSON.stringify({ pad: 'x'.repeat(1024 * 1024) }));
    assert.deepEqual([large.status, large.error.data.code], [413, 'payload_too_large']);
    assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, headers } = await app.ask({ method, url: '/mcp', headers: headersOf(token) });
      assert.deepEqual([status, headers.allow], [405, 'POST']);
    }
  });

  test('the calls of a batch run one after another, with a turn for others in between, and are at most 50', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const post = (count: number) => {
      const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_tasks', arguments: {} } };
      const payload = Array.from({ length: count }, (_, id) => ({ ...call, id }));
      return app.fastify.inject({ method: 'POST', url: '/mcp', headers: headersOf(token), payload });
    };
    await post(1);
    const answering = post(50);
    const turns = await countTurns(answering);
    const answers = await answering;
    assert.equal(answers.body.match(/"isError":true/), null);
    assert.equal(answers.body.match(/\\"tasks\\"/g)?.length, 50);
    assert.ok(turns >= 50, `${turns} turns`);
    const refused = await post(51);
    assert.equal(refused.statusCode, 400);
    const { error } = parseBody(refused.body);
    assert.deepEqual([error.code, error.message], [-32_600, 'Invalid Request: a batch has at most 50 messages.']);
  });

  test('four requests of an account run at once and a hundred wait; more are refused, others are not', async () => {
    await using app = await startTestApp('sqlite');
    const [loud, quiet] = [await mintToken(await createPerson(app)), await mintToken(await createPerson(app))];
    // Two calls each, so that a request lasts until the next turn and all of them meet.
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_tasks', arguments: {} } };
    const payload = [1, 2].map((id) => ({ ...call, id }));
    const post = async ({ token }: MintedToken) => {
      return app.fastify.inject({ method: 'POST', url: '/mcp', headers: headersOf(token), payload });
    };
    await post(loud);
    const asked = Array.from({ length: 120 }, () => post(loud));
    const other = await post(quiet);
    const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
    assert.equal(other.statusCode, 200);
    assert.deepEqual(
      [200, 429].map((status) => statuses.filter((one) => one === status).length),
      [104, 16],
    );
    assert.equal((await post(loud)).statusCode, 200);
  });

  test('behind an HTTPS proxy the tools call the API with the protocol of the caller', async () => {
    const settings = { BASE_URL: 'https://crescendo.example', TRUST_PROXY: '127.0.0.1' };
    await using app = await startTestApp('sqlite', { settings });
    const { token } = await mintToken(await createPerson(app));
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } };
    const ask = (headers: object) =>
      app.fastify.inject({ method: 'POST', url: '/mcp', headers: { ...headersOf(token), ...headers }, payload: call });
    const plain = await ask({});
    assert.equal(plain.json().error.data.code, 'https_required');
    const secure = await ask({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'crescendo.example' });
    assert.equal(parseBody(secure.body).result.isError, undefined, secure.body);
  });

  test('an Idempotency-Key header on the MCP request applies to none of its tool calls', async () => {
    await using app = await startTestApp('sqlite');
    const { token } = await mintToken(await createPerson(app));
    const headers = { ...headersOf(token), 'idempotency-key': 'the same' };
    for (const title of ['one', 'two']) {
      const params = { name: 'create_task', arguments: { title } };
      const payload = { jsonrpc: '2.0', id: title, method: 'tools/call', params };
      const { body } = await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload });
      assert.match(parseBody(body).result.content[0].text, new RegExp(`^Created "${title}"`));
    }
  });

  test('the API sees the address of the agent behind a tool call, not that of the proxy or of itself', async () => {
    const seen: (string | undefined)[][] = [];
    const watch: Routes = (app) => {
      app.addHook('onRequest', async ({ routeOptions, ip }) => void seen.push([routeOptions.url, ip]));
    };
    await using app = await startTestApp('sqlite', {
      settings: { TRUST_PROXY: '10.0.0.1' },
      extra: { routes: [watch] },
    });
    const { token } = await mintToken(await createPerson(app));
    seen.length = 0;
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } };
    const headers = { ...headersOf(token), 'x-forwarded-for': '203.0.113.7' };
    await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload, remoteAddress: '10.0.0.1' });
    await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload, remoteAddress: '198.51.100.9' });
    assert.deepEqual(seen, [
      ['/mcp', '203.0.113.7'],
      ['/v1/tasks/search', '203.0.113.7'],
      // Not a trusted proxy.
      ['/mcp', '198.51.100.9'],
      ['/v1/tasks/search', '198.51.100.9'],
    ]);
  });

  test('an in-process call has the caller that it is made for, and a request from outside can have none', async () => {
    const header = 'x-crescendo-call';
    const probe: Routes = (app) => {
      app.get('/test/id', { schema: { hide: true } }, async ({ caller, headers }) => ({
        user: caller?.userId,
        id: headers[header],
      }));
      app.get('/test/probe', { schema: { hide: true } }, async (request) =>
        (await app.inProcessCalls.call(app, knownCallerOf(request), { url: '/test/id' })).json(),
      );
    };
    const access = { 'GET /test/probe': 'tasks:read', 'GET /test/id': 'tasks:read' } as const;
    await using app = await startTestApp('sqlite', { extra: { routes: [probe], access } });
    const ada = await createPerson(app);
    const authorization = `Bearer ${(await mintToken(ada)).token}`;
    const { body } = await app.ask({ url: '/test/probe', headers: { authorization } });
    assert.equal(body.user, ada.userId);
    for (const id of [body.id, '', 'undefined']) {
      assert.equal((await app.ask({ url: '/test/id', headers: { [header]: id } })).status, 401);
    }
  });

  test('the request limit counts MCP requests and the API calls of their tools', async () => {
    await using app = await startTestApp('sqlite', { settings: { RATE_LIMIT_PER_MINUTE: '8' } });
    const { token } = await mintToken(await createPerson(app));
    const call = { name: 'list_tasks', arguments: {} };
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await rpc(app, token, 'tools/call', call));
    // Minting counts too, so the eighth request is the API call of a tool.
    assert.match(answers.at(-1).result.content[0].text, /^too_many_requests: .*Wait \d+ seconds\./);
    const refused = await app.ask({ method: 'POST', url: '/mcp', headers: headersOf(token), payload: {} });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  });
});
