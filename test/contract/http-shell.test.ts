import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { transact } from '../../src/db/transact.ts';
import type { Routes } from '../../src/http/app.ts';
import { ok } from '../../src/http/envelope.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type Bed, startBed } from '../support/bed.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { specimenAccess, specimenRoutes } from '../support/specimen.routes.ts';

const ID = '018f4e9c-2f6b-7abc-8def-0123456789ab';

async function startSpecimenBed(engine: EngineName, ...more: Routes[]): Promise<Bed> {
  const late: { bed?: Bed } = {};
  const routes = specimenRoutes(() => {
    if (!late.bed) throw new Error('not started');
    return late.bed.db;
  });
  late.bed = await startBed(engine, { extra: { routes: [routes, ...more], access: specimenAccess } });
  return late.bed;
}

/** Every way a request can be made, and what comes back, without the wrapping. */
async function ask(bed: Bed, options: InjectOptions) {
  const response = await bed.app.inject(options);
  return { status: response.statusCode, body: response.body ? response.json() : undefined, headers: response.headers };
}

const post = (bed: Bed, payload: InjectOptions['payload'], headers: Record<string, string> = {}) =>
  ask(bed, {
    method: 'POST',
    url: '/v1/specimens',
    ...(payload === undefined ? {} : { payload }),
    headers: { 'content-type': 'application/json', ...headers },
  });

