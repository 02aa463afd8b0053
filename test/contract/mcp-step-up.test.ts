/** What a connection without a scope is answered, so that its client asks for more by itself. */
import assert from 'node:assert/strict';
import { MCP_PATHS, TOOLS } from '../../src/agents/tools.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { callTool, headersOf, mintToken, parseBody } from '../support/agents.ts';
import { connect } from '../support/assistants.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Posts a message as a client of the era, or a batch of messages. */
async function post(app: TestApp, token: string, url: string, message: object, isModern = false) {
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  const modern = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(method !== 'subscriptions/listen' && { 'mcp-name': params?.name ?? params?.uri }),
  };
  const headers = { ...headersOf(token), ...(isModern && modern) } as Record<string, string>;
  const payload = isModern ? { ...message, params: { ...params, _meta: META } } : message;
  return app.fastify.inject({ method: 'POST', url, headers, payload });
}

const call = (name: string, input: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

const challengeOf = (url: string, scopes: readonly string[]) =>
  `Bearer realm="crescendo", error="insufficient_scope", scope="${scopes.join(' ')}", ` +
  `resource_metadata="http://localhost:80/.well-known/oauth-protected-resource${url}"`;

onEveryEngineWith(startWithAda, (it, _test, engine) => {
  it('a connection without the scope of a tool gets 403 with all scopes that would do, in both revisions', async ({
    app,
    ada,
  }) => {
    const other = { 'tasks:read': 'tasks:write', 'tasks:write': 'tasks:read', 'settings:write': 'tasks:read' } as const;
    const tokens = new Map<string, string>();
    for (const held of ['tasks:read', 'tasks:write']) {
      tokens.set(held, (await connect(app, ada, { scopes: [held] })).access);
    }
    const challenged = new Set<string>();
    for (const url of MCP_PATHS) {
      for (const { name, description } of TOOLS[url]) {
        // The description says what a tool always needs, and is the last word on it.
        const needed = SCOPES.find((scope) => description.includes(`Needs ${scope}`));
        assert.ok(needed, `${name} does not say which scope it needs`);
        const held = other[needed];
        const wanted = SCOPES.filter((scope) => scope === held || scope === needed);
        for (const isModern of [false, true]) {
          const { statusCode, headers, body } = await post(app, tokens.get(held) ?? '', url, call(name), isModern);
          assert.deepEqual([statusCode, headers['www-authenticate']], [403, challengeOf(url, wanted)], name);
          assert.match(parseBody(body).error.message, new RegExp(`^scope_required: .*${needed}.*Connect again`));
        }
        challenged.add(needed);
      }
    }
    assert.deepEqual([...challenged].sort(), [...SCOPES].sort());
  });

  it('a batch of a connection is refused before any of it is carried out', async ({ app, ada }) => {
    const { access } = await connect(app, ada, { scopes: ['tasks:write'] });
    const batch = [call('create_task', { title: 'pills' }), call('list_tasks', {}, 2), call('pause_reminders', {}, 3)];
    const { statusCode, headers } = await post(app, access, '/mcp/all', batch);
    assert.deepEqual([statusCode, headers['www-authenticate']], [403, challengeOf('/mcp/all', SCOPES)]);
    assert.deepEqual((await ada.ask('GET', '/v1/tasks')).body.data, []);
    // At /mcp there is no such tool, so more scopes would not help.
    const six = await post(app, access, '/mcp', [
      call('create_task', { title: 'pills' }),
      call('pause_reminders', {}, 2),
    ]);
    assert.equal(six.statusCode, 200, six.body);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 1);
  });

  it('an access token keeps the answer of the tool, and resources need the scope of their tools', async ({
    app,
    ada,
  }) => {
    const { token } = await mintToken(ada, { scopes: ['tasks:write'] });
    const { access } = await connect(app, ada, { scopes: ['tasks:write'] });
    const refused = await callTool(app, token, 'list_tasks');
    assert.match(refused.text, /^scope_required: .*tasks:read/);
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'crescendo://today' } },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: ['crescendo://today'] } },
      },
    ]) {
      const own = await post(app, token, '/mcp/all', message, true);
      assert.equal(own.headers['www-authenticate'], undefined);
      assert.match(parseBody(own.body).error.message, /^scope_required: .*tasks:read/);
      const stepped = await post(app, access, '/mcp/all', message, true);
      const wanted = challengeOf('/mcp/all', ['tasks:read', 'tasks:write']);
      assert.deepEqual([stepped.statusCode, stepped.headers['www-authenticate']], [403, wanted]);
    }
  });

  it('a tool that turns out to need another scope is refused in the same way, but not a batch that was carried out', async () => {
    const access = { 'GET /v1/tasks/search': 'settings:write' } as const;
    await using app = await startTestApp(engine, { extra: { access } });
    const ada = await createPerson(app);
    const connection = await connect(app, ada, { scopes: ['tasks:read'] });
    const { statusCode, headers } = await post(app, connection.access, '/mcp', call('list_tasks'));
    assert.deepEqual(
      [statusCode, headers['www-authenticate']],
      [403, challengeOf('/mcp', ['tasks:read', 'settings:write'])],
    );
    const writing = await connect(app, ada, { scopes: ['tasks:read', 'tasks:write'] });
    const batch = [call('create_task', { title: 'pills' }), call('list_tasks', {}, 2)];
    const { statusCode: status, body } = await post(app, writing.access, '/mcp', batch);
    assert.equal(status, 200, body);
    assert.match(body, /scope_required/);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 1);
  });

  it('/mcp says which of its missing tools are at /mcp/all', async ({ app, ada }) => {
    const { token } = await mintToken(ada);
    for (const isModern of [false, true]) {
      const { error } = parseBody((await post(app, token, '/mcp', call('list_outcomes'), isModern)).body);
      assert.match(error.message, /^list_outcomes is at \/mcp\/all,.* Here are create_task, .*set_escalation\.$/);
      const nowhere = parseBody((await post(app, token, '/mcp', call('drop_table'), isModern)).body);
      assert.match(nowhere.error.message, /^There is no such tool\. The tools are create_task/);
    }
  });
});
