import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { ok } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { type Family, parseExposition, type Sample } from '../support/exposition.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { createPerson } from '../support/people.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = 'a-token-for-the-scraper';
const settings = { METRICS_TOKEN: TOKEN };
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const OPENMETRICS = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

const ask = (app: TestApp, headers: Record<string, string> = {}) =>
  app.fastify.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}`, ...headers } });

async function scrape(app: TestApp): Promise<Map<string, Family>> {
  // Results are cached for ten seconds.
  await app.clock.advance('10s');
  const response = await ask(app);
  assert.equal(response.statusCode, 200, response.body);
  return parseExposition(response.body, 'prometheus');
}

const matches = (sample: Sample, labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).every(([name, value]) => sample.labels[name] === value);

/** The value of the one series with this name and these labels. */
function sampleValue(families: Map<string, Family>, name: string, labels: Readonly<Record<string, string>> = {}) {
  const family = families.get(name) ?? families.get(name.replace(/_(count|sum|bucket)$/, ''));
  const found = family?.samples.filter((sample) => sample.name === name && matches(sample, labels)) ?? [];
  assert.ok(found.length <= 1, `${name} ${JSON.stringify(labels)} is not one series`);
  return found[0]?.value;
}

async function startScenario(engine: Parameters<typeof startTestApp>[0]) {
  const clock = new FakeClock();
  const phone = new FakePhones(clock);
  const app = await startTestApp(engine, { clock, settings, extra: { gateways: { apns: phone } } });
  const ada = await createPerson(app, 'ada@example.org');
  await addDevice(app, ada.userId);
  const create = async (due_at: string) => {
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true })).status, 200);
    await app.engine?.settled();
  };
  return { app, ada, phone, create, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

onEveryEngine((engine, it) => {
  it('metrics require their own token; a user session is refused', async () => {
    await using app = await startTestApp(engine, { settings });
    const { sessionToken } = await createPerson(app);
    const others = [`${TOKEN}x`, TOKEN.slice(0, -1), TOKEN.toUpperCase(), sessionToken].map((one) => `Bearer ${one}`);
    for (const authorization of ['', 'Bearer', `Basic ${TOKEN}`, ...others]) {
      const refused = await app.fastify.inject({ url: '/metrics', headers: { authorization } });
      assert.equal(refused.statusCode, 401, authorization);
      assert.match(String(refused.headers['www-authenticate']), /^Bearer /);
      assert.doesNotMatch(refused.body, /crescendo_/);
    }
    const shown = await ask(app);
    assert.equal(shown.statusCode, 200);
    assert.equal(shown.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  });

  it('without a token setting the route does not exist', async () => {
    await using app = await startTestApp(engine);
    const [metrics, nothing] = [await ask(app), await app.fastify.inject({ url: '/nothing-here' })];
    assert.equal(metrics.statusCode, 404);
    assert.equal(metrics.body, nothing.body);
  });

  it('both formats follow their specifications, and a scrape in one does not change the other', async () => {
    await using scene = await startScenario(engine);
    await scene.create('2026-03-02T08:00:00Z');
    const before = parseExposition((await ask(scene.app)).body, 'prometheus');
    const answer = await ask(scene.app, { accept: OPENMETRICS });
    assert.equal(answer.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    const open = parseExposition(answer.body, 'openmetrics');
    assert.equal(open.get('crescendo_nudges')?.samples[0]?.name, 'crescendo_nudges_total');
    const after = parseExposition((await ask(scene.app)).body, 'prometheus');
    assert.deepEqual([...after.keys()], [...before.keys()]);
    assert.deepEqual(
      [...open.keys()],
      [...before].map(([name, { type }]) => (type === 'counter' ? name.replace(/_total$/, '') : name)),
    );
  });

  it('requests are counted by route pattern, method and status', async () => {
    await using app = await startTestApp(engine, { settings });
    const ada = await createPerson(app);
    for (const id of [newId(), newId()]) await ada.ask('GET', `/v1/tasks/${id}`);
    await ada.ask('POST', '/v1/tasks', { title: 'x' });
    const count = 'crescendo_http_request_duration_seconds_count';
    const families = await scrape(app);
    assert.equal(sampleValue(families, count, { method: 'GET', route: '/v1/tasks/:task_id', status: '404' }), 2);
    assert.equal(sampleValue(families, count, { method: 'POST', route: '/v1/tasks', status: '200' }), 1);
    assert.equal(sampleValue(families, 'crescendo_http_requests_in_flight'), 0);
    assert.equal(sampleValue(await scrape(app), count, { route: '/metrics' }), undefined);
  });

  it('invented paths and methods create no new series', async () => {
    await using app = await startTestApp(engine, { settings });
    const invent = async (...methods: readonly string[]) => {
      for (const method of methods) {
        await app.fastify.inject({ method: method as 'GET', url: `/${newId()}/${method}?${newId()}` });
        await app.fastify.inject({ method: method as 'GET', url: `/v1/tasks/${newId()}` });
      }
      await app.fastify.inject({ url: '/%zz' });
    };
    const countSeries = (families: Map<string, Family>) =>
      families.get('crescendo_http_request_duration_seconds')?.samples.length;
    await invent('GET', 'POST', 'LOCK');
    const before = countSeries(await scrape(app));
    for (let round = 0; round < 20; round += 1) await invent('GET', 'POST', 'PROPFIND', 'PURGE', 'SEARCH');
    const families = await scrape(app);
    assert.equal(countSeries(families), before);
    assert.equal(sampleValue(families, 'crescendo_http_requests_in_flight'), 0);
  });

  it('an unanswered request is in flight', async () => {
    const release = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const route = (app: FastifyInstance) =>
      app.get('/v1/held', { schema: { hide: true } }, async () => {
        started.resolve();
        await release.promise;
        return ok({});
      });
    const extra = { routes: [route], access: { 'GET /v1/held': 'anyone' } } as const;
    await using app = await startTestApp(engine, { settings, extra });
    const answer = app.ask({ url: '/v1/held' });
    await started.promise;
    assert.equal(sampleValue(await scrape(app), 'crescendo_http_requests_in_flight'), 1);
    release.resolve();
    await answer;
    assert.equal(sampleValue(await scrape(app), 'crescendo_http_requests_in_flight'), 0);
  });

  it('nudges are counted, and pushes by their result', async () => {
    const { app, phone, create } = await startScenario(engine);
    await using _ = app;
    await create('2026-03-02T09:10:00Z');
    await app.clock.advance('10m');
    const punctual = await scrape(app);
    assert.equal(sampleValue(punctual, 'crescendo_nudges_total'), 1);
    assert.equal(sampleValue(punctual, 'crescendo_nudges_late_total'), 0);
    const labels = { provider: 'apns', kind: 'nudge' };
    assert.equal(sampleValue(punctual, 'crescendo_pushes_total', { ...labels, result: 'accepted' }), 1);
    assert.equal(sampleValue(punctual, 'crescendo_push_duration_seconds_count', { provider: 'apns' }), 1);
    assert.equal(sampleValue(punctual, 'crescendo_sweep_tasks_sum'), 1);
    phone.answer = () => ({ kind: 'gone', reason: 'Unregistered' });
    await app.engine?.stop();
    app.clock.set('2026-03-02T09:25:11Z');
    assert.equal(sampleValue(await scrape(app), 'crescendo_engine_lag_seconds'), 21);
  });

  it('a nudge more than ten seconds late is counted as late', async () => {
    const { app, create } = await startScenario(engine);
    await using _ = app;
    await create('2026-03-02T09:10:00Z');
    app.clock.set('2026-03-02T09:10:11Z');
    app.engine?.wakeUp();
    await app.engine?.settled();
    const families = await scrape(app);
    assert.equal(sampleValue(families, 'crescendo_nudges_total'), 1);
    assert.equal(sampleValue(families, 'crescendo_nudges_late_total'), 1);
    assert.equal(sampleValue(families, 'crescendo_engine_last_sweep_age_seconds'), 10);
  });

  test('waiting deliveries are counted by provider, with how long they have been due', async () => {
    const { app, phone, create } = await startScenario(engine);
    await using _ = app;
    phone.capacityLeft = 0;
    await create('2026-03-02T09:00:00Z');
    const full = await scrape(app);
    assert.equal(sampleValue(full, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 1);
    assert.equal(sampleValue(full, 'crescendo_outbox_wait_seconds', { provider: 'apns' }), 10);
    assert.equal(sampleValue(full, 'crescendo_push_room', { provider: 'apns' }), 0);
    phone.capacityLeft = 10;
    phone.answer = () => ({ kind: 'retry', reason: 'overloaded', afterMs: 600_000 });
    app.engine?.wakeUp();
    await app.engine?.settled();
    const families = await scrape(app);
    assert.equal(sampleValue(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 0);
    assert.equal(sampleValue(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'later' }), 1);
    assert.equal(sampleValue(families, 'crescendo_outbox_wait_seconds', { provider: 'apns' }), 0);
    const labels = { provider: 'apns', kind: 'nudge', result: 'retry' };
    assert.equal(sampleValue(families, 'crescendo_pushes_total', labels), 1);
  });

  test('a delivery that waited for its next attempt is late from that attempt on', async () => {
    await using app = await startTestApp(engine, { settings });
    await app.engine?.stop();
    const ago = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1_000);
    const task = { id: newId(), owner_id: newId() };
    const retried = storedDelivery(task, { created_at: ago(3_600), next_attempt_at: ago(5) });
    await app.db.insertInto('deliveries').values(retried).execute();
    assert.equal(sampleValue(await scrape(app), 'crescendo_outbox_wait_seconds', { provider: 'fcm' }), 15);
  });

  it('waiting deliveries are counted up to the limit', async () => {
    await using app = await startTestApp(engine, { settings });
    await app.engine?.stop();
    await fillOutbox(app, 10_500);
    const families = await scrape(app);
    assert.equal(sampleValue(families, 'crescendo_outbox_deliveries', { provider: 'fcm', state: 'due' }), 10_000);
    assert.equal(sampleValue(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 0);
  });

  it('mails of sign-in are counted by whether the mail server took them, from the first failure on', async () => {
    await using smtp = await startMailCatcher();
    await using app = await startTestApp(engine, { settings: { ...settings, SMTP_URL: smtp.url } });
    const mails = async () => {
      const families = await scrape(app);
      return ['accepted', 'failed'].map((result) => sampleValue(families, 'crescendo_mails_total', { result }));
    };
    const requestCode = (email: string) =>
      app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
    assert.deepEqual(await mails(), [0, 0]);
    await requestCode('ada@example.org');
    await smtp.next();
    await waitUntil(async () => (await mails())[0] === 1);
    smtp.refuseWith(550, 1, 'RCPT TO');
    await requestCode('bob@example.org');
    await waitUntil(async () => (await mails())[1] === 1);
    assert.deepEqual(await mails(), [1, 1]);
  });

  if (hasPromtool)
    test('the linter of Prometheus has no complaint', async () => {
      const { app, create } = await startScenario(engine);
      await using _ = app;
      await create('2026-03-02T08:00:00Z');
      const { body } = await ask(app);
      const linted = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
      const own = `${linted.stdout}${linted.stderr}`.split('\n').filter((line) => line.includes('crescendo_'));
      assert.deepEqual(own, []);
    });

  it('a provider that refuses our credentials is reported', async () => {
    const gateway: Gateway = {
      send: async () => ({ kind: 'misconfigured', reason: 'InvalidProviderToken' }),
      capacity: () => 1,
      isRefused: () => true,
      close: async () => undefined,
    };
    await using app = await startTestApp(engine, { settings, extra: { gateways: { apns: gateway } } });
    assert.equal(sampleValue(await scrape(app), 'crescendo_push_refused', { provider: 'apns' }), 1);
  });

  test('each database reports its own metrics', async () => {
    await using app = await startTestApp(engine, { settings });
    const families = await scrape(app);
    const info = families.get('crescendo_info')?.samples[0]?.labels;
    assert.deepEqual(info, { version: VERSION, role: 'all', database: engine });
    assert.equal(sampleValue(families, 'crescendo_database_up'), 1);
    const commits = sampleValue(families, 'crescendo_commit_units_count') ?? 0;
    const connections = families.get('crescendo_database_connections')?.samples ?? [];
    assert.equal(commits > 0, engine === 'sqlite');
    assert.deepEqual(
      connections.map(({ labels }) => labels.state),
      engine === 'postgres' ? ['busy', 'idle'] : [],
    );
    assert.equal(sampleValue(families, 'crescendo_database_waiting'), engine === 'postgres' ? 0 : undefined);
  });

  it('without the database a scrape still answers and reports that', async () => {
    await using app = await startTestApp(engine, { settings });
    assert.equal(sampleValue(await scrape(app), 'crescendo_database_up'), 1);
    await app.engine?.stop();
    await app.db.destroy();
    const families = await scrape(app);
    assert.equal(sampleValue(families, 'crescendo_database_up'), 0);
    assert.equal(sampleValue(families, 'crescendo_engine_lag_seconds'), undefined);
    assert.deepEqual(families.get('crescendo_outbox_deliveries')?.samples, []);
  });

  it('scrapes are neither logged nor counted', async () => {
    await using app = await startTestApp(engine, { settings: { ...settings, LOG_LEVEL: 'trace' } });
    const before = app.log.length;
    await ask(app);
    await app.fastify.inject({ url: '/metrics' });
    assert.deepEqual(app.log.slice(before), []);
    assert.equal((await scrape(app)).get('crescendo_http_request_duration_seconds')?.samples.length, 0);
  });

  it('the table in docs/metrics.md lists exactly the existing metrics, with their types and labels', async () => {
    const { app, create } = await startScenario(engine);
    await using _ = app;
    await create('2026-03-02T08:00:00Z');
    const families = await scrape(app);
    const rows = [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) +\|/gm)];
    const documented = rows.map(([, name, type, labels]) => [name, type, labels === '–' ? [] : labels?.split(', ')]);
    const own = [...families].filter(([name]) => name.startsWith('crescendo_'));
    assert.deepEqual(documented.map(([name]) => name).toSorted(), own.map(([name]) => name).toSorted());
    for (const [name, type, labels] of documented as [string, string, string[]][]) {
      const family = families.get(name);
      assert.equal(family?.type, type, name);
      const [sample] = family?.samples ?? [];
      if (sample)
        assert.deepEqual(
          Object.keys(sample.labels)
            .filter((label) => label !== 'le')
            .sort(),
          labels.sort(),
          name,
        );
    }
  });
});

async function fillOutbox(app: TestApp, count: number): Promise<void> {
  const task = { id: newId(), owner_id: newId() };
  const rows = Array.from({ length: count }, () => storedDelivery(task, { created_at: app.clock.now() }));
  for (let at = 0; at < count; at += 500) {
    await app.db
      .insertInto('deliveries')
      .values(rows.slice(at, at + 500))
      .execute();
  }
  await sql`analyze`.execute(app.db);
}

onlyOn('postgres', () => {
  test('a process with only the engine has metrics too', async () => {
    const database = await createDatabase('postgres');
    {
      const shared = { clock: new FakeClock(), databaseUrl: database.url };
      await using app = await startTestApp('postgres', { ...shared, settings: { ...settings, ROLE: 'engine' } });
      const families = await scrape(app);
      assert.equal(families.get('crescendo_info')?.samples[0]?.labels.role, 'engine');
      await using api = await startTestApp('postgres', { ...shared, settings: { ...settings, ROLE: 'api' } });
      assert.equal(sampleValue(await scrape(api), 'crescendo_engine_last_sweep_age_seconds'), undefined);
    }
    await database.drop();
  });
});
