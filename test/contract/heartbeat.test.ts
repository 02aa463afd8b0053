import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { answer, Faults } from '../support/faults.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const SECRET = 'a-secret-that-silences-the-alarm';

/** A fake heartbeat monitor. */
async function startMonitor() {
  const faults = new Faults();
  const pings: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    pings.push(`${request.method} ${request.url}`);
    arrived.resolve();
    arrived = Promise.withResolvers();
    if (!(await faults.strike(request, response))) answer(response, { status: 200 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    faults,
    pings,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${SECRET}`,
    next: () => arrived.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Monitor = Awaited<ReturnType<typeof startMonitor>>;

/** Advances the clock by a minute and waits for the ping. */
async function passMinute(app: TestApp, monitor: Monitor): Promise<void> {
  const arrived = monitor.next();
  await app.clock.advance('60s');
  await arrived;
}

/** Waits until the log contains the line `times` times, and fails if it contains more. */
async function waitForLog(app: TestApp, line: RegExp, times = 1): Promise<void> {
  const count = () => app.log.filter(({ msg }) => line.test(String(msg))).length;
  while (count() < times) await new Promise(setImmediate);
  assert.equal(count(), times);
}

/** The checks of each minute follow the clock of the test. */
async function startWithChecks(engine: EngineName, settings: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const clock = new FakeClock();
  return startTestApp(engine, { clock, settings, extra: { checksClock: clock } });
}

onEveryEngine((engine, it) => {
  it('the URL is called once after each healthy minute, and not earlier', async () => {
    await using monitor = await startMonitor();
    await using app = await startWithChecks(engine, { HEARTBEAT_URL: monitor.url });
    await app.clock.advance('59s');
    assert.deepEqual(monitor.pings, []);
    const arrived = monitor.next();
    await app.clock.advance('1s');
    await arrived;
    await passMinute(app, monitor);
    assert.deepEqual(monitor.pings, [`GET /${SECRET}`, `GET /${SECRET}`]);
  });

  it('no heartbeat is sent while nudges are late, which is logged once, and heartbeats resume afterwards', async () => {
    await using monitor = await startMonitor();
    await using app = await startWithChecks(engine, { HEARTBEAT_URL: monitor.url });
    await app.engine?.stop();
    await insertDueTasks(app.db, { tasks: 1, owners: 1, dueAt: app.clock.now() });
    await passMinute(app, monitor);
    await waitForLog(app, /^no heartbeat is sent/, 0);
    const before = monitor.pings.length;
    await app.clock.advance('60s');
    await waitForLog(app, /^no heartbeat is sent/);
    assert.equal(monitor.pings.length, before);
    await app.db.deleteFrom('tasks').execute();
    await passMinute(app, monitor);
    await waitForLog(app, /^the service is healthy again/);
  });

  it('a failing heartbeat is logged once and without its URL, and a redirect is not followed', async () => {
    await using monitor = await startMonitor();
    const settings = { HEARTBEAT_URL: monitor.url, LOG_LEVEL: 'trace' };
    await using app = await startWithChecks(engine, settings);
    const elsewhere = { status: 302, headers: { location: '/elsewhere' } };
    monitor.faults.next('drop', { status: 500 }, elsewhere);
    for (let minute = 0; minute < 3; minute += 1) await passMinute(app, monitor);
    await passMinute(app, monitor);
    await waitForLog(app, /^the heartbeat works again/);
    await waitForLog(app, /^the heartbeat failed/);
    assert.deepEqual(new Set(monitor.pings), new Set([`GET /${SECRET}`]));
    assert.doesNotMatch(JSON.stringify(app.log), new RegExp(`${SECRET}|${new URL(monitor.url).port}`));
  });

  test('a monitor that does not answer gets no second call at the same time and does not delay the shutdown', async () => {
    await using monitor = await startMonitor();
    const app = await startWithChecks(engine, { HEARTBEAT_URL: monitor.url });
    try {
      monitor.faults.always = 'silence';
      await passMinute(app, monitor);
      await app.clock.advance('5m');
      assert.equal(monitor.pings.length, 1);
    } finally {
      await app[Symbol.asyncDispose]();
    }
    await waitForLog(app, /heartbeat/, 0);
  });

  it('stuck deliveries are logged once, and once when they are sent again; /health stays 200', async () => {
    await using app = await startWithChecks(engine);
    const passCheck = async () => {
      await app.clock.advance('60s');
      await new Promise(setImmediate);
    };
    const task = { id: newId(), owner_id: newId() };
    const delivery = storedDelivery(task, { next_attempt_at: new Date(0), created_at: app.clock.now() });
    await app.db.insertInto('deliveries').values(delivery).execute();
    await passCheck();
    await waitForLog(app, /^deliveries are stuck/, 0);
    // A check queries the database, which takes real time while the clock of the test jumps ahead.
    while (!app.log.some(({ msg }) => /^deliveries are stuck/.test(String(msg)))) await passCheck();
    for (let minute = 0; minute < 3; minute += 1) await passCheck();
    await waitForLog(app, /^deliveries are stuck/);
    assert.equal((await app.ask({ url: '/health' })).status, 200);
    await app.db.deleteFrom('deliveries').execute();
    while (!app.log.some(({ msg }) => /^deliveries are sent again/.test(String(msg)))) await passCheck();
    await waitForLog(app, /^deliveries are sent again/);
  });
});
