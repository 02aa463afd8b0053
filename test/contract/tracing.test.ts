import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { mint, used } from '../support/agents.ts';
import { startBed } from '../support/bed.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type CollectedSpan, startCollector } from '../support/otlp-collector.ts';
import { signIn } from '../support/people.ts';
import { addDevice, PretendPhones } from '../support/pretend-phone.ts';
import { postSlowly } from '../support/slow-post.ts';

const SERVER = 2;
const INTERNAL = 1;

/** Runs the scene with a collector, and resolves with what has arrived there once the service has stopped. */
async function collect(
  engine: EngineName,
  settings: Readonly<Record<string, string>>,
  scene: (bed: Awaited<ReturnType<typeof startBed>>, phone: PretendPhones) => Promise<void>,
) {
  await using collector = await startCollector();
  const clock = new FakeClock();
  const phone = new PretendPhones(clock);
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...settings };
  {
    await using bed = await startBed(engine, { clock, settings: all, extra: { gateways: { apns: phone } } });
    await scene(bed, phone);
  }
  return { spans: collector.spans, raw: Buffer.concat(collector.raw).toString('latin1') };
}

const childrenOf = (spans: readonly CollectedSpan[], { traceId, spanId }: CollectedSpan) =>
  spans.filter((span) => span.traceId === traceId && span.parentId === spanId);

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [span, ...others] = spans.filter((one) => one.name === name);
  assert.ok(span, `no ${name} among ${[...new Set(spans.map((one) => one.name))].join(', ')}`);
  assert.equal(others.length, 0, `${name} is there more than once`);
  return span;
}

