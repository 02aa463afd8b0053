/** Where the authorization server is found, and what pages of other origins may use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  test('the metadata name one issuer, and none where a code could be read on the way', async () => {
    const places: [settings: Record<string, string>, host: string, issuer: string | undefined][] = [
      [{}, 'localhost:8080', 'http://localhost:8080'],
      [{}, '127.0.0.1:8080', 'http://127.0.0.1:8080'],
      [{}, '192.168.1.5:8080', undefined],
      [{ BASE_URL: 'https://crescendo.example' }, 'crescendo.example', 'https://crescendo.example'],
      [{ BASE_URL: 'https://crescendo.example' }, 'localhost:8080', 'https://crescendo.example'],
      [{ BASE_URL: 'http://crescendo.example' }, 'crescendo.example', undefined],
      [{ BASE_URL: 'http://localhost:8080' }, 'localhost:8080', 'http://localhost:8080'],
    ];
    for (const [settings, host, issuer] of places) {
      await using app = await startTestApp('sqlite', { settings });
      const read = (url: string) => app.ask({ url, headers: { host } });
      const server = await read('/.well-known/oauth-authorization-server');
      const expected = issuer ? [200, issuer, `${issuer}/oauth/token`] : [404, undefined, undefined];
      assert.deepEqual([server.status, server.body.issuer, server.body.token_endpoint], expected);
      for (const path of ['/mcp', '/mcp/all']) {
        const { body } = await read(`/.well-known/oauth-protected-resource${path}`);
        assert.deepEqual([body.authorization_servers, new URL(body.resource).pathname], [issuer && [issuer], path]);
        assert.ok(!body.scopes_supported.includes('offline_access'));
      }
      assert.equal(
        (await app.fastify.inject({ url: '/oauth/authorize', headers: { host } })).statusCode,
        issuer ? 303 : 404,
      );
    }
  });

  test('a host that no address can have is never a fault of the service', async () => {
    await using app = await startTestApp('sqlite');
    for (const host of ['localhost:99999', '999.999.999.999', '1.2.3.4.5', '[:::]', 'a:99999', '..']) {
      for (const url of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource', '/mcp']) {
        const { statusCode } = await app.fastify.inject({ url, headers: { host } });
        assert.ok(statusCode < 500, `${host} ${url} ${statusCode}`);
      }
    }
  });

  test('pages of other origins may use the MCP server, its metadata and the token endpoint, and nothing else', async () => {
    await using app = await startTestApp('sqlite', {
      settings: { BASE_URL: 'https://crescendo.example', TRUST_PROXY: '127.0.0.1' },
    });
    const ada = await createPerson(app);
    const page = { origin: 'https://inspector.example', host: 'crescendo.example', 'x-forwarded-proto': 'https' };
    const preflight = (url: string, method: string) =>
      app.fastify.inject({
        method: 'OPTIONS',
        url,
        headers: {
          ...page,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type',
        },
      });
    const open = ['/mcp', '/mcp/all', '/oauth/register', '/oauth/token', '/oauth/revoke'];
    const metadata = [
      'oauth-authorization-server',
      'oauth-protected-resource',
      'oauth-protected-resource/mcp',
      'oauth-protected-resource/mcp/all',
    ];
    for (const url of [...open, ...metadata.map((name) => `/.well-known/${name}`)]) {
      const { statusCode, headers } = await preflight(url, 'POST');
      assert.deepEqual([statusCode, headers['access-control-allow-origin']], [204, '*'], url);
      assert.match(String(headers['access-control-allow-headers']), /^Authorization, /);
      assert.equal(headers['access-control-allow-methods'], 'GET, POST, DELETE');
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
    const refused = await app.fastify.inject({ method: 'POST', url: '/mcp', headers: page, payload: {} });
    assert.equal(refused.headers['access-control-allow-origin'], '*');
    const readable = 'WWW-Authenticate, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version';
    assert.equal(refused.headers['access-control-expose-headers'], readable);
    const { token } = await mintToken(ada);
    const headers = { ...page, authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    assert.equal((await app.fastify.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode, 200);

    const closed = [
      '/v1/tasks',
      '/v1/connections',
      '/v1/me',
      '/app/session',
      '/oauth/authorize',
      '/app/connect',
      '/guide',
    ];
    for (const url of closed) {
      for (const answer of [await preflight(url, 'POST'), await app.fastify.inject({ url, headers: page })]) {
        const names = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
        assert.deepEqual(names, [], url);
      }
      assert.equal((await preflight(url, 'POST')).statusCode, 405, url);
    }
  });
});

onEveryEngine((engine, it) => {
  it('another host name reaches none of it', async () => {
    await using app = await startTestApp(engine, { settings: { BASE_URL: 'https://crescendo.example' } });
    const headers = { host: 'evil.example' };
    for (const [method, url] of [
      ['GET', '/oauth/authorize?x=1'],
      ['POST', '/oauth/register'],
      ['POST', '/oauth/token'],
      ['POST', '/oauth/revoke'],
      ['GET', '/.well-known/oauth-authorization-server'],
    ] as const) {
      const { status, body } = await app.ask({ method, url, headers });
      assert.deepEqual([status, Object.keys(body)], [403, ['error', 'error_description']], url);
    }
  });
});
