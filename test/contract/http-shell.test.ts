import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { transact } from '../../src/db/transact.ts';
import type { Routes } from '../../src/http/app.ts';
import { ok } from '../../src/http/envelope.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, openSession, type Person, signIn } from '../support/people.ts';
import { sampleAccess, sampleRoutes } from '../support/sample.routes.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const ID = '018f4e9c-2f6b-7abc-8def-0123456789ab';

async function startSampleApp(engine: EngineName, ...more: Routes[]): Promise<TestApp> {
  const late: { app?: TestApp } = {};
  const routes = sampleRoutes(() => {
    if (!late.app) throw new Error('not started');
    return late.app.db;
  });
  late.app = await startTestApp(engine, { extra: { routes: [routes, ...more], access: sampleAccess } });
  return late.app;
}

const post = (app: TestApp, payload: InjectOptions['payload'], headers: Record<string, string> = {}) =>
  app.ask({
    method: 'POST',
    url: '/v1/samples',
    ...(payload === undefined ? {} : { payload }),
    headers: { 'content-type': 'application/json', ...headers },
  });

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startSampleApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  it('a success is 200 in the envelope, with strings exactly as sent', async () => {
    for (const title of [
      'x',
      ' ',
      '  both ends  ',
      'é vs é',
      '👩‍👩‍👧',
      'שלום عالم',
      '"; drop table--',
      '🎺'.repeat(200),
    ]) {
      const { status, body } = await post(app, { title });
      assert.equal(status, 200, title);
      assert.equal(body.ok, true);
      assert.equal(body.error, null);
      assert.equal(body.data.title, title);
    }
  });

  it('length is counted in characters, not in UTF-16 units', async () => {
    const { status, body } = await post(app, { title: '🎺'.repeat(201) });
    assert.equal(status, 422);
    assert.deepEqual(body.detail, [
      { type: 'string_too_long', loc: ['body', 'title'], msg: 'String should have at most 200 characters' },
    ]);
  });

  it('unknown fields are ignored, and free-form objects are returned unchanged', async () => {
    const recurrence = { freq: 'weekly', by_weekday: ['mo'], nested: { a: [1, null, { b: 'ü' }] } };
    const { status, body } = await post(app, { title: 'x', from_the_future: 1, recurrence });
    assert.equal(status, 200);
    assert.deepEqual(body.data.recurrence, recurrence);
    assert.ok(!('from_the_future' in body.data));
  });

  it('values of a body are never converted to another type', async () => {
    const wrong: [Record<string, unknown>, string, string][] = [
      [{ title: 5 }, 'title', 'string_type'],
      [{ title: null }, 'title', 'string_type'],
      [{ title: 'x', has_time: 'yes' }, 'has_time', 'bool_type'],
      [{ title: 'x', has_time: 1 }, 'has_time', 'bool_type'],
      [{ title: 'x', has_time: 'true' }, 'has_time', 'bool_type'],
      [{ title: 'x', lead_time_days: '3' }, 'lead_time_days', 'int_type'],
      [{ title: 'x', lead_time_days: 1.5 }, 'lead_time_days', 'int_type'],
      [{ title: 'x', lead_time_days: -1 }, 'lead_time_days', 'greater_than_equal'],
      [{ title: 'x', lead_time_days: 31 }, 'lead_time_days', 'less_than_equal'],
      [{ title: 'x', recurrence: [] }, 'recurrence', 'dict_type'],
      [{ title: 'x', recurrence: 'daily' }, 'recurrence', 'dict_type'],
      [{ title: 'x', notes: 'n'.repeat(10_001) }, 'notes', 'string_too_long'],
      [{ title: '' }, 'title', 'string_too_short'],
      [{ title: 'x', mode: 'shout' }, 'mode', 'string_pattern_mismatch'],
      [{ title: 'x', due_at: '2026-02-30T00:00:00Z' }, 'due_at', 'datetime_parsing'],
      [{ title: 'x', owner_id: 'me' }, 'owner_id', 'uuid_parsing'],
      [{ title: 'x', owner_id: `urn:uuid:${ID}` }, 'owner_id', 'uuid_parsing'],
    ];
    for (const [payload, field, type] of wrong) {
      const { status, body } = await post(app, payload);
      assert.equal(status, 422, JSON.stringify(payload));
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', field], type]);
    }
  });

  it('the case of a UUID does not matter', async () => {
    const { body } = await post(app, { title: 'x', owner_id: ID.toUpperCase() });
    assert.equal(body.data.owner_id, ID);
    const read = await app.ask({ url: `/v1/samples/${ID.toUpperCase()}` });
    assert.equal(read.body.data.sample_id, ID);
  });

  it('path and query values are converted to their declared types', async () => {
    const read = await app.ask({ url: `/v1/samples/${ID}?limit=7&assigned=true&status=open` });
    assert.deepEqual(read.body.data, { sample_id: ID, limit: 7, assigned: true, status: 'open' });
    const wrong: [string, (string | number)[], string][] = [
      ['/v1/samples/nope', ['path', 'sample_id'], 'uuid_parsing'],
      [`/v1/samples/${'a'.repeat(5_000)}`, ['path', 'sample_id'], 'uuid_parsing'],
      [`/v1/samples/${ID}?limit=ten`, ['query', 'limit'], 'int_parsing'],
      [`/v1/samples/${ID}?limit=0`, ['query', 'limit'], 'greater_than_equal'],
      [`/v1/samples/${ID}?limit=501`, ['query', 'limit'], 'less_than_equal'],
      [`/v1/samples/${ID}?limit=1e400`, ['query', 'limit'], 'finite_number'],
      [`/v1/samples/${ID}?limit=-1e400`, ['query', 'limit'], 'finite_number'],
      [`/v1/samples/${ID}?assigned=perhaps`, ['query', 'assigned'], 'bool_parsing'],
      [`/v1/samples/${ID}?status=a&status=b`, ['query', 'status'], 'string_type'],
      [`/v1/samples/${ID}?since=2026-02-30T00:00:00Z`, ['query', 'since'], 'datetime_parsing'],
      [`/v1/samples/${ID}?status=%00`, ['query', 'status'], 'string_unicode'],
    ];
    for (const [url, loc, type] of wrong) {
      const { status, body } = await app.ask({ url });
      assert.equal(status, 422, url);
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [loc, type], url);
    }
  });

  it('without required fields, a missing body, an empty body, null and {} are the same', async () => {
    const url = `/v1/samples/${ID}/touch`;
    const json = { 'content-type': 'application/json' };
    for (const options of [
      {},
      { headers: json },
      { headers: json, payload: '' },
      { payload: '{}' },
      { payload: 'null' },
    ]) {
      const { status, body } = await app.ask({ method: 'POST', url, ...options });
      assert.deepEqual([status, body.data], [200, {}], JSON.stringify(options));
    }
  });

  it('with a required field, a missing body is a missing field, whatever its Content-Type', async () => {
    const missing = [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required' }];
    for (const [payload, type = 'application/json'] of [
      [undefined],
      [''],
      ['null'],
      ['{}'],
      [undefined, 'text/plain'],
      ['', 'text/plain'],
    ]) {
      const { status, body } = await post(app, payload, { 'content-type': type });
      assert.deepEqual([status, body.detail], [422, missing]);
    }
  });

  it('a missing Content-Type counts as JSON, any other type is 415', async () => {
    const url = '/v1/samples';
    const bare = await app.ask({ method: 'POST', url, payload: Buffer.from('{"title":"x"}') });
    assert.equal(bare.status, 200);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const { status, body } = await post(app, '{"title":"x"}', { 'content-type': type });
      assert.equal(status, 415, type);
      assert.match(body.error, /^unsupported_media_type: /);
    }
    assert.equal((await post(app, '{"title":"x"}', { 'content-type': 'application/json; charset=utf-8' })).status, 200);
  });

  it('malformed JSON and malformed UTF-8 are 422, and the answer repeats no part of them', async () => {
    for (const payload of ['{', '{"title": "hunter2', '[1,]', 'hunter2', '{"title":"x"}}']) {
      const { status, body } = await post(app, payload);
      assert.equal(status, 422, payload);
      assert.equal(body.detail[0].type, 'json_invalid');
      assert.doesNotMatch(JSON.stringify(body), /hunter2/);
    }
    assert.equal((await post(app, Buffer.from([0x22, 0xff, 0x22]))).status, 422);
  });

  test('text that a database cannot store is refused at any place in the input', async () => {
    const hidden = [
      '{"title":"a\\u0000b"}',
      '{"title":"x","recurrence":{"a":[{"b":"\\u0000"}]}}',
      '{"title":"x","recurrence":{"\\u0000":1}}',
      '{"title":"\\ud800"}',
      '{"title":"x","recurrence":{"__proto__":{"admin":true}}}',
    ];
    for (const payload of hidden) assert.equal((await post(app, payload)).status, 422, payload);
  });

  it('an answer names at most 20 problems', async () => {
    const { status, body } = await post(app, { title: 'x', tags: Array(500).fill(7) });
    assert.deepEqual([status, body.detail.length], [422, 20]);
    // Finding all problems of much input takes time that other requests would wait for.
    const much = await post(app, { title: 'x', tags: Array(1_001).fill(7) });
    assert.deepEqual([much.status, much.body.detail.length], [422, 1]);
  });

  it('the depth and the number of values of a body are checked before it is parsed', async () => {
    // None of these is valid JSON, which would be the first thing that parsing finds.
    for (const [payload, type] of [
      ['['.repeat(10_000), 'too_deep'],
      [','.repeat(30_000), 'too_long'],
      ['"a":'.repeat(3_000), 'too_long'],
    ] as const) {
      assert.equal((await post(app, payload)).body.detail[0].type, type, payload.slice(0, 10));
    }
    assert.equal((await post(app, `${'['.repeat(64)}${']'.repeat(64)}`)).body.detail[0].type, 'dict_type');
  });

  it('a body over 256 KiB is 413 before its type or content is checked; sign-in accepts 16 KiB', async () => {
    const isTooLarge = ({ status, body }: Answer) => {
      assert.equal(status, 413);
      assert.match(body.error, /^payload_too_large: /);
    };
    const bodyOf = (bytes: number) => `{"title":"${'x'.repeat(bytes - 12)}"}`;
    for (const type of ['application/json', 'text/plain']) {
      isTooLarge(await post(app, bodyOf(256 * 1024 + 1), { 'content-type': type }));
    }
    assert.equal((await post(app, bodyOf(256 * 1024))).status, 422);
    for (const url of ['/v1/auth/email/request', '/v1/auth/email/verify', '/v1/auth/idp', '/v1/auth/mfa/verify']) {
      const send = (payload: string | Readable) =>
        app.ask({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
      isTooLarge(await send(bodyOf(16 * 1024 + 1)));
      // A stream has no Content-Length.
      isTooLarge(await send(Readable.from([bodyOf(16 * 1024 + 1)])));
      assert.equal((await send(bodyOf(16 * 1024))).status, 422);
    }
  });

  it('unknown paths and wrong methods answer in the envelope, with any body', async () => {
    const unknown: [InjectOptions['method'], string][] = [
      ['GET', '/nope'],
      ['POST', '/v1/nope'],
      ['DELETE', '/v1/samples/a/b/c'],
      ['GET', '/v1//samples'],
      ['GET', '/%zz'],
      ['GET', '/docs/static/../x'],
      ['GET', '/docs/static/%2e%2e/x'],
      ['GET', '/docs/static//x'],
      ['GET', '/docs/static/a%5c..%5cb'],
    ];
    for (const [method, url] of unknown) {
      const { status, body } = await app.ask({ method: method ?? 'GET', url, payload: '{{{' });
      assert.equal(status, 404, url);
      assert.deepEqual([body.ok, body.data, body.error.split(':')[0]], [false, null, 'not_found']);
    }
    const wrong: [InjectOptions['method'], string, string][] = [
      ['DELETE', '/health', 'GET, HEAD'],
      ['GET', '/v1/samples', 'POST'],
      ['OPTIONS', '/v1/samples', 'POST'],
      ['TRACE', '/health', 'GET, HEAD'],
      ['PUT', `/v1/samples/${ID}/touch`, 'POST'],
    ];
    for (const [method, url, allow] of wrong) {
      const { status, body, headers } = await app.ask({ method: method ?? 'GET', url, payload: '{{{' });
      assert.deepEqual([status, headers.allow], [405, allow], url);
      assert.match(body.error, /^method_not_allowed: /);
    }
  });

  it('every answer has a request id and the security headers', async () => {
    const expected = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'SAMEORIGIN',
      'x-permitted-cross-domain-policies': 'none',
      'x-xss-protection': '0',
      'strict-transport-security': undefined,
    };
    for (const url of ['/health', '/nope', '/openapi.json', '/docs', '/', '/v1/tasks']) {
      const { headers } = await app.fastify.inject({ url, headers: { origin: 'https://elsewhere.example' } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, `${name} of ${url}`);
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      // No other origin may read an answer: there is no CORS header at all.
      assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control-')));
    }
  });

  it('answers of /v1 and /mcp are never stored by a browser or a proxy, whatever their status; files are', async () => {
    const ada = await createPerson(app);
    const { body } = await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    const headers = { authorization: `Bearer ${body.data.token}`, 'content-type': 'application/json' };
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize };
    const accept = 'application/json, text/event-stream';
    const answers = [
      await ada.ask('GET', '/v1/me'),
      await ada.ask('GET', '/v1/nope'),
      await ada.ask('POST', '/v1/tasks', { title: '' }),
      await app.ask({ url: '/v1/tasks' }),
      await app.ask({ url: '/mcp', method: 'POST' }),
      await app.ask({ url: '/app/sign-in-options' }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['cache-control']]),
      [200, 404, 422, 401, 401, 200].map((status) => [status, 'no-store']),
    );
    const mcp = await app.fastify.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, accept },
      payload: rpc,
    });
    assert.deepEqual([mcp.statusCode, mcp.headers['cache-control']], [200, 'no-store']);
    for (const url of ['/favicon.svg', '/docs/static/swagger-ui.css', '/v1x', '/app/session-files'])
      assert.notEqual((await app.fastify.inject({ url })).headers['cache-control'], 'no-store', url);
  });

  it('what belongs to one person is stored by no browser and no proxy outside of /v1 either', async () => {
    const ways = [
      ['PROPFIND', '/caldav/'],
      ['GET', '/caldav/tasks/one.ics'],
      ['POST', '/oauth/token'],
      ['GET', '/app/session'],
      ['GET', '/app/provider/sign-out'],
      ['GET', '/app/live'],
    ] as const;
    for (const [method, url] of ways) {
      const { headers } = await app.fastify.inject({ method: method as 'GET', url });
      assert.equal(headers['cache-control'], 'no-store', url);
    }
  });

  test('health names the version and the state of the database', async () => {
    const { status, body } = await app.ask({ url: '/health', headers: { authorization: 'Bearer nonsense' } });
    assert.equal(status, 200);
    assert.equal(body.data.status, 'ok');
    assert.equal(body.data.database, 'ok');
    assert.deepEqual(Object.keys(body.data.engine), ['lag_seconds', 'last_sweep_at']);
  });
});

