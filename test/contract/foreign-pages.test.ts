/** Pages of other sites reach nothing: neither under a name that they point here, nor without asking first. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { accessTable } from '../../src/http/access.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const BASE_URL = 'https://crescendo.example';
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

const hostLines = ({ log }: TestApp) => log.filter(({ setting }) => setting === 'ALLOWED_HOSTS');

/** Sends the bytes on a connection of its own, and reads the status and the error code of the answer. */
async function exchange({ fastify }: TestApp, head: string): Promise<string> {
  const { port } = fastify.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(`${head}connection: close\r\n\r\n`);
  await once(socket, 'close');
  const [, status = '', code = ''] = /^HTTP\/1\.1 (\d+) (?:.*"error":"(\w+): )?/s.exec(received) ?? [];
  return code === '' ? status : `${status} ${code}`;
}

onlyOn('sqlite', () => {
  test('under a name that is not ours every route is refused before it works, and only monitoring is answered', async () => {
    await using app = await startTestApp('sqlite', { settings: { METRICS_TOKEN: 'x'.repeat(16) } });
    const { sessionToken } = await createPerson(app);
    const headers = { host: 'evil.example', authorization: `Bearer ${sessionToken}` };
    const ask = async (method: string, url: string) => {
      const { statusCode, body } = await app.fastify.inject({ method: method as 'GET', url, headers });
      return `${statusCode} ${/host_not_allowed|does not answer to this host name/.test(body)}`;
    };
    const monitoring = ['/health', '/health/live', '/health/ready', '/metrics'];
    for (const key of Object.keys(accessTable)) {
      const [method = '', pattern = ''] = key.split(' ');
      const url = pattern.replaceAll(/:\w+/g, 'x').replace('*', '/x');
      if (method === 'HEAD' || monitoring.includes(url)) continue;
      assert.equal(await ask(method, url), '403 true', key);
    }
    for (const [method, url] of [
      ['GET', '/nowhere'],
      ['PUT', '/v1/tasks'],
      ['OPTIONS', '/v1/tasks'],
      ['GET', '/app/index.html'],
      ['GET', '/docs/static/index.css'],
      ['GET', '/health/other'],
      ['POST', '/health/../v1/tasks'],
    ] as const) {
      assert.equal(await ask(method, url), '403 true', url);
    }
    for (const url of [...monitoring.slice(0, 3), '/health?x=/v1/me']) assert.match(await ask('GET', url), /^200/, url);
    assert.equal(await ask('GET', '/metrics'), '401 false');
  });

  test('the host is judged in every spelling of a request', async () => {
    await using app = await startTestApp('sqlite', {
      settings: { BASE_URL, ALLOWED_HOSTS: 'Reminders.example.org, alt.example', TRUST_PROXY: '127.0.0.1' },
    });
    await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const refused = '403 host_not_allowed';
    const table: [head: string, expected: string][] = [
      ['GET /robots.txt HTTP/1.1\r\nhost: crescendo.example\r\n', '200'],
      ['GET /robots.txt HTTP/1.1\r\nHOST: CRESCENDO.example.:443\r\n', '200'],
      ['GET /robots.txt HTTP/1.1\r\nhost: reminders.example.org\r\n', '200'],
      ['GET /robots.txt HTTP/1.1\r\nhost: alt.example:8443\r\n', '200'],
      ['GET /robots.txt HTTP/1.1\r\nhost: api:8080\r\n', '200'],
      ['GET /robots.txt HTTP/1.0\r\nhost: 127.0.0.1\r\n', '200'],
      ['GET http://crescendo.example/robots.txt HTTP/1.1\r\nhost: crescendo.example\r\n', '200'],
      ['GET /robots.txt HTTP/1.1\r\nhost: 10.0.0.2\r\nx-forwarded-host: crescendo.example\r\n', '200'],

      ['GET /robots.txt HTTP/1.1\r\nhost: evil.example\r\n', refused],
      ['GET /robots.txt HTTP/1.1\r\nhost: x.alt.example\r\n', refused],
      ['GET /robots.txt HTTP/1.0\r\nhost: evil.example\r\n', refused],
      ['GET /robots.txt HTTP/1.0\r\n', refused],
      ['GET /robots.txt HTTP/1.1\r\n', '400 malformed_request'],
      ['GET /robots.txt HTTP/1.1\r\nhost:\r\n', '400 malformed_request'],
      ['GET /robots.txt HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n', '400 malformed_request'],
      ['GET /robots.txt HTTP/1.1\r\nhost: localhost, evil.example\r\n', refused],
      ['GET http://evil.example/robots.txt HTTP/1.1\r\nhost: localhost\r\n', refused],
      ['GET http://localhost@evil.example/robots.txt HTTP/1.1\r\nhost: localhost\r\n', refused],
      ['GET HTTP://localhost/robots.txt HTTP/1.1\r\nhost: evil.example\r\n', refused],
      // A proxy that is trusted passes on the name that it was called by. It does not make another one right.
      ['GET /robots.txt HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: localhost\r\n', refused],
      ['GET /robots.txt HTTP/1.1\r\nhost: localhost\r\nx-forwarded-host: evil.example\r\n', refused],
      ['GET /robots.txt HTTP/1.1\r\nhost: localhost\r\nx-forwarded-host: localhost, evil.example\r\n', refused],
    ];
    for (const [head, expected] of table) assert.equal(await exchange(app, head), expected, head);
  });

  test('the answer and one line of the log per name say what to set, and made-up names cannot fill the log', async () => {
    await using app = await startTestApp('sqlite', { settings: { LOG_LEVEL: 'info' } });
    const page = await app.fastify.inject({ url: '/', headers: { host: 'reminders.example.org', accept: BROWSER } });
    assert.deepEqual([page.statusCode, page.headers['content-type']], [403, 'text/html; charset=utf-8']);
    for (const words of ['reminders.example.org', 'BASE_URL', 'ALLOWED_HOSTS'])
      assert.ok(page.body.includes(words), words);
    const crafted = { host: '"><script>alert(1)</script>', accept: BROWSER };
    assert.ok(!(await app.fastify.inject({ url: '/', headers: crafted })).body.includes('<script'));
    const { status, body } = await app.ask({ url: '/v1/me', headers: { host: 'reminders.example.org' } });
    assert.deepEqual([status, body.ok], [403, false]);
    assert.match(body.error, /^host_not_allowed: .*BASE_URL.*ALLOWED_HOSTS/);
    assert.deepEqual(
      hostLines(app).map(({ host }) => host),
      ['reminders.example.org', crafted.host],
    );
    assert.match(String(hostLines(app)[0]?.msg), /reminders\.example\.org.*BASE_URL.*ALLOWED_HOSTS/);
    for (let count = 0; count < 50; count += 1) await app.ask({ url: '/', headers: { host: `x${count}.example` } });
    assert.equal(hostLines(app).length, 10);
    assert.deepEqual(
      app.log.filter(({ msg }) => msg === 'request'),
      [],
    );
    await app.clock.advance('24h');
    await app.ask({ url: '/', headers: { host: 'reminders.example.org' } });
    assert.equal(hostLines(app).length, 11);
  });

  test('no page of another origin changes anything unless a preflight could have stopped it', async () => {
    await using app = await startTestApp('sqlite', { settings: { BASE_URL: 'http://crescendo.example' } });
    const { sessionToken } = await createPerson(app);
    const host = 'nas:8080';
    const email = JSON.stringify({ email: 'ada@example.org' });
    const json = { 'content-type': 'application/json' };
    const bearer = { authorization: `Bearer ${sessionToken}` };
    const evil = { origin: 'https://evil.example' };
    const ask = async (url: string, headers: Record<string, string>, payload?: string) => {
      const request: InjectOptions = {
        method: 'POST',
        url,
        headers: { host, ...headers },
        ...(payload && { payload }),
      };
      const { statusCode, body } = await app.fastify.inject(request);
      return statusCode === 403 ? `403 ${/\w+_\w+/.exec(JSON.parse(body).error)?.[0]}` : String(statusCode);
    };
    const code = '/v1/auth/email/request';
    const refused = '403 origin_not_allowed';
    const table: [headers: Record<string, string>, expected: string][] = [
      // Programs, which need no content type, and pages of ours.
      [{}, '200'],
      [{ 'sec-fetch-site': 'none' }, '200'],
      [{ origin: 'http://nas:8080' }, '200'],
      [{ origin: 'http://nas:8080', 'sec-fetch-site': 'same-origin' }, '200'],
      [{ origin: 'http://crescendo.example', ...json }, '200'],

      [evil, refused],
      [{ ...evil, ...json }, refused],
      [{ ...evil, 'content-type': 'text/plain' }, refused],
      [{ ...evil, 'content-type': 'application/x-www-form-urlencoded' }, refused],
      [{ ...evil, 'content-type': 'multipart/form-data; boundary=x' }, refused],
      [{ ...evil, 'sec-fetch-site': 'same-origin' }, refused],
      [{ origin: 'null' }, refused],
      [{ origin: 'file://' }, refused],
      [{ origin: 'http://nas:1234' }, refused],
      [{ origin: 'http://nas.evil.example:8080' }, refused],
      [{ 'sec-fetch-site': 'cross-site' }, refused],
      [{ 'sec-fetch-site': 'same-site' }, refused],
      [{ 'sec-fetch-site': 'same-origin, cross-site' }, refused],
      [{ origin: 'http://nas:8080', 'sec-fetch-site': 'cross-site' }, refused],
      // A browser adds these by itself, so they show no preflight.
      [{ ...evil, authorization: 'Basic YTpi' }, refused],
      [{ ...evil, cookie: `crescendo-session=${sessionToken}` }, refused],
    ];
    for (const [headers, expected] of table)
      assert.equal(await ask(code, headers, email), expected, JSON.stringify(headers));

    const task = '{"title":"x"}';
    // These headers make a browser ask first, and we never agree. An extension or a desktop app may send them.
    assert.equal(await ask('/v1/tasks', { ...evil, ...bearer, ...json }, task), '200');
    assert.equal(await ask(code, { ...evil, ...json, 'x-crescendo-app': '1' }, email), '200');
    // The body of a page that avoids naming its type.
    assert.equal(await ask('/v1/tasks', { ...bearer }, task), '200');
    assert.equal(await ask('/v1/tasks', { ...evil, ...bearer }, task), refused);
    assert.equal(await ask('/v1/tasks', { ...bearer, 'sec-fetch-site': 'cross-site' }, task), refused);

    // Every other route that changes something without a session; those that are for other origins stay open.
    const byToken = ['/app/sign-in', '/a/:token', '/take-back/:token'];
    const open = ['/oauth/register', '/oauth/token', '/oauth/revoke', ...byToken, '/mcp', '/mcp/all'];
    for (const key of Object.keys(accessTable)) {
      const [method, pattern = ''] = key.split(' ');
      if (method !== 'POST') continue;
      const answer = await ask(pattern.replaceAll(/:\w+/g, 'x'), { ...evil, 'content-type': 'text/plain' }, '{}');
      if (open.includes(pattern)) assert.ok(pattern.startsWith('/mcp') || answer !== refused, `${key}: ${answer}`);
      else assert.equal(answer, refused, key);
    }
  });
});
