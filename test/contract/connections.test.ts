/** What a connection is for its owner: a row among the tokens, good or gone on the next call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { newId } from '../../src/lib/ids.ts';
import { callTool, callToolOk } from '../support/agents.ts';
import {
  agree,
  askToken,
  CALLBACK,
  connect,
  decide,
  mcpStatus,
  newProof,
  postForm,
  queryOf,
  RAILS,
  refreshWith,
  register,
} from '../support/assistants.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const rowsOf = async (app: TestApp) => ({
  tokens: (await app.db.selectFrom('access_tokens').select('id').execute()).length,
  codes: (await app.db.selectFrom('connection_codes').select('code_hash').execute()).length,
  secrets: (await app.db.selectFrom('connection_secrets').select('secret_hash').execute()).length,
});

onEveryEngineWith(startWithAda, (it) => {
  it('a connection is listed with its client and its rails, and revoking it acts on the next call', async (service) => {
    const { app, ada } = service;
    const rails = { max_stage: 1, max_open_tasks: 3, expires_at: '2026-06-01T00:00:00Z' };
    const { id, access, refresh, clientId } = await connect(app, ada, rails);
    const [listed] = (await ada.ask('GET', '/v1/tokens')).body.data;
    assert.deepEqual(
      { ...listed, created_at: undefined },
      {
        id,
        name: 'Jeeves',
        prefix: 'ct_',
        scopes: RAILS.scopes,
        created_at: undefined,
        last_used_at: null,
        client: { name: 'Jeeves', host: null },
        ...rails,
        expires_at: '2026-06-01T00:00:00.000Z',
      },
    );
    assert.deepEqual([await mcpStatus(app, access), await mcpStatus(app, access, '/mcp/all')], [200, 200]);
    assert.notEqual((await ada.ask('GET', '/v1/tokens')).body.data[0].last_used_at, null);
    const bob = await createPerson(app);
    assert.equal((await bob.ask('DELETE', `/v1/tokens/${id}`)).status, 404);
    assert.equal((await ada.ask('DELETE', `/v1/tokens/${id}`)).status, 200);
    assert.deepEqual([await mcpStatus(app, access), await mcpStatus(app, access, '/mcp/all')], [401, 401]);
    const late = await refreshWith(app, { clientId, refresh });
    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
    assert.deepEqual(await rowsOf(app), { tokens: 0, codes: 1, secrets: 0 });
  });

  it('the owner is told by mail, and the timeline names the connection across a refresh', async ({ app, ada }) => {
    const connection = await connect(app, ada);
    await waitUntil(() => app.printed.some((mail) => mail.includes('calls itself “Jeeves”')));
    const { structured } = await callToolOk(app, connection.access, 'create_task', { title: 'pills' });
    const next = (await refreshWith(app, connection)).body;
    await callToolOk(app, next.access_token, 'complete_task', { task_id: structured.task.id });
    const { data } = (await ada.ask('GET', `/v1/tasks/${structured.task.id}/timeline`)).body;
    assert.deepEqual(
      data.map(({ kind, token_id, token }: Record<string, unknown>) => [kind, token_id, token]),
      ['done', 'created'].map((kind) => [kind, connection.id, { name: 'Jeeves', prefix: 'ct_' }]),
    );
  });

  it('an assistant that refreshes too often keeps no other one of the account from it', async ({ app, ada }) => {
    const [loud, quiet] = [await connect(app, ada), await connect(app, ada)];
    const next = (await refreshWith(app, loud)).body;
    await app.db.updateTable('throttles').set({ count: 500 }).execute();
    assert.equal((await refreshWith(app, { ...loud, refresh: next.refresh_token })).status, 429);
    assert.equal((await refreshWith(app, quiet)).status, 200);
  });

  it('what an assistant was allowed until some day is not proposed after it', async ({ app, ada }) => {
    const { clientId, id } = await connect(app, ada, { max_open_tasks: 7 });
    const query = queryOf(clientId, newProof().challenge);
    const held = async () => (await ada.ask('POST', '/v1/connections/preview', { query })).body.data.held;
    assert.equal((await held()).max_open_tasks, 7);
    await app.db.updateTable('access_tokens').set({ expires_at: app.clock.now() }).where('id', '=', id).execute();
    assert.equal(await held(), null);
  });

  it('budget and stage hold across a refresh', async ({ app, ada }) => {
    const connection = await connect(app, ada, { max_stage: 0, max_open_tasks: 1 });
    await callToolOk(app, connection.access, 'create_task', { title: 'one' });
    const { access_token } = (await refreshWith(app, connection)).body;
    for (const token of [connection.access, access_token]) {
      const second = await callTool(app, token, 'create_task', { title: 'two' });
      assert.match(second.text, /^too_many_open_tasks/);
      const [task] = (await ada.ask('GET', '/v1/tasks')).body.data;
      const loud = await callTool(app, token, 'set_escalation', { task_id: task.id, break_quiet_hours: true });
      assert.match(loud.text, /^not_allowed: .*max_stage/);
    }
  });

  it('a connection counts at the MCP server only, a session and a code never do', async ({ app, ada }) => {
    const { access, refresh, code } = await connect(app, ada, {
      scopes: ['tasks:read', 'tasks:write', 'settings:write'],
    });
    for (const [method, url] of [
      ['GET', '/v1/tasks'],
      ['POST', '/v1/tasks'],
      ['GET', '/v1/me'],
      ['POST', '/v1/me/pause'],
      ['GET', '/v1/tokens'],
      ['POST', '/v1/connections/preview'],
    ] as const) {
      const { status, body, headers } = await ada.ask(
        method,
        url,
        method === 'POST' ? { title: 'x' } : undefined,
        access,
      );
      assert.deepEqual([status, body.error.split(':')[0]], [401, 'unauthenticated'], url);
      assert.match(String(headers['www-authenticate']), /error="invalid_token"/);
    }
    for (const url of ['/mcp', '/mcp/all']) {
      assert.equal(await mcpStatus(app, ada.sessionToken, url), 403);
      for (const token of [refresh, code]) assert.equal(await mcpStatus(app, token, url), 401);
    }
  });

  it('secrets end with their time, and with the end that the person chose', async ({ app, ada }) => {
    const short = await connect(app, ada, { expires_at: '2026-03-02T10:00:00Z' });
    const first = await askToken(app, {
      grant_type: 'refresh_token',
      refresh_token: short.refresh,
      client_id: short.clientId,
    });
    assert.equal(first.body.expires_in, 3_600);
    const long = await connect(app, ada);
    assert.equal(
      (
        await decide(ada, queryOf(long.clientId, newProof().challenge), {
          ...RAILS,
          expires_at: '2026-03-02T09:00:00Z',
        })
      ).status,
      422,
    );
    await app.clock.advance('1h');
    assert.deepEqual([await mcpStatus(app, short.access), await mcpStatus(app, first.body.access_token)], [401, 401]);
    const ended = await refreshWith(app, { ...short, refresh: first.body.refresh_token });
    assert.deepEqual([ended.status, ended.body.error], [400, 'invalid_grant']);
    await app.clock.advance('23h');
    assert.equal(await mcpStatus(app, long.access), 401);
    const renewed = (await refreshWith(app, long)).body;
    assert.equal(renewed.expires_in, 86_400);
    assert.equal(await mcpStatus(app, renewed.access_token), 200);
    await app.clock.advance('90d');
    assert.equal((await refreshWith(app, { ...long, refresh: renewed.refresh_token })).body.error, 'invalid_grant');
  });

  it('a suspended account has no connections, and gets no new ones', async ({ app, ada }) => {
    const connection = await connect(app, ada);
    const { verifier, challenge } = newProof();
    const code = await agree(ada, queryOf(connection.clientId, challenge));
    await app.db.updateTable('users').set({ suspended_at: app.clock.now() }).where('id', '=', ada.userId).execute();
    assert.equal(await mcpStatus(app, connection.access), 401);
    assert.equal((await refreshWith(app, connection)).body.error, 'invalid_grant');
    const fields = { grant_type: 'authorization_code', code, client_id: connection.clientId, code_verifier: verifier };
    assert.equal((await askToken(app, fields)).body.error, 'invalid_grant');
  });

  it('an assistant ends its connection with the refresh token, and one access token with itself', async (service) => {
    const { app, ada } = service;
    const { id, access, refresh, clientId } = await connect(app, ada);
    const revoke = (token: string, client_id = clientId) => postForm(app, '/oauth/revoke', { token, client_id });
    const other = (await register(app, { client_name: 'Other' })).client_id;
    assert.equal((await revoke(refresh, other)).body.error, 'invalid_grant');
    assert.deepEqual([(await revoke('ct_unknown')).status, (await revoke(access)).status], [200, 200]);
    assert.deepEqual([await mcpStatus(app, access), (await rowsOf(app)).tokens], [401, 1]);
    assert.equal((await revoke(refresh)).status, 200);
    assert.deepEqual(await rowsOf(app), { tokens: 0, codes: 1, secrets: 0 });
    const ended = app.log.filter(({ audit }) => audit === 'connection_ended');
    assert.deepEqual(
      ended.map(({ result, token_id }) => [result, token_id]),
      [['revoked_by_client', id]],
    );
  });

  it('what has expired is deleted, and an export lists connections without their secrets', async ({ app, ada }) => {
    await connect(app, ada);
    const { data } = (await ada.ask('GET', '/v1/me/export')).body;
    assert.deepEqual([data.access_tokens[0].name, data.access_tokens[0].client_host], ['Jeeves', null]);
    assert.ok(!JSON.stringify(data).includes('secret_hash'));
    const housekeeping = new Housekeeping(app.db, app.clock);
    await app.clock.advance('2d');
    await housekeeping.runOnce();
    assert.deepEqual(await rowsOf(app), { tokens: 1, codes: 0, secrets: 1 });
    await app.clock.advance('90d');
    await housekeeping.runOnce();
    assert.deepEqual(await rowsOf(app), { tokens: 1, codes: 0, secrets: 0 });
  });

  it('connections count among the 100 tokens of an account', async ({ app, ada }) => {
    const { client_id } = await register(app);
    const { verifier, challenge } = newProof();
    const code = await agree(ada, queryOf(client_id, challenge));
    const token = { user_id: ada.userId, prefix: 'pk_', scopes: '[]', created_at: app.clock.now() };
    const rows = Array.from({ length: 100 }, (_, index) => ({ ...token, id: newId(), token_hash: `token ${index}` }));
    await app.db.insertInto('access_tokens').values(rows).execute();
    const refused = await decide(ada, queryOf(client_id, challenge));
    assert.deepEqual([refused.status, refused.body.error.split(':')[0]], [429, 'too_many_tokens']);
    const fields = { grant_type: 'authorization_code', code, client_id, code_verifier: verifier };
    assert.equal((await askToken(app, fields)).status, 429);
    assert.equal((await ada.ask('GET', '/v1/tokens')).body.data.length, 100);
  });
});

onEveryEngine((engine, it) => {
  test('deleting the account ends its connections and its codes at once, before all of it is gone', async () => {
    const extra = { rowsAtOnce: 1, followUps: { rows: 1, mayRun: () => false } };
    await using app = await startTestApp(engine, { extra });
    const ada = await createPerson(app);
    for (const title of ['a', 'b', 'c']) await ada.ask('POST', '/v1/tasks', { title });
    const connection = await connect(app, ada);
    const { verifier, challenge } = newProof();
    const code = await agree(ada, queryOf(connection.clientId, challenge));
    assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    assert.equal((await app.db.selectFrom('users').select('id').execute()).length, 1, 'nothing was left for later');
    assert.deepEqual(await rowsOf(app), { tokens: 0, codes: 0, secrets: 0 });
    assert.equal(await mcpStatus(app, connection.access), 401);
    assert.equal((await refreshWith(app, connection)).body.error, 'invalid_grant');
    const fields = { grant_type: 'authorization_code', code, client_id: connection.clientId, code_verifier: verifier };
    assert.equal((await askToken(app, fields)).body.error, 'invalid_grant');
  });

  it('no code, token, verifier or state appears in a log', async () => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'trace' } });
    const ada = await createPerson(app);
    const { client_id, client_secret = '' } = await register(app, { token_endpoint_auth_method: 'client_secret_post' });
    const { verifier, challenge } = newProof();
    const query = queryOf(client_id, challenge, { state: 'very-own-state' });
    await app.fastify.inject({ url: `/oauth/authorize?${query}` });
    const code = await agree(ada, query);
    const fields = { grant_type: 'authorization_code', code, client_id, client_secret, code_verifier: verifier };
    const { access_token, refresh_token } = (await askToken(app, { ...fields, redirect_uri: CALLBACK })).body;
    await mcpStatus(app, access_token);
    await askToken(app, { grant_type: 'refresh_token', refresh_token, client_id, client_secret });
    await askToken(app, fields);
    const log = JSON.stringify(app.log);
    assert.ok(log.includes('connection_made') && log.includes('/oauth/token'), 'nothing was logged');
    for (const secret of [code, verifier, access_token, refresh_token, client_secret, 'very-own-state'])
      assert.ok(!log.includes(secret), 'a secret is in the log');
  });
});