onlyOn('sqlite', () => {
  test('a request that fails after it committed keeps its key, so that a retry does not do the work again', async () => {
    let done = 0;
    const late: { app?: TestApp } = {};
    const routes: Routes = (app) => {
      app.post('/v1/half', { schema: { hide: true } }, async () => {
        const { app } = late;
        if (app) await transact(app.db, async (trx) => void (await sql`select 1`.execute(trx)));
        done += 1;
        throw new Error('after the commit');
      });
      app.post('/v1/none', { schema: { hide: true } }, async () => {
        done += 1;
        throw new Error('before any commit');
      });
    };
    const access = { 'POST /v1/half': 'session', 'POST /v1/none': 'session' } as const;
    await using app = await startTestApp('sqlite', { extra: { routes: [routes], access } });
    late.app = app;
    const { sessionToken } = await signIn(app);
    const post = async (url: string) =>
      (
        await app.ask({
          method: 'POST',
          url,
          headers: { authorization: `Bearer ${sessionToken}`, 'idempotency-key': url },
        })
      ).status;
    assert.deepEqual([await post('/v1/half'), await post('/v1/half'), done], [500, 409, 1]);
    assert.deepEqual([await post('/v1/none'), await post('/v1/none'), done], [500, 500, 3]);
  });

  test('an unexpected error is logged in full and not shown to the caller', async () => {
    const routes: Routes = (app) => {
      app.get('/test/broken', { schema: { hide: true } }, async () => {
        throw new Error('password is hunter2');
      });
      app.get('/test/later', { schema: { hide: true } }, async () => {
        throw new AppError('overloaded', { retryAfterSeconds: 7 });
      });
    };
    await using app = await startSampleApp('sqlite', routes);
    const broken = await app.ask({ url: '/test/broken' });
    assert.equal(broken.status, 500);
    assert.match(broken.body.error, /^internal: /);
    assert.doesNotMatch(JSON.stringify(broken.body), /hunter2/);
    const later = await app.ask({ url: '/test/later' });
    assert.deepEqual([later.status, later.headers['retry-after']], [503, '7']);
  });

  test('a handler that takes too long is answered with 503, with and without a request body', async () => {
    const routes: Routes = (app) => {
      const never = () => new Promise(() => undefined);
      app.get('/test/slow', { schema: { hide: true } }, never);
      app.post('/test/slow', { schema: { hide: true } }, never);
    };
    const access = { ...sampleAccess, 'POST /test/slow': 'anyone' } as const;
    await using app = await startTestApp('sqlite', {
      extra: { routes: [routes], access, limits: { handlerTimeoutMs: 50 } },
    });
    const origin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const headers = { 'content-type': 'application/json' };
    for (const init of [{}, { method: 'POST' }, { method: 'POST', headers, body: '{"a":1}' }]) {
      // Needs a real connection: an injected request never emits `close`.
      const response = await fetch(`${origin}/test/slow`, init);
      const { error } = (await response.json()) as { error: string };
      assert.deepEqual([response.status, error.split(':')[0]], [503, 'timed_out']);
      assert.equal(response.headers.get('retry-after'), '1');
    }
  });

  test('a keyed request that timed out keeps its key, because it may still be running', async () => {
    const routes: Routes = (app) => {
      app.post('/v1/slow', { handlerTimeout: 50, schema: { hide: true } }, () => new Promise(() => undefined));
    };
    const extra = {
      routes: [routes],
      access: { 'POST /v1/slow': 'session' },
    } as const;
    await using app = await startTestApp('sqlite', { extra });
    const { sessionToken } = await signIn(app);
    const headers = { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'slow' };
    const post = async () => (await app.ask({ method: 'POST', url: '/v1/slow', headers })).body.error.split(':')[0];
    assert.deepEqual([await post(), await post()], ['timed_out', 'request_in_progress']);
    await app.clock.advance('61s');
    assert.equal(await post(), 'timed_out');
  });

  /**
   * A route on which each request takes a millisecond, by a clock that goes on only when it is read: a busy machine
   * makes nothing late.
   */
  async function startWork(t: TestContext, maxWaiting: number) {
    let now = performance.now();
    t.mock.method(performance, 'now', () => {
      now += 0.05;
      return now;
    });
    const routes: Routes = (app) => {
      app.get('/test/work', { schema: { hide: true } }, async () => {
        const busyUntil = performance.now() + 1;
        while (performance.now() < busyUntil);
        return ok({});
      });
    };
    const limits = { maxTurnMs: 5, maxWaiting };
    const app = await startTestApp('sqlite', { extra: { routes: [routes], access: sampleAccess, limits } });
    const origin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { server } = app.fastify;
    const { port } = server.address() as AddressInfo;
    /** Waits until the server has accepted all connections, so that the requests arrive at once. */
    const workFor = async (callers: readonly string[]): Promise<string[]> => {
      const sockets = callers.map(() => connect(port, '127.0.0.1').setEncoding('utf8'));
      const countConnections = promisify(server.getConnections.bind(server));
      await waitUntil(async () => (await countConnections()) === callers.length);
      const answers = sockets.map((socket) => socket.toArray());
      for (const [index, socket] of sockets.entries()) {
        const headers = `host: x\r\nconnection: close\r\nauthorization: Bearer ${callers[index]}`;
        socket.write(`GET /test/work HTTP/1.1\r\n${headers}\r\n\r\n`);
      }
      return (await Promise.all(answers)).map((chunks) => chunks.join(''));
    };
    return { app, origin, workFor, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
  }

  const isServed = (answer: string) => answer.startsWith('HTTP/1.1 200 ');

  test('an overloaded process refuses requests of those who send the most, under however many made-up tokens, and still answers /health', async (t) => {
    await using service = await startWork(t, 20);
    const quiet = [];
    for (let count = 0; count < 10; count += 1) quiet.push(await createPerson(service.app));
    // Whom the process knows: accounts that it has answered before. The last one has many sessions.
    const { userId } = quiet[9] as Person;
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession(service.app, userId)));
    const known = [...quiet.slice(0, 9).map(({ sessionToken }) => sessionToken), ...sessions];
    for (const token of known) assert.equal((await quiet[0]?.ask('GET', '/v1/me', undefined, token))?.status, 200);
    const madeUp = Array.from({ length: 250 }, (_, count) => `st_${count}`);
    const answers = await service.workFor([...madeUp, ...known, ...madeUp]);
    const refused = answers.filter((answer) => !isServed(answer));
    assert.ok(refused.length > 0 && refused.length < answers.length, `${refused.length} requests were refused`);
    for (const answer of refused) assert.match(answer, /^HTTP\/1\.1 503 .*retry-after: 2\r\n.*"overloaded: /s);
    assert.equal(answers.slice(madeUp.length, madeUp.length + 9).filter(isServed).length, 9);
    const probes = ['/health', '/health/live', '/health/ready'].map((path) => fetch(`${service.origin}${path}`));
    const [health, live, ready] = await Promise.all(probes);
    assert.deepEqual([health?.status, live?.status, ready?.status], [200, 200, 503]);
    assert.match((await health?.text()) ?? '', /"status":"busy"/);
  });

  test('a service whose clock runs ahead says its time with every answer, and no other one does', async () => {
    const wallClock = new FakeClock('2020-01-01T00:00:00Z');
    await using fast = await startTestApp('sqlite', { settings: { CLOCK_SPEED: '60' }, wallClock });
    await using usual = await startTestApp('sqlite');
    const headerOf = async (app: TestApp, url: string) =>
      (await app.ask({ method: 'GET', url })).headers['x-service-clock'];
    for (const url of ['/health/live', '/v1/me', '/nowhere']) {
      assert.equal(await headerOf(fast, url), `${fast.clock.now().toISOString()} 60`, url);
      assert.equal(await headerOf(usual, url), undefined, url);
    }
  });

  test('bytes that are not HTTP are still answered in the envelope', async () => {
    await using app = await startTestApp('sqlite');
    await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const address = app.fastify.server.address();
    assert.ok(typeof address === 'object' && address);
    const exchanges: [string, RegExp][] = [
      ['EHLO there\r\n\r\n', /^HTTP\/1\.1 400 .*malformed_request: /s],
      [`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 .*headers_too_large: /s],
      ['GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', /^HTTP\/1\.1 400 /],
      [
        'GET /health HTTP/1.1\r\nhost: x\r\nHost: x\r\nconnection: close\r\n\r\n',
        /^HTTP\/1\.1 400 .*malformed_request: /s,
      ],
      ['GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 200 /],
    ];
    for (const [sent, expected] of exchanges) {
      const socket = connect(address.port, '127.0.0.1').setEncoding('utf8');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(sent);
      await once(socket, 'close');
      assert.match(received, expected);
    }
  });
});
