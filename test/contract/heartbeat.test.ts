import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { type Bed, startBed } from '../support/bed.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { answer, Faults } from '../support/faults.ts';

const SECRET = 'a-secret-that-silences-the-alarm';

/** Where the pings arrive. */
async function startMonitor() {
  const faults = new Faults();
  const pings: string[] = [];
  let came = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    pings.push(`${request.method} ${request.url}`);
    came.resolve();
    came = Promise.withResolvers();
    if (!(await faults.strike(request, response))) answer(response, { status: 200 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ faults, pings, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${SECRET}` },
    next: () => came.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Monitor = Awaited<ReturnType<typeof startMonitor>>;

/** A minute passes, and the ping arrives. */
async function passMinute(bed: Bed, monitor: Monitor): Promise<void> {
  const came = monitor.next();
  await bed.clock.advance('60s');
  await came;
}

/** Resolves once the log holds that line so many times. */
async function hasTold(bed: Bed, line: RegExp, times = 1): Promise<void> {
  const count = () => bed.log.filter(({ msg }) => line.test(String(msg))).length;
  while (count() < times) await new Promise(setImmediate);
  assert.equal(count(), times);
}

/** The minute's rounds are counted by the clock that the test moves. */
async function startRounds(engine: EngineName, settings: Readonly<Record<string, string>> = {}): Promise<Bed> {
  const clock = new FakeClock();
  return startBed(engine, { clock, settings, extra: { roundsClock: clock } });
}

onEveryEngine((engine) => {
  test('after each healthy minute the address is called once, and not before the first', async () => {
    await using monitor = await startMonitor();
    await using bed = await startRounds(engine, { HEARTBEAT_URL: monitor.url });
    await bed.clock.advance('59s');
    assert.deepEqual(monitor.pings, []);
    const came = monitor.next();
    await bed.clock.advance('1s');
    await came;
    await passMinute(bed, monitor);
    assert.deepEqual(monitor.pings, [`GET /${SECRET}`, `GET /${SECRET}`]);
  });

  test('while nudges are late nobody is called, which is told once, and afterwards they are again', async () => {
    await using monitor = await startMonitor();
    await using bed = await startRounds(engine, { HEARTBEAT_URL: monitor.url });
    await bed.engine?.stop();
    await insertDueTasks(bed.db, { tasks: 1, owners: 1, dueAt: bed.clock.now() });
    await passMinute(bed, monitor);
    await hasTold(bed, /^no heartbeat is sent/, 0);
    const before = monitor.pings.length;
    await bed.clock.advance('60s');
    await hasTold(bed, /^no heartbeat is sent/);
    assert.equal(monitor.pings.length, before);
    await bed.db.deleteFrom('tasks').execute();
    await passMinute(bed, monitor);
    await hasTold(bed, /^the service is healthy again/);
  });

  test('a ping that fails is told once and without the address; a redirection is not followed', async () => {
    await using monitor = await startMonitor();
    const settings = { HEARTBEAT_URL: monitor.url, LOG_LEVEL: 'trace' };
    await using bed = await startRounds(engine, settings);
    const elsewhere = { status: 302, headers: { location: '/elsewhere' } };
    monitor.faults.next('drop', { status: 500 }, elsewhere);
    for (let minute = 0; minute < 3; minute += 1) await passMinute(bed, monitor);
    await passMinute(bed, monitor);
    await hasTold(bed, /^the heartbeat gets through again/);
    await hasTold(bed, /^the heartbeat did not get through/);
    assert.deepEqual(new Set(monitor.pings), new Set([`GET /${SECRET}`]));
    assert.doesNotMatch(JSON.stringify(bed.log), new RegExp(`${SECRET}|${new URL(monitor.url).port}`));
  });

  test('a monitor that does not answer is not called twice at once, and does not hold up the stop', async () => {
    await using monitor = await startMonitor();
    const bed = await startRounds(engine, { HEARTBEAT_URL: monitor.url });
    try {
      monitor.faults.always = 'silence';
      await passMinute(bed, monitor);
      await bed.clock.advance('5m');
      assert.equal(monitor.pings.length, 1);
    } finally {
      await bed[Symbol.asyncDispose]();
    }
    await hasTold(bed, /heartbeat/, 0);
  });

  test('deliveries that nobody sends are told once, and when they move again; health is not touched', async () => {
    await using bed = await startRounds(engine);
    const round = async () => {
      await bed.clock.advance('60s');
      await new Promise(setImmediate);
    };
    const delivery = {
      ...({
        entry_id: newId(),
        target_id: newId(),
        kind: 'nudge',
        task_id: newId(),
        provider: 'fcm',
        stage: 0,
      } as const),
      ...({ status: 'pending', reason: null, attempts: 0, created_at: bed.clock.now() } as const),
    };
    await bed.db
      .insertInto('deliveries')
      .values({ ...delivery, next_attempt_at: new Date(0) })
      .execute();
    await round();
    await hasTold(bed, /^deliveries stand/, 0);
    // A round asks the database, which takes its time while the clock of the test leaps on.
    while (!bed.log.some(({ msg }) => /^deliveries stand/.test(String(msg)))) await round();
    for (let minute = 0; minute < 3; minute += 1) await round();
    await hasTold(bed, /^deliveries stand/);
    assert.equal((await bed.ask({ url: '/health' })).status, 200);
    await bed.db.deleteFrom('deliveries').execute();
    while (!bed.log.some(({ msg }) => /^deliveries move/.test(String(msg)))) await round();
    await hasTold(bed, /^deliveries move again/);
  });
});
