import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callToolOk, mintToken } from '../support/agents.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { freePort } from '../support/free-port.ts';
import { type CollectedSpan, Collector } from '../support/otlp-collector.ts';
import { signIn } from '../support/people.ts';
import { postSlowly } from '../support/slow-post.ts';
import { startTestApp, VERSION } from '../support/test-app.ts';

const SERVER = 2;
const INTERNAL = 1;

/** Runs a scenario with a collector, and resolves with the spans that arrived until the service had stopped. */
async function collect(
  engine: EngineName,
  settings: Readonly<Record<string, string>>,
  scenario: (app: Awaited<ReturnType<typeof startTestApp>>, phone: FakePhones) => Promise<void>,
) {
  await using collector = await Collector.start();
  const clock = new FakeClock();
  const phone = new FakePhones(clock);
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.server.origin}/`, ...settings };
  {
    await using app = await startTestApp(engine, { clock, settings: all, extra: { gateways: { apns: phone } } });
    await scenario(app, phone);
  }
  return { spans: collector.spans, raw: Buffer.concat(collector.raw).toString('latin1') };
}

const childrenOf = (spans: readonly CollectedSpan[], { traceId, spanId }: CollectedSpan) =>
  spans.filter((span) => span.traceId === traceId && span.parentId === spanId);

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [span, ...others] = spans.filter((one) => one.name === name);
  assert.ok(span, `no ${name} among ${[...new Set(spans.map((one) => one.name))].join(', ')}`);
  assert.equal(others.length, 0, `${name} appears more than once`);
  return span;
}

onEveryEngine((engine, it) => {
  test('a request is a trace of its route, its transaction and the statements in it', async () => {
    let requestId: unknown;
    const { spans } = await collect(engine, { OTEL_SERVICE_NAME: 'reminders' }, async (app) => {
      const { sessionToken } = await signIn(app);
      // A real connection: its socket events run outside the context of the request.
      const url = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
      const headers = { authorization: `Bearer ${sessionToken}` };
      const answer = await postSlowly(`${url}/v1/tasks`, { title: 'pills' }, headers);
      assert.equal(answer.status, 200);
      requestId = answer.requestId;
    });
    const request = only(spans, 'POST /v1/tasks');
    assert.deepEqual([request.parentId, request.kind, request.isError], ['', SERVER, false]);
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/v1/tasks',
      'http.response.status_code': 200,
      'crescendo.request_id': requestId,
    });
    assert.equal(request.resource['service.name'], 'reminders');
    assert.equal(request.resource['service.version'], VERSION);
    const children = childrenOf(spans, request);
    // The session is read before the body arrives and the task is created after it; both belong to the request.
    assert.ok(
      children.some(({ name }) => name === 'SELECT sessions'),
      children.map(({ name }) => name).join(),
    );
    const inserts = children
      .filter(({ name }) => name === 'transaction')
      .flatMap((transaction) => childrenOf(spans, transaction))
      .filter(({ name }) => name === 'INSERT tasks');
    assert.equal(inserts.length, 1);
    assert.equal(inserts[0]?.attributes['db.system.name'], engine === 'postgres' ? 'postgresql' : 'sqlite');
    assert.match(String(inserts[0]?.attributes['db.query.text']), /^insert into "tasks"/);
  });

  it('a traceparent header from a client is linked and has no other effect', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const { spans } = await collect(engine, {}, async (app) => {
      await app.ask({ url: '/health', headers: { traceparent } });
      await app.fastify.inject({ url: '/robots.txt', headers: { traceparent: 'nonsense' } });
    });
    const request = only(spans, 'GET /health');
    assert.equal(request.parentId, '');
    assert.notEqual(request.traceId, '0af7651916cd43dd8448eb211c80319c');
    assert.deepEqual(request.links, ['0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331']);
    assert.deepEqual(only(spans, 'GET /robots.txt').links, []);
  });

  it('the API requests of a tool are part of the trace of the MCP request', async () => {
    const { spans } = await collect(engine, {}, async (app) => {
      const { token } = await mintToken(await signIn(app));
      await callToolOk(app, token, 'create_task', { title: 'pills' });
    });
    const outer = only(spans, 'POST /mcp/all');
    const inner = only(spans, 'POST /v1/tasks');
    assert.deepEqual([inner.traceId, inner.parentId, inner.kind], [outer.traceId, outer.spanId, INTERNAL]);
    assert.ok(childrenOf(spans, inner).some(({ name }) => name === 'transaction'));
  });

  test('a sweep is a trace of the transaction that moves the tasks on and the pushes that follow', async () => {
    let taskId = '';
    const { spans } = await collect(engine, {}, async (app, phone) => {
      const ada = await signIn(app);
      await addDevice(app, ada.userId);
      phone.answer = () => ({ kind: 'rejected', reason: 'PayloadTooLarge' });
      const due = { title: 'pills', due_at: '2026-03-02T09:30:00Z', has_time: true };
      taskId = (await ada.ask('POST', '/v1/tasks', due)).body.data.id;
      await app.clock.advance('31m');
    });
    const push = only(spans, 'push apns');
    const sweep = spans.find(({ spanId }) => spanId === push.parentId);
    assert.ok(sweep);
    assert.deepEqual([sweep.name, sweep.parentId, sweep.attributes['crescendo.sweep.tasks']], ['sweep', '', 1]);
    assert.ok(childrenOf(spans, sweep).some(({ name }) => name === 'transaction'));
    assert.equal(push.isError, true);
    const attributes = { provider: 'apns', kind: 'nudge', result: 'rejected', reason: 'PayloadTooLarge' };
    for (const [name, value] of Object.entries(attributes))
      assert.equal(push.attributes[`crescendo.push.${name}`], value);
    assert.equal(push.attributes['crescendo.task_id'], taskId);
    // The results of many sweeps are stored in one batch, so they belong to no trace.
    assert.deepEqual(
      spans.filter((span) => /set status = result/.test(String(span.attributes['db.query.text']))),
      [],
    );
  });

  it('every trace is a request or a sweep', async () => {
    const { spans } = await collect(engine, {}, async (app) => {
      await signIn(app);
      await app.clock.advance('10m');
    });
    const roots = spans.filter(({ parentId }) => parentId === '');
    assert.ok(roots.length > 0);
    for (const { name } of roots) assert.match(name, /^(sweep$|[A-Z]+ \/)/);
  });

  it('a failed span has the type of its error, and no span contains text that a user wrote', async () => {
    const secret = 'MARKER-of-a-user';
    const { spans, raw } = await collect(engine, {}, async (app) => {
      const ada = await signIn(app, `${secret}@example.org`);
      const task = { title: `${secret} title`, notes: `${secret} notes` };
      const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
      await ada.ask('PATCH', `/v1/tasks/${id}`, { notes: `${secret} more` });
      await ada.ask('POST', `/v1/invites/${secret}/accept`);
      await app.ask({ url: `/v1/${secret}?q=${secret}` });
      await app.engine?.stop();
      await app.db.destroy();
      assert.equal((await ada.ask('GET', '/v1/me')).status, 500);
    });
    assert.doesNotMatch(raw, new RegExp(secret, 'i'));
    const failed = only(spans, 'GET /v1/me');
    assert.deepEqual([failed.isError, failed.attributes['error.type']], [true, 'internal']);
  });

  it('a mail belongs to the trace of the request that sends it', async () => {
    const { spans } = await collect(engine, {}, async (app) => void (await signIn(app)));
    const mail = only(spans, 'mail');
    assert.equal(mail.parentId, only(spans, 'POST /v1/auth/email/request').spanId);
  });
});

onlyOn('sqlite', () => {
  test('a setting decides which traces are kept', async () => {
    const scenario = async (app: Awaited<ReturnType<typeof startTestApp>>) => void (await app.ask({ url: '/health' }));
    for (const [sampler, arg, kept] of [
      ['always_off', '1', 0],
      ['parentbased_traceidratio', '0', 0],
      ['parentbased_traceidratio', '1', 1],
    ] as const) {
      const settings = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg };
      const { spans } = await collect('sqlite', settings, scenario);
      assert.equal(spans.filter(({ name }) => name === 'GET /health').length, kept, sampler);
    }
  });

  test('an unreachable collector affects no request and is logged once', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    const app = await startTestApp('sqlite', { settings });
    // More spans than fit into one batch, so that several exports are tried.
    try {
      for (let count = 0; count < 600; count += 1) await app.fastify.inject({ url: '/robots.txt' });
    } finally {
      await app[Symbol.asyncDispose]();
    }
    const lines = app.log.filter(({ msg }) => String(msg).startsWith('traces cannot be sent'));
    assert.equal(lines.length, 1, JSON.stringify(app.log));
  });

  test('a collector that does not answer does not prevent the shutdown', async () => {
    await using collector = await Collector.start();
    collector.server.faults.always = 'silence';
    const app = await startTestApp('sqlite', { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.server.origin } });
    await app.ask({ url: '/health' });
    const arrived = collector.server.nextRequest();
    await Promise.all([app[Symbol.asyncDispose](), arrived]);
  });
});