onEveryEngine((engine) => {
  let bed: Bed;
  before(async () => {
    bed = await startSpecimenBed(engine);
  });
  after(() => bed[Symbol.asyncDispose]());

  test('a success is 200 in the envelope, strings exactly as sent', async () => {
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
      const { status, body } = await post(bed, { title });
      assert.equal(status, 200, title);
      assert.equal(body.ok, true);
      assert.equal(body.error, null);
      assert.equal(body.data.title, title);
    }
  });

  test('length is counted in characters, not in UTF-16 units', async () => {
    assert.equal((await post(bed, { title: '🎺'.repeat(200) })).status, 200);
    const { status, body } = await post(bed, { title: '🎺'.repeat(201) });
    assert.equal(status, 422);
    assert.deepEqual(body.detail, [
      { type: 'string_too_long', loc: ['body', 'title'], msg: 'String should have at most 200 characters' },
    ]);
  });

  test('unknown fields are ignored, free-form objects come back whole', async () => {
    const recurrence = { freq: 'weekly', by_weekday: ['mo'], nested: { a: [1, null, { b: 'ü' }] } };
    const { status, body } = await post(bed, { title: 'x', from_the_future: 1, recurrence });
    assert.equal(status, 200);
    assert.deepEqual(body.data.recurrence, recurrence);
    assert.ok(!('from_the_future' in body.data));
  });

  test('a body is taken as it is: nothing is coerced', async () => {
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
      [{ title: 'x', owner_id: 'me' }, 'owner_id', 'uuid_parsing'],
      [{ title: 'x', owner_id: `urn:uuid:${ID}` }, 'owner_id', 'uuid_parsing'],
    ];
    for (const [payload, field, type] of wrong) {
      const { status, body } = await post(bed, payload);
      assert.equal(status, 422, JSON.stringify(payload));
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', field], type]);
    }
  });

  test('date-times are strict, and an offset is optional', async () => {
    for (const due_at of ['2026-03-29T02:30:00', '2026-03-29T02:30:00Z', '2024-02-29T00:00:00+05:45']) {
      assert.equal((await post(bed, { title: 'x', due_at })).status, 200, due_at);
    }
    for (const due_at of ['2026-02-30T00:00:00Z', 'tomorrow', '2026-03-29', '2026-03-29T25:00:00Z', '']) {
      const { status, body } = await post(bed, { title: 'x', due_at });
      assert.equal(status, 422, due_at);
      assert.equal(body.detail[0].type, 'datetime_parsing');
    }
  });

  test('a UUID is the same in any case', async () => {
    const { body } = await post(bed, { title: 'x', owner_id: ID.toUpperCase() });
    assert.equal(body.data.owner_id, ID);
    const read = await ask(bed, { url: `/v1/specimens/${ID.toUpperCase()}` });
    assert.equal(read.body.data.specimen_id, ID);
  });

  test('path and query are parsed into their types', async () => {
    const read = await ask(bed, { url: `/v1/specimens/${ID}?limit=7&assigned=true&status=open` });
    assert.deepEqual(read.body.data, { specimen_id: ID, limit: 7, assigned: true, status: 'open' });
    const wrong: [string, (string | number)[], string][] = [
      ['/v1/specimens/nope', ['path', 'specimen_id'], 'uuid_parsing'],
      [`/v1/specimens/${ID}?limit=ten`, ['query', 'limit'], 'int_parsing'],
      [`/v1/specimens/${ID}?limit=0`, ['query', 'limit'], 'greater_than_equal'],
      [`/v1/specimens/${ID}?limit=501`, ['query', 'limit'], 'less_than_equal'],
      [`/v1/specimens/${ID}?assigned=perhaps`, ['query', 'assigned'], 'bool_parsing'],
      [`/v1/specimens/${ID}?status=a&status=b`, ['query', 'status'], 'string_type'],
      [`/v1/specimens/${ID}?since=2026-02-30T00:00:00Z`, ['query', 'since'], 'datetime_parsing'],
      [`/v1/specimens/${ID}?status=%00`, ['query', 'status'], 'string_unicode'],
    ];
    for (const [url, loc, type] of wrong) {
      const { status, body } = await ask(bed, { url });
      assert.equal(status, 422, url);
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [loc, type], url);
    }
  });

  test('no body, an empty one, null and {} are the same where no field is required', async () => {
    const url = `/v1/specimens/${ID}/touch`;
    const json = { 'content-type': 'application/json' };
    for (const options of [
      {},
      { headers: json },
      { headers: json, payload: '' },
      { payload: '{}' },
      { payload: 'null' },
    ]) {
      const { status, body } = await ask(bed, { method: 'POST', url, ...options });
      assert.deepEqual([status, body.data], [200, {}], JSON.stringify(options));
    }
  });

  test('where a field is required, a missing body is a missing field', async () => {
    const missing = [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required' }];
    for (const payload of [undefined, '', 'null', '{}']) {
      const { status, body } = await post(bed, payload);
      assert.deepEqual([status, body.detail], [422, missing]);
    }
  });

  test('a missing Content-Type is read as JSON, another one is 415', async () => {
    const url = '/v1/specimens';
    const bare = await ask(bed, { method: 'POST', url, payload: Buffer.from('{"title":"x"}') });
    assert.equal(bare.status, 200);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const { status, body } = await post(bed, '{"title":"x"}', { 'content-type': type });
      assert.equal(status, 415, type);
      assert.match(body.error, /^unsupported_media_type: /);
    }
    assert.equal((await post(bed, '{"title":"x"}', { 'content-type': 'application/json; charset=utf-8' })).status, 200);
  });

  test('malformed JSON and malformed UTF-8 are 422, and nothing of them is repeated', async () => {
    for (const payload of ['{', '{"title": "hunter2', '[1,]', 'hunter2', '{"title":"x"}}']) {
      const { status, body } = await post(bed, payload);
      assert.equal(status, 422, payload);
      assert.equal(body.detail[0].type, 'json_invalid');
      assert.doesNotMatch(JSON.stringify(body), /hunter2/);
    }
    assert.equal((await post(bed, Buffer.from([0x22, 0xff, 0x22]))).status, 422);
  });

  test('text that a database cannot hold is refused wherever it hides', async () => {
    const hidden = [
      '{"title":"a\\u0000b"}',
      '{"title":"x","recurrence":{"a":[{"b":"\\u0000"}]}}',
      '{"title":"x","recurrence":{"\\u0000":1}}',
      '{"title":"\\ud800"}',
      '{"title":"x","recurrence":{"__proto__":{"admin":true}}}',
    ];
    for (const payload of hidden) assert.equal((await post(bed, payload)).status, 422, payload);
  });

  test('neither depth nor breadth of a body can hurt', async () => {
    const deep = `{"title":"x","recurrence":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    const { status, body } = await post(bed, deep);
    assert.deepEqual([status, body.detail[0].type], [422, 'too_deep']);
    const wide = await post(bed, `{"title":"x","tags":[${'1,'.repeat(400_000)}1]}`);
    assert.equal(wide.status, 422);
    assert.equal(wide.body.detail.length, 1);
    const many = await post(bed, { title: 'x', tags: Array(500).fill(7) });
    assert.equal(many.status, 422);
    assert.equal(many.body.detail.length, 20);
  });

  test('a body over 1 MiB is 413 before anything else about it', async () => {
    const large = `{"title":"${'x'.repeat(1024 * 1024)}"}`;
    for (const type of ['application/json', 'text/plain']) {
      const { status, body } = await post(bed, large, { 'content-type': type });
      assert.equal(status, 413);
      assert.match(body.error, /^payload_too_large: /);
    }
  });

  test('unknown addresses and wrong methods answer in the envelope, whatever they carry', async () => {
    const unknown: [InjectOptions['method'], string][] = [
      ['GET', '/nope'],
      ['POST', '/v1/nope'],
      ['DELETE', '/v1/specimens/a/b/c'],
      ['GET', '/v1//specimens'],
      ['GET', '/%zz'],
      ['GET', `/v1/specimens/${'9'.repeat(4_000)}`],
    ];
    for (const [method, url] of unknown) {
      const { status, body } = await ask(bed, { method: method ?? 'GET', url, payload: '{{{' });
      assert.equal(status, 404, url);
      assert.deepEqual([body.ok, body.data, body.error.split(':')[0]], [false, null, 'not_found']);
    }
    const wrong: [InjectOptions['method'], string, string][] = [
      ['DELETE', '/health', 'GET, HEAD'],
      ['GET', '/v1/specimens', 'POST'],
      ['OPTIONS', '/v1/specimens', 'POST'],
      ['PUT', `/v1/specimens/${ID}/touch`, 'POST'],
    ];
    for (const [method, url, allow] of wrong) {
      const { status, body, headers } = await ask(bed, { method: method ?? 'GET', url, payload: '{{{' });
      assert.deepEqual([status, headers.allow], [405, allow], url);
      assert.match(body.error, /^method_not_allowed: /);
    }
  });

  test('every answer carries a request id and the headers that keep browsers safe', async () => {
    for (const url of ['/health', '/nope', '/openapi.json', '/docs', '/']) {
      const { headers } = await bed.app.inject({ url, headers: { origin: 'https://elsewhere.example' } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      // No other origin may read anything: there is no CORS header, not even a narrow one.
      assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control-')));
    }
  });

  test('health names the version and the state of the database', async () => {
    const { status, body } = await ask(bed, { url: '/health', headers: { authorization: 'Bearer nonsense' } });
    assert.equal(status, 200);
    assert.equal(body.data.status, 'ok');
    assert.equal(body.data.database, 'ok');
    assert.deepEqual(Object.keys(body.data.engine), ['lag_seconds', 'last_sweep_at']);
  });
});

onlyOn('sqlite', () => {
  test('a request that fails after it committed keeps its key, so that a retry does not do the work again', async () => {
    let done = 0;
    const late: { bed?: Bed } = {};
    const routes: Routes = (app) => {
      app.post('/v1/half', { schema: { hide: true } }, async () => {
        const { bed } = late;
        if (bed) await transact(bed.db, async (trx) => void (await sql`select 1`.execute(trx)));
        done += 1;
        throw new Error('after the commit');
      });
      app.post('/v1/none', { schema: { hide: true } }, async () => {
        done += 1;
        throw new Error('before any commit');
      });
    };
    const access = { 'POST /v1/half': 'session', 'POST /v1/none': 'session' } as const;
    await using bed = await startBed('sqlite', { extra: { routes: [routes], access } });
    late.bed = bed;
    const { sessionToken } = await signIn(bed);
    const post = async (url: string) =>
      (
        await bed.ask({
          method: 'POST',
          url,
          headers: { authorization: `Bearer ${sessionToken}`, 'idempotency-key': url },
        })
      ).status;
    assert.deepEqual([await post('/v1/half'), await post('/v1/half'), done], [500, 409, 1]);
    assert.deepEqual([await post('/v1/none'), await post('/v1/none'), done], [500, 500, 3]);
  });

  test('a fault of ours is logged in full and shown to nobody', async () => {
    const routes: Routes = (app) => {
      app.get('/test/broken', { schema: { hide: true } }, async () => {
        throw new Error('password is hunter2');
      });
      app.get('/test/later', { schema: { hide: true } }, async () => {
        throw new AppError('overloaded', { retryAfterSeconds: 7 });
      });
    };
    await using bed = await startSpecimenBed('sqlite', routes);
    const broken = await ask(bed, { url: '/test/broken' });
    assert.equal(broken.status, 500);
    assert.match(broken.body.error, /^internal: /);
    assert.doesNotMatch(JSON.stringify(broken.body), /hunter2/);
    const later = await ask(bed, { url: '/test/later' });
    assert.deepEqual([later.status, later.headers['retry-after']], [503, '7']);
  });

  test('an answer that takes too long is given up with 503, whether the request had a body or not', async () => {
    const routes: Routes = (app) => {
      const never = () => new Promise(() => undefined);
      app.get('/test/slow', { schema: { hide: true } }, never);
      app.post('/test/slow', { schema: { hide: true } }, never);
    };
    const access = { ...specimenAccess, 'POST /test/slow': 'anyone' } as const;
    await using bed = await startBed('sqlite', {
      extra: { routes: [routes], access, limits: { handlerTimeoutMs: 50 } },
    });
    const origin = await bed.app.listen({ port: 0, host: '127.0.0.1' });
    const headers = { 'content-type': 'application/json' };
    for (const init of [{}, { method: 'POST' }, { method: 'POST', headers, body: '{"a":1}' }]) {
      // Over a real connection: without one, no request is ever read to its end.
      const response = await fetch(`${origin}/test/slow`, init);
      const { error } = (await response.json()) as { error: string };
      assert.deepEqual([response.status, error.split(':')[0]], [503, 'timed_out']);
      assert.equal(response.headers.get('retry-after'), '1');
    }
  });

  test('a keyed request that was given up on keeps its key, since it may still be at work', async () => {
    const routes: Routes = (app) => {
      app.post('/v1/slow', { handlerTimeout: 50, schema: { hide: true } }, () => new Promise(() => undefined));
    };
    const extra = {
      routes: [routes],
      access: { 'POST /v1/slow': 'session' },
    } as const;
    await using bed = await startBed('sqlite', { extra });
    const { sessionToken } = await signIn(bed);
    const headers = { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'slow' };
    const post = async () => (await ask(bed, { method: 'POST', url: '/v1/slow', headers })).body.error.split(':')[0];
    assert.deepEqual([await post(), await post()], ['timed_out', 'request_in_progress']);
    await bed.clock.advance('61s');
    assert.equal(await post(), 'timed_out');
  });

  test('a process that cannot keep up turns new requests away, but still answers for its health', async () => {
    const routes: Routes = (app) => {
      app.get('/test/work', { schema: { hide: true } }, async () => ok({}));
    };
    await using bed = await startBed('sqlite', {
      extra: { routes: [routes], access: specimenAccess, limits: { maxEventLoopDelayMs: 20 } },
    });
    assert.equal((await ask(bed, { url: '/test/work' })).status, 200);
    let turnedAway: Awaited<ReturnType<typeof ask>> | undefined;
    // The delay is sampled a few times a second, so the loop is kept busy until a sample has seen it.
    for (let round = 0; round < 40 && !turnedAway; round += 1) {
      const busyUntil = performance.now() + 60;
      while (performance.now() < busyUntil);
      await new Promise(setImmediate);
      const answer = await ask(bed, { url: '/test/work' });
      if (answer.status === 503) turnedAway = answer;
    }
    assert.ok(turnedAway, 'no request was turned away');
    assert.match(turnedAway.body.error, /^overloaded: /);
    assert.equal(turnedAway.headers['retry-after'], '2');
    assert.equal((await ask(bed, { url: '/health' })).status, 200);
  });

  test('what is no HTTP at all is still answered in the envelope', async () => {
    await using bed = await startBed('sqlite');
    await bed.app.listen({ port: 0, host: '127.0.0.1' });
    const address = bed.app.server.address();
    assert.ok(typeof address === 'object' && address);
    const exchanges: [string, RegExp][] = [
      ['EHLO there\r\n\r\n', /^HTTP\/1\.1 400 .*malformed_request: /s],
      [`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 .*headers_too_large: /s],
      ['GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', /^HTTP\/1\.1 400 /],
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
