import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { aheadMs, type Clock, fastClock, systemClock } from './clock.ts';

const STARTED_MS = Date.parse('2026-03-02T09:00:00Z');
const moment = fc.integer({ min: 0, max: 4e12 });
const span = fc.integer({ min: 0, max: 600_000 });

test('a clock read at any moment between request and answer is not ahead, however long the answer took', () => {
  fc.assert(
    fc.property(moment, span, fc.double({ min: 0, max: 1, noNaN: true }), (asked, took, share) => {
      assert.equal(aheadMs(asked + Math.floor(took * share), asked, asked + took), 0);
    }),
  );
});

test('what lies outside that interval counts, positive where our clock is ahead', () => {
  fc.assert(
    fc.property(moment, span, fc.integer({ min: 1, max: 1e9 }), (asked, took, off) => {
      assert.equal(aheadMs(asked - off, asked, asked + took), off);
      assert.equal(aheadMs(asked + took + off, asked, asked + took), -off);
    }),
  );
});

test('a sleep of more days than a timer can count does not end at once, again and again', async (context) => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  context.after(() => process.off('warning', note));
  const stopped = new AbortController();
  const sleep = systemClock().sleepUntil(new Date(Date.now() + 40 * 86_400_000), stopped.signal);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  stopped.abort();
  await assert.rejects(sleep, { name: 'AbortError' });
  assert.deepEqual(warnings, []);
});

test('a fast clock sleeps as much shorter as it runs faster', async () => {
  const clock = fastClock(systemClock(), 1_000_000);
  const inAnHour = new Date(clock.now().getTime() + 3_600_000);
  await clock.sleepUntil(inAnHour, AbortSignal.timeout(10_000));
  assert.ok(clock.now() >= inAnHour);
});

/** A machine with a wrong clock, and a server with a right one. Only the test moves time. */
class Machine {
  readonly clock = systemClock();
  elapsedMs = 0;
  aheadMs = 0;
  serverSetMs = 0;

  constructor({ mock }: TestContext) {
    // Of two replacements of the same function, the first would stay after the test.
    mock.restoreAll();
    mock.method(Date, 'now', () => STARTED_MS + this.elapsedMs + this.aheadMs);
    mock.method(performance, 'now', () => this.elapsedMs);
  }

  get serverMs(): number {
    return STARTED_MS + this.elapsedMs + this.serverSetMs;
  }

  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** Asks the server, which reads its clock after `thereMs`; its answer is here after `backMs`. */
  read(thereMs = 0, backMs = 0) {
    this.elapsedMs += thereMs;
    const at = new Date(this.serverMs);
    this.elapsedMs += backMs;
    return this.clock.follow?.({ at, tookMs: thereMs + backMs });
  }
}

test('a clock that follows shows the time of the server, as exactly as its quickest answer, and runs on without it', (context) => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.array(fc.record({ pause: span, there: span, back: span }), { minLength: 1 }),
      (wrongByMs, readings) => {
        const machine = new Machine(context);
        machine.aheadMs = wrongByMs;
        let quickestMs = Number.POSITIVE_INFINITY;
        let shownMs = Number.NaN;
        for (const { pause, there, back } of readings) {
          machine.read(there, back);
          quickestMs = Math.min(quickestMs, there + back);
          machine.elapsedMs += pause;
          // Setting the clock of the machine changes nothing any more.
          machine.aheadMs += 7_000;
          // A clock that was ahead stands still until the server has caught up.
          const isStanding = machine.nowMs === shownMs && shownMs > machine.serverMs;
          shownMs = machine.nowMs;
          assert.ok(isStanding || Math.abs(shownMs - machine.serverMs) <= quickestMs);
        }
      },
    ),
  );
});

test('a correction of up to a second lets the clock stand still; a server whose clock was set back is followed', (context) => {
  const machine = new Machine(context);
  machine.read();
  assert.equal(machine.nowMs, STARTED_MS);
  machine.serverSetMs = -800;
  machine.read();
  assert.equal(machine.nowMs, STARTED_MS);
  machine.elapsedMs += 799;
  assert.equal(machine.nowMs, STARTED_MS);
  machine.elapsedMs += 2;
  assert.equal(machine.nowMs, STARTED_MS + 1);
  machine.serverSetMs -= 60_000;
  machine.read();
  assert.equal(machine.nowMs, machine.serverMs);
  machine.serverSetMs += 3_600_000;
  machine.read();
  assert.equal(machine.nowMs, machine.serverMs);
});

test('what the machine is ahead by is told apart from what the clock was corrected by', (context) => {
  const machine = new Machine(context);
  machine.aheadMs = 10_000;
  assert.deepEqual(machine.read(), { machineAheadMs: 10_000 });
  assert.deepEqual(machine.read(), { machineAheadMs: 10_000 });
  machine.aheadMs = -2_000;
  assert.deepEqual(machine.read(), { machineAheadMs: -2_000 });
});

test('a clock that follows nothing is the clock of the machine, also when that is set', (context) => {
  const machine = new Machine(context);
  machine.aheadMs = -3_600_000;
  assert.equal(machine.nowMs, STARTED_MS - 3_600_000);
});

test('a fast clock starts at the time of the server, however wrong the machine is', (context) => {
  const machine = new Machine(context);
  machine.aheadMs = 10_000;
  const fast: Clock = fastClock(machine.clock, 60);
  machine.read();
  assert.equal(fast.now().getTime(), STARTED_MS);
  machine.elapsedMs += 1_000;
  assert.equal(fast.now().getTime(), STARTED_MS + 60_000);
});
