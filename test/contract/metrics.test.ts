import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { ok } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { type Bed, startBed } from '../support/bed.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { type Family, parseExposition, type Sample } from '../support/exposition.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signIn } from '../support/people.ts';
import { addDevice, PretendPhones } from '../support/pretend-phone.ts';

const TOKEN = 'a token for whoever counts'.replaceAll(' ', '-');
const settings = { METRICS_TOKEN: TOKEN };
const OPENMETRICS = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

const ask = (bed: Bed, headers: Record<string, string> = {}) =>
  bed.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}`, ...headers } });

async function scrape(bed: Bed): Promise<Map<string, Family>> {
  // What was asked a few seconds ago is not asked again.
  await bed.clock.advance('10s');
  const response = await ask(bed);
  assert.equal(response.statusCode, 200, response.body);
  return parseExposition(response.body, 'prometheus');
}

const matches = (sample: Sample, labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).every(([name, value]) => sample.labels[name] === value);

/** The one figure of that name with these labels. */
function figure(families: Map<string, Family>, name: string, labels: Readonly<Record<string, string>> = {}) {
  const family = families.get(name) ?? families.get(name.replace(/_(count|sum|bucket)$/, ''));
  const found = family?.samples.filter((sample) => sample.name === name && matches(sample, labels)) ?? [];
  assert.ok(found.length <= 1, `${name} ${JSON.stringify(labels)} is not one series`);
  return found[0]?.value;
}

async function startScene(engine: Parameters<typeof startBed>[0]) {
  const clock = new FakeClock();
  const phone = new PretendPhones(clock);
  const bed = await startBed(engine, { clock, settings, extra: { gateways: { apns: phone } } });
  const ada = await signIn(bed, 'ada@example.org');
  await addDevice(bed, ada.userId);
  const create = async (due_at: string) => {
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true })).status, 200);
    await bed.engine?.settled();
  };
  return { bed, ada, phone, create };
}

onEveryEngine((engine) => {
  test('metrics are shown to whoever has their token and to nobody else, a session of a person included', async () => {
    await using bed = await startBed(engine, { settings });
    const { sessionToken } = await signIn(bed);
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${sessionToken}`]) {
      const refused = await bed.app.inject({ url: '/metrics', headers: { authorization } });
      assert.equal(refused.statusCode, 401, authorization);
      assert.match(String(refused.headers['www-authenticate']), /^Bearer /);
      assert.doesNotMatch(refused.body, /crescendo_/);
    }
    const shown = await ask(bed);
    assert.equal(shown.statusCode, 200);
    assert.equal(shown.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  });

  test('where no token is set there is no such address', async () => {
    await using bed = await startBed(engine);
    const [metrics, nothing] = [await ask(bed), await bed.app.inject({ url: '/nothing-here' })];
    assert.equal(metrics.statusCode, 404);
    assert.equal(metrics.body, nothing.body);
  });

  test('both formats are what their specifications say, and asking for one does not spoil the other', async () => {
    await using scene = await startScene(engine).then(({ bed, create }) => ({
      bed,
      create,
      [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose](),
    }));
    await scene.create('2026-03-02T08:00:00Z');
    const before = parseExposition((await ask(scene.bed)).body, 'prometheus');
    const answer = await ask(scene.bed, { accept: OPENMETRICS });
    assert.equal(answer.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    const open = parseExposition(answer.body, 'openmetrics');
    assert.equal(open.get('crescendo_nudges')?.samples[0]?.name, 'crescendo_nudges_total');
    const after = parseExposition((await ask(scene.bed)).body, 'prometheus');
    assert.deepEqual([...after.keys()], [...before.keys()]);
    assert.deepEqual(
      [...open.keys()],
      [...before].map(([name, { type }]) => (type === 'counter' ? name.replace(/_total$/, '') : name)),
    );
  });

  test('requests are counted by the pattern of their route, their method and their status', async () => {
    await using bed = await startBed(engine, { settings });
    const ada = await signIn(bed);
    for (const id of [newId(), newId()]) await ada.ask('GET', `/v1/tasks/${id}`);
    await ada.ask('POST', '/v1/tasks', { title: 'x' });
    const count = 'crescendo_http_request_duration_seconds_count';
    const families = await scrape(bed);
    assert.equal(figure(families, count, { method: 'GET', route: '/v1/tasks/:task_id', status: '404' }), 2);
    assert.equal(figure(families, count, { method: 'POST', route: '/v1/tasks', status: '200' }), 1);
    assert.equal(figure(families, 'crescendo_http_requests_in_flight'), 0);
    assert.equal(figure(await scrape(bed), count, { route: '/metrics' }), undefined);
  });

  test('however many addresses and methods a client invents, there is no new series', async () => {
    await using bed = await startBed(engine, { settings });
    const invent = async (...methods: readonly string[]) => {
      for (const method of methods) {
        await bed.app.inject({ method: method as 'GET', url: `/${newId()}/${method}?${newId()}` });
        await bed.app.inject({ method: method as 'GET', url: `/v1/tasks/${newId()}` });
      }
      await bed.app.inject({ url: '/%zz' });
    };
    const countSeries = (families: Map<string, Family>) =>
      families.get('crescendo_http_request_duration_seconds')?.samples.length;
    await invent('GET', 'POST', 'LOCK');
    const before = countSeries(await scrape(bed));
    for (let turn = 0; turn < 20; turn += 1) await invent('GET', 'POST', 'PROPFIND', 'PURGE', 'SEARCH');
    const families = await scrape(bed);
    assert.equal(countSeries(families), before);
    assert.equal(figure(families, 'crescendo_http_requests_in_flight'), 0);
  });

  test('a request under way is in flight', async () => {
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const route = (app: FastifyInstance) =>
      app.get('/v1/held', { schema: { hide: true } }, async () => {
        held.resolve();
        await holding.promise;
        return ok({});
      });
    const extra = { routes: [route], access: { 'GET /v1/held': 'anyone' } } as const;
    await using bed = await startBed(engine, { settings, extra });
    const answer = bed.ask({ url: '/v1/held' });
    await held.promise;
    assert.equal(figure(await scrape(bed), 'crescendo_http_requests_in_flight'), 1);
    holding.resolve();
    await answer;
    assert.equal(figure(await scrape(bed), 'crescendo_http_requests_in_flight'), 0);
  });

  test('nudges and pushes are counted, the late ones too, by what the provider said', async () => {
    const { bed, phone, create } = await startScene(engine);
    await using _ = bed;
    await create('2026-03-02T09:10:00Z');
    await bed.clock.advance('10m');
    const punctual = await scrape(bed);
    assert.equal(figure(punctual, 'crescendo_nudges_total'), 1);
    assert.equal(figure(punctual, 'crescendo_nudges_late_total'), 0);
    const said = { provider: 'apns', kind: 'nudge' };
    assert.equal(figure(punctual, 'crescendo_pushes_total', { ...said, result: 'accepted' }), 1);
    assert.equal(figure(punctual, 'crescendo_push_duration_seconds_count', { provider: 'apns' }), 1);
    assert.equal(figure(punctual, 'crescendo_sweep_tasks_sum'), 1);
    phone.answer = () => ({ kind: 'gone', reason: 'Unregistered' });
    await bed.engine?.stop();
    bed.clock.set('2026-03-02T09:25:11Z');
    assert.equal(figure(await scrape(bed), 'crescendo_engine_lag_seconds'), 21);
  });

  test('a nudge that comes more than ten seconds late is told as late', async () => {
    const { bed, create } = await startScene(engine);
    await using _ = bed;
    await create('2026-03-02T09:10:00Z');
    bed.clock.set('2026-03-02T09:10:11Z');
    bed.engine?.wakeUp();
    await bed.engine?.settled();
    const families = await scrape(bed);
    assert.equal(figure(families, 'crescendo_nudges_total'), 1);
    assert.equal(figure(families, 'crescendo_nudges_late_total'), 1);
    assert.equal(figure(families, 'crescendo_engine_last_sweep_age_seconds'), 10);
  });

  test('what waits in the outbox is told by provider, and for how long it could have been sent', async () => {
    const { bed, phone, create } = await startScene(engine);
    await using _ = bed;
    phone.roomLeft = 0;
    await create('2026-03-02T09:00:00Z');
    const full = await scrape(bed);
    assert.equal(figure(full, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 1);
    assert.equal(figure(full, 'crescendo_outbox_wait_seconds', { provider: 'apns' }), 10);
    assert.equal(figure(full, 'crescendo_push_room', { provider: 'apns' }), 0);
    phone.roomLeft = 10;
    phone.answer = () => ({ kind: 'retry', reason: 'overloaded', afterMs: 600_000 });
    bed.engine?.wakeUp();
    await bed.engine?.settled();
    const families = await scrape(bed);
    assert.equal(figure(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 0);
    assert.equal(figure(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'later' }), 1);
    assert.equal(figure(families, 'crescendo_outbox_wait_seconds', { provider: 'apns' }), 0);
    const said = { provider: 'apns', kind: 'nudge', result: 'retry' };
    assert.equal(figure(families, 'crescendo_pushes_total', said), 1);
  });

  test('counting what waits ends at its limit, however much it is', async () => {
    await using bed = await startBed(engine, { settings });
    await bed.engine?.stop();
    await fillOutbox(bed, 10_500);
    const families = await scrape(bed);
    assert.equal(figure(families, 'crescendo_outbox_deliveries', { provider: 'fcm', state: 'due' }), 10_000);
    assert.equal(figure(families, 'crescendo_outbox_deliveries', { provider: 'apns', state: 'due' }), 0);
  });

  test('a provider that refuses our credentials is told', async () => {
    const gateway: Gateway = {
      send: async () => ({ kind: 'misconfigured', reason: 'InvalidProviderToken' }),
      ...{ room: () => 1, isRefused: () => true, close: async () => undefined },
    };
    await using bed = await startBed(engine, { settings, extra: { gateways: { apns: gateway } } });
    assert.equal(figure(await scrape(bed), 'crescendo_push_refused', { provider: 'apns' }), 1);
  });

  test('the database is told by what is particular to it', async () => {
    await using bed = await startBed(engine, { settings });
    const families = await scrape(bed);
    const info = families.get('crescendo_info')?.samples[0]?.labels;
    assert.deepEqual(info, { version: '0.1.0', role: 'all', database: engine });
    assert.equal(figure(families, 'crescendo_database_up'), 1);
    const commits = figure(families, 'crescendo_commit_units_count') ?? 0;
    const connections = families.get('crescendo_database_connections')?.samples ?? [];
    assert.equal(commits > 0, engine === 'sqlite');
    assert.deepEqual(
      connections.map(({ labels }) => labels.state),
      engine === 'postgres' ? ['busy', 'idle'] : [],
    );
    assert.equal(figure(families, 'crescendo_database_waiting'), engine === 'postgres' ? 0 : undefined);
  });

  test('with the database gone a scrape still answers, and says so', async () => {
    await using bed = await startBed(engine, { settings });
    assert.equal(figure(await scrape(bed), 'crescendo_database_up'), 1);
    await bed.engine?.stop();
    await bed.db.destroy();
    const families = await scrape(bed);
    assert.equal(figure(families, 'crescendo_database_up'), 0);
    assert.equal(figure(families, 'crescendo_engine_lag_seconds'), undefined);
    assert.deepEqual(families.get('crescendo_outbox_deliveries')?.samples, []);
  });

  test('scrapes are in no log and in no figure', async () => {
    await using bed = await startBed(engine, { settings: { ...settings, LOG_LEVEL: 'trace' } });
    const before = bed.log.length;
    await ask(bed);
    await bed.app.inject({ url: '/metrics' });
    assert.deepEqual(bed.log.slice(before), []);
    assert.equal((await scrape(bed)).get('crescendo_http_request_duration_seconds')?.samples.length, 0);
  });

  test('every metric is in the table of docs/metrics.md as it is, and every one of the table exists', async () => {
    const { bed, create } = await startScene(engine);
    await using _ = bed;
    await create('2026-03-02T08:00:00Z');
    const families = await scrape(bed);
    const rows = [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) +\|/gm)];
    const told = rows.map(([, name, type, labels]) => [name, type, labels === '–' ? [] : labels?.split(', ')]);
    const own = [...families].filter(([name]) => name.startsWith('crescendo_'));
    assert.deepEqual(told.map(([name]) => name).toSorted(), own.map(([name]) => name).toSorted());
    for (const [name, type, labels] of told as [string, string, string[]][]) {
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

async function fillOutbox(bed: Bed, count: number): Promise<void> {
  const [now, id] = [bed.clock.now(), newId()];
  const rows = Array.from({ length: count }, () => ({
    ...({ entry_id: newId(), target_id: id, kind: 'nudge', task_id: id, provider: 'fcm', stage: 0 } as const),
    ...({ status: 'pending', reason: null, attempts: 0, next_attempt_at: now, created_at: now } as const),
  }));
  for (let at = 0; at < count; at += 500) {
    await bed.db
      .insertInto('deliveries')
      .values(rows.slice(at, at + 500))
      .execute();
  }
  await sql`analyze`.execute(bed.db);
}

onlyOn('postgres', () => {
  test('a process that only runs the engine has metrics too', async () => {
    const database = await createDatabase('postgres');
    {
      const shared = { clock: new FakeClock(), databaseUrl: database.url };
      await using bed = await startBed('postgres', { ...shared, settings: { ...settings, ROLE: 'engine' } });
      const families = await scrape(bed);
      assert.equal(families.get('crescendo_info')?.samples[0]?.labels.role, 'engine');
      await using api = await startBed('postgres', { ...shared, settings: { ...settings, ROLE: 'api' } });
      assert.equal(figure(await scrape(api), 'crescendo_engine_last_sweep_age_seconds'), undefined);
    }
    await database.drop();
  });
});
