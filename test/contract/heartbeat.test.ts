import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const SECRET = 'a-secret-that-silences-the-alarm';

const settingsOf = (monitor: HttpRecorder) => ({ HEARTBEAT_URL: `${monitor.origin}/${SECRET}` });

/** Advances the clock by a minute and waits for the ping. */
async function passMinute(app: TestApp, monitor: HttpRecorder): Promise<void> {
  const arrived = monitor.nextRequest();
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
    await using monitor = await HttpRecorder.start();
    await using app = await startWithChecks(engine, settingsOf(monitor));
    await app.clock.advance('59s');
    assert.equal(monitor.seen, 0);
    const arrived = monitor.nextRequest();
    await app.clock.advance('1s');
    await arrived;
    await passMinute(app, monitor);
    assert.deepEqual(
      monitor.requests.map(({ method, path }) => `${method} ${path}`),
      [`GET /${SECRET}`, `GET /${SECRET}`],
    );
  });

  it('no heartbeat is sent while nudges are late, which is logged once, and heartbeats resume afterwards', async () => {
    await using monitor = await HttpRecorder.start();
    await using app = await startWithChecks(engine, settingsOf(monitor));
    await app.engine?.stop();
    await insertDueTasks(app.db, { tasks: 1, owners: 1, dueAt: app.clock.now() });
    await passMinute(app, monitor);
    await waitForLog(app, /^no heartbeat is sent/, 0);
    const before = monitor.seen;
    await app.clock.advance('60s');
    await waitForLog(app, /^no heartbeat is sent/);
    assert.equal(monitor.seen, before);
    await app.db.deleteFrom('tasks').execute();
    await passMinute(app, monitor);
    await waitForLog(app, /^the service is healthy again/);
  });

  it('a failing heartbeat is logged once and without its URL, and a redirect is not followed', async () => {
    await using monitor = await HttpRecorder.start();
    const settings = { ...settingsOf(monitor), LOG_LEVEL: 'trace' };
    await using app = await startWithChecks(engine, settings);
    const elsewhere = { status: 302, headers: { location: '/elsewhere' } };
    monitor.faults.next('drop', { status: 500 }, elsewhere);
    for (let minute = 0; minute < 3; minute += 1) await passMinute(app, monitor);
    await passMinute(app, monitor);
    await waitForLog(app, /^the heartbeat works again/);
    await waitForLog(app, /^the heartbeat failed/);
    assert.deepEqual(
      monitor.requests.map(({ path }) => path),
      [`/${SECRET}`],
    );
    assert.equal(monitor.seen, 4);
    assert.doesNotMatch(JSON.stringify(app.log), new RegExp(`${SECRET}|${new URL(monitor.origin).port}`));
  });

  it('a monitor that does not answer gets no second call at the same time and does not delay the shutdown', async () => {
    await using monitor = await HttpRecorder.start();
    const app = await startWithChecks(engine, settingsOf(monitor));
    try {
      monitor.faults.always = 'silence';
      await passMinute(app, monitor);
      await app.clock.advance('5m');
      assert.equal(monitor.seen, 1);
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
