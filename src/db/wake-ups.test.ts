import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import timers from 'node:timers/promises';
import pg from 'pg';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { recordedDatabase } from '../../test/support/recorded-driver.ts';
import { createLogger } from '../lib/logger.ts';
import { type Receivers, WakeUpListener } from './wake-ups.ts';

interface Wait {
  readonly ms: number;
  readonly end: () => void;
}

/** A listener whose waits end when the test says so, on a server whose connections can fall silent or deliver nothing. */
function listen(t: TestContext, toReceivers: (heard: string[]) => Receivers) {
  const state = { isSilent: false, delivers: true };
  const [clients, said, heard]: [pg.Client[], string[], string[]] = [[], [], []];
  const waits: Wait[] = [];
  t.mock.method(timers, 'setTimeout', (ms: number, _: unknown, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wait = { ms, end: resolve };
    waits.push(wait);
    const leave = () => waits.splice(waits.indexOf(wait), 1);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise.finally(leave);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  t.mock.method(pg.Client.prototype, 'connect', async function (this: pg.Client) {
    clients.push(this);
  });
  t.mock.method(pg.Client.prototype, 'end', async () => undefined);
  t.mock.method(pg.Client.prototype, 'query', async (text: string) => {
    if (state.isSilent) throw new Error('Query read timeout');
    said.push(text);
  });
  const { db } = recordedDatabase(({ parameters }) => {
    const [channel, payload] = parameters;
    if (state.delivers && said.includes(`listen ${channel}`))
      clients.at(-1)?.emit('notification', { channel, payload });
    return [];
  }, 'postgres');
  const log: { msg: string; reason?: string }[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line)) });
  const listener = new WakeUpListener('postgres://localhost/x', db, new FakeClock(), logger, toReceivers(heard));
  const turn = () => new Promise(setImmediate);
  /** Ends the wait of that length, if the listener waits for so long. */
  const pass = async (ms: number) => {
    const wait = waits.find((one) => one.ms === ms);
    wait?.end();
    await turn();
    return wait !== undefined;
  };
  listener.start();
  return { state, clients, said, heard, log, listener, turn, pass };
}

const ofEngine = (heard: string[]): Receivers => ({ onWakeUp: () => void heard.push('woken') });

test('a connection that fell silent is found by a check every five seconds; the listener connects again and looks once', async (t) => {
  const { state, clients, said, heard, log, listener, turn, pass } = listen(t, ofEngine);
  await turn();
  assert.deepEqual([clients.length, heard, said], [1, ['woken'], ['listen crescendo_wake']]);
  for (const checks of [1, 2]) {
    assert.ok(await pass(5_000));
    assert.deepEqual(said.slice(1), Array(checks).fill('select 1'));
  }
  state.isSilent = true;
  assert.ok(await pass(5_000));
  assert.deepEqual([clients[0]?.connection.stream.destroyed, log[0]?.reason], [true, 'Query read timeout']);
  state.isSilent = false;
  assert.ok(await pass(1_000));
  assert.deepEqual([clients.length, heard, log.length], [2, ['woken', 'woken'], 2]);
  assert.ok(await pass(5_000), 'the new connection is checked too');
  clients[1]?.emit('notification', { channel: 'crescendo_wake', payload: '' });
  assert.equal(heard.length, 3);
  clients[1]?.emit('end');
  await turn();
  assert.ok(await pass(1_000));
  assert.equal(clients.length, 3);
  await listener.stop();
});

test('where nothing arrives, the listener says why, tries again a minute later, and stops without waiting for it', async (t) => {
  const { state, clients, heard, log, listener, turn, pass } = listen(t, ofEngine);
  state.delivers = false;
  await turn();
  assert.ok(await pass(3_000));
  assert.match(log[0]?.reason ?? '', /^LISTEN receives nothing: a connection pooler shares sessions/);
  assert.deepEqual([await pass(1_000), clients.length, heard], [false, 1, []]);
  assert.ok(await pass(60_000));
  assert.ok(await pass(1_000));
  assert.ok(await pass(3_000));
  assert.deepEqual([clients.length, log.length], [2, 1]);
  let isStopped = false;
  void listener.stop().then(() => {
    isStopped = true;
  });
  await turn();
  assert.ok(isStopped);
});

test('a process without an engine listens to what its web apps are told, and tells them nothing of its own test', async (t) => {
  const { clients, said, heard, log, listener, turn, pass } = listen(t, (told) => ({
    onChanges: (text) => void told.push(text),
  }));
  await turn();
  assert.ok(await pass(5_000), 'it has heard its own test');
  assert.deepEqual([said, heard, log], [['listen crescendo_live', 'select 1'], [], []]);
  clients[0]?.emit('notification', { channel: 'crescendo_live', payload: 'changed' });
  assert.deepEqual(heard, ['changed']);
  await listener.stop();
});
