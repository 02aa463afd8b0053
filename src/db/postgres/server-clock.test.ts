import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock, ClockReading } from '../../lib/clock.ts';
import { createLogger } from '../../lib/logger.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ServerClock } from './server-clock.ts';

const MINUTE_MS = 60_000;
const SERVER_MS = Date.parse('2026-03-02T09:00:00Z');

/** A process on a machine that is ahead of the server, or without a reachable server. */
function startProcess({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setInterval'] });
  const state = { machineAheadMs: 0, isAway: false };
  const readings: ClockReading[] = [];
  const released: boolean[] = [];
  const log: { msg: string; seconds_ahead?: number }[] = [];
  const clock: Clock = {
    now: () => new Date(SERVER_MS),
    sleepUntil: async () => undefined,
    follow: (reading) => {
      readings.push(reading);
      return { machineAheadMs: state.machineAheadMs };
    },
  };
  const query = async () => {
    if (state.isAway) throw new Error('The server is away.');
    return { rows: [{ server_time_ms: `${SERVER_MS}.25` }] };
  };
  const pool = {
    acquire: async () => ({ client: { query } }),
    release: (_: unknown, isIntact: boolean) => released.push(isIntact),
  };
  const serverClock = new ServerClock(
    clock,
    createLogger('info', { write: (line) => void log.push(JSON.parse(line)) }),
  );
  serverClock.readEveryMinute(pool as unknown as PostgresPool);
  const passMinute = async () => {
    mock.timers.tick(MINUTE_MS);
    await new Promise(setImmediate);
  };
  return { state, readings, released, log, serverClock, passMinute };
}

test('the clock of the server is read every minute until the database is closed; if it cannot be read, it is tried again', async (context) => {
  const { state, readings, released, serverClock, passMinute } = startProcess(context);
  await passMinute();
  state.isAway = true;
  await passMinute();
  state.isAway = false;
  await passMinute();
  assert.deepEqual(
    readings.map(({ at }) => at.getTime()),
    [SERVER_MS, SERVER_MS],
  );
  // A connection that did not answer is not used again.
  assert.deepEqual(released, [true, false, true]);
  serverClock.stop();
  await passMinute();
  assert.equal(readings.length, 2);
});

test('a machine that is more than a second off is logged once, and once when it is in step again', async (context) => {
  const { state, log, serverClock, passMinute } = startProcess(context);
  for (const machineAheadMs of [1_000, -12_345, -12_345, 2_000, 0, 0]) {
    state.machineAheadMs = machineAheadMs;
    await passMinute();
  }
  serverClock.stop();
  assert.deepEqual(
    log.map(({ msg, seconds_ahead }) => [msg.split(':')[0], seconds_ahead]),
    [
      ["this machine's clock differs from that of the database, which is used instead", -12.3],
      ["this machine's clock agrees with that of the database again", undefined],
    ],
  );
});
