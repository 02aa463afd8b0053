import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { Loop } from './loop.ts';

const NEVER_LOOK_MS = 2 ** 30;

/** A loop whose work is counted and whose next moment is chosen by the test. */
function startLoop(t: TestContext, { lookEveryMs = NEVER_LOOK_MS, next = null as Date | null, failing = false } = {}) {
  const clock = new FakeClock();
  const log: { msg: string }[] = [];
  const state = { runs: 0, next, failing, ran: Promise.withResolvers<void>(), during: () => {} };
  const loop = new Loop({
    ...{
      name: 'test',
      clock,
      lookEveryMs,
      logger: createLogger('info', { write: (line) => void log.push(JSON.parse(line)) }),
    },
    work: async () => {
      state.runs += 1;
      state.ran.resolve();
      state.ran = Promise.withResolvers();
      state.during();
      if (state.failing) throw new Error('the database is away');
      return state.next;
    },
  });
  clock.waitFor(async () => {
    while (!loop.isIdle()) await new Promise(setImmediate);
  });
  t.after(() => loop.stop());
  loop.start();
  return { clock, log, state, loop };
}

test('work is done at the moment it names, and not before', async (t) => {
  const { clock, state } = startLoop(t, { next: new Date('2026-03-02T10:00:00Z') });
  await clock.advance('0s');
  const before = state.runs;
  state.next = null;
  await clock.advance('59m');
  assert.equal(state.runs, before);
  await clock.advance('1m');
  assert.equal(state.runs, before + 1);
});

test('a ring for an earlier moment wakes it, one for a later moment does not', async (t) => {
  const { clock, state, loop } = startLoop(t, { next: new Date('2026-03-02T10:00:00Z') });
  await clock.advance('0s');
  const before = state.runs;
  loop.ring(new Date('2026-03-02T11:00:00Z'));
  await clock.advance('1s');
  assert.equal(state.runs, before);
  loop.ring(new Date('2026-03-02T09:30:00Z'));
  await clock.advance('1s');
  assert.equal(state.runs, before + 1);
});

test('a ring while it works is not lost', async (t) => {
  const { clock, state, loop } = startLoop(t);
  await clock.advance('0s');
  const before = state.runs;
  state.during = () => {
    // What it has looked up by now may not know of this yet.
    loop.ring(new Date('2026-03-02T09:00:05Z'));
    state.during = () => {};
  };
  loop.ring();
  await clock.advance('4s');
  assert.equal(state.runs, before + 1);
  await clock.advance('1s');
  assert.equal(state.runs, before + 2);
});

test('it looks now and then even if nobody rings and the clock stands still', async (t) => {
  const { state } = startLoop(t, { lookEveryMs: 5 });
  for (let looks = 0; looks < 3; looks += 1) await state.ran.promise;
});

test('work that fails is tried again, with one line at the first failure and one when it works again', async (t) => {
  const { clock, log, state } = startLoop(t, { failing: true });
  for (let failures = 0; failures < 3; failures += 1) await state.ran.promise;
  state.failing = false;
  await clock.advance('0s');
  assert.deepEqual(
    log.map(({ msg }) => msg),
    ['the engine cannot work at the moment', 'the engine works again'],
  );
});

test('stopping ends it at once, resting or failing', async (t) => {
  const resting = startLoop(t);
  await resting.clock.advance('0s');
  await resting.loop.stop();
  const failing = startLoop(t, { failing: true });
  await new Promise(setImmediate);
  await failing.loop.stop();
});