onEveryEngine((engine) => {
  test('a request is a trace: its route, its transaction, and in that its statements', async () => {
    let requestId: unknown;
    const { spans } = await collect(engine, { OTEL_SERVICE_NAME: 'reminders' }, async (bed) => {
      const { sessionToken } = await signIn(bed);
      // Over a real connection, whose events know nothing of the request that they carry.
      const url = await bed.app.listen({ port: 0, host: '127.0.0.1' });
      const headers = { authorization: `Bearer ${sessionToken}` };
      const answer = await postSlowly(`${url}/v1/tasks`, { title: 'pills' }, headers);
      assert.equal(answer.status, 200);
      requestId = answer.requestId;
    });
    const request = only(spans, 'POST /v1/tasks');
    assert.deepEqual([request.parentId, request.kind, request.isError], ['', SERVER, false]);
    assert.deepEqual(request.attributes, {
      ...{ 'http.request.method': 'POST', 'http.route': '/v1/tasks', 'http.response.status_code': 200 },
      'crescendo.request_id': requestId,
    });
    assert.equal(request.resource['service.name'], 'reminders');
    assert.equal(request.resource['service.version'], '0.1.0');
    const children = childrenOf(spans, request);
    // Who asks is found out before the body is read, and the task is made after it: both belong to the request.
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

  test('a traceparent from outside is remembered as related and decides nothing', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const { spans } = await collect(engine, {}, async (bed) => {
      await bed.ask({ url: '/health', headers: { traceparent } });
      await bed.app.inject({ url: '/robots.txt', headers: { traceparent: 'nonsense' } });
    });
    const request = only(spans, 'GET /health');
    assert.equal(request.parentId, '');
    assert.notEqual(request.traceId, '0af7651916cd43dd8448eb211c80319c');
    assert.deepEqual(request.links, ['0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331']);
    assert.deepEqual(only(spans, 'GET /robots.txt').links, []);
  });

  test("what an agent's tool asks of the API is part of the agent's request", async () => {
    const { spans } = await collect(engine, {}, async (bed) => {
      const { token } = await mint(await signIn(bed));
      await used(bed, token, 'create_task', { title: 'pills' });
    });
    const outer = only(spans, 'POST /mcp');
    const inner = only(spans, 'POST /v1/tasks');
    assert.deepEqual([inner.traceId, inner.parentId, inner.kind], [outer.traceId, outer.spanId, INTERNAL]);
    assert.ok(childrenOf(spans, inner).some(({ name }) => name === 'transaction'));
  });

  test('a sweep is a trace: the transaction that moves the tasks on, and the pushes that follow', async () => {
    let taskId = '';
    const { spans } = await collect(engine, {}, async (bed, phone) => {
      const ada = await signIn(bed);
      await addDevice(bed, ada.userId);
      phone.answer = () => ({ kind: 'rejected', reason: 'PayloadTooLarge' });
      const due = { title: 'pills', due_at: '2026-03-02T09:30:00Z', has_time: true };
      taskId = (await ada.ask('POST', '/v1/tasks', due)).body.data.id;
      await bed.clock.advance('31m');
    });
    const push = only(spans, 'push apns');
    const sweep = spans.find(({ spanId }) => spanId === push.parentId);
    assert.ok(sweep);
    assert.deepEqual([sweep.name, sweep.parentId, sweep.attributes['crescendo.sweep.tasks']], ['sweep', '', 1]);
    assert.ok(childrenOf(spans, sweep).some(({ name }) => name === 'transaction'));
    assert.equal(push.isError, true);
    const told = { provider: 'apns', kind: 'nudge', result: 'rejected', reason: 'PayloadTooLarge' };
    for (const [name, value] of Object.entries(told)) assert.equal(push.attributes[`crescendo.push.${name}`], value);
    assert.equal(push.attributes['crescendo.task_id'], taskId);
    // Results of many sweeps are stored together: they are in the trace of none.
    const stored = childrenOf(spans, sweep).flatMap((child) => childrenOf(spans, child));
    assert.deepEqual(
      stored.filter(({ attributes }) => /set status = told/.test(String(attributes['db.query.text']))),
      [],
    );
  });

  test('nothing is traced but requests and sweeps, and what belongs to them', async () => {
    const { spans } = await collect(engine, {}, async (bed) => {
      await signIn(bed);
      await bed.clock.advance('10m');
    });
    const roots = spans.filter(({ parentId }) => parentId === '');
    assert.ok(roots.length > 0);
    for (const { name } of roots) assert.match(name, /^(sweep$|[A-Z]+ \/)/);
  });

  test('a failure is told by its kind; nothing that a person wrote is in any span', async () => {
    const secret = 'MARKER-of-a-person';
    const { spans, raw } = await collect(engine, {}, async (bed) => {
      const ada = await signIn(bed, `${secret}@example.org`);
      const task = { title: `${secret} title`, notes: `${secret} notes` };
      const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
      await ada.ask('PATCH', `/v1/tasks/${id}`, { notes: `${secret} more` });
      await ada.ask('POST', `/v1/invites/${secret}/accept`);
      await bed.ask({ url: `/v1/${secret}?q=${secret}` });
      await bed.engine?.stop();
      await bed.db.destroy();
      assert.equal((await ada.ask('GET', '/v1/me')).status, 500);
    });
    assert.doesNotMatch(raw, new RegExp(secret, 'i'));
    const failed = only(spans, 'GET /v1/me');
    assert.deepEqual([failed.isError, failed.attributes['error.type']], [true, 'internal']);
  });

  test('mail is part of the request that sends it', async () => {
    const { spans } = await collect(engine, {}, async (bed) => void (await signIn(bed)));
    const mail = only(spans, 'mail');
    assert.equal(mail.parentId, only(spans, 'POST /v1/auth/email/request').spanId);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

onlyOn('sqlite', () => {
  test('which traces are kept is a setting', async () => {
    const scene = async (bed: Awaited<ReturnType<typeof startBed>>) => void (await bed.ask({ url: '/health' }));
    for (const [sampler, arg, kept] of [
      ['always_off', '1', 0],
      ['parentbased_traceidratio', '0', 0],
      ['parentbased_traceidratio', '1', 1],
    ] as const) {
      const settings = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg };
      const { spans } = await collect('sqlite', settings, scene);
      assert.equal(spans.filter(({ name }) => name === 'GET /health').length, kept, sampler);
    }
  });

  test('a collector that cannot be reached stops nobody, and is told once', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}` };
    const bed = await startBed('sqlite', { settings });
    // More than fit into one batch, so that several are tried.
    try {
      for (let count = 0; count < 600; count += 1) await bed.app.inject({ url: '/robots.txt' });
    } finally {
      await bed[Symbol.asyncDispose]();
    }
    const told = bed.log.filter(({ msg }) => String(msg).startsWith('traces cannot be sent'));
    assert.equal(told.length, 1, JSON.stringify(bed.log));
  });

  test('a collector that says nothing does not keep the service from stopping', async () => {
    await using collector = await startCollector();
    collector.fallSilent();
    const bed = await startBed('sqlite', { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    await bed.ask({ url: '/health' });
    const came = collector.next();
    await Promise.all([bed[Symbol.asyncDispose](), came]);
  });
});
