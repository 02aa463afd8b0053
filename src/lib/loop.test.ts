import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from './logger.ts';
import { Loop } from './loop.ts';

const NEVER_CHECK_MS = 2 ** 30;

/** A loop whose work is counted and whose next moment is chosen by the test. */
function startLoop(
  t: TestContext,
  { checkEveryMs = NEVER_CHECK_MS, next = null as Date | null, failing = false } = {},
) {
  const clock = new FakeClock();
  const log: { msg: string }[] = [];
  const state = { runs: 0, next, failing, ran: Promise.withResolvers<void>(), during: () => {} };
  const loop = new Loop({
    name: 'test',
    clock,
    checkEveryMs,
    logger: createLogger('info', { write: (line) => void log.push(JSON.parse(line)) }),
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

test('work runs at the moment it returned, and not before', async (t) => {
  const { clock, state } = startLoop(t, { next: new Date('2026-03-02T10:00:00Z') });
  await clock.advance('0s');
  const before = state.runs;
  state.next = null;
  await clock.advance('59m');
  assert.equal(state.runs, before);
  await clock.advance('1m');
  assert.equal(state.runs, before + 1);
});

test('a wake-up for an earlier moment ends the sleep, one for a later moment does not', async (t) => {
  const { clock, state, loop } = startLoop(t, { next: new Date('2026-03-02T10:00:00Z') });
  await clock.advance('0s');
  const before = state.runs;
  loop.wake(new Date('2026-03-02T11:00:00Z'));
  await clock.advance('1s');
  assert.equal(state.runs, before);
  loop.wake(new Date('2026-03-02T09:30:00Z'));
  await clock.advance('1s');
  assert.equal(state.runs, before + 1);
});

test('a wake-up during the work is not lost', async (t) => {
  const { clock, state, loop } = startLoop(t);
  await clock.advance('0s');
  const before = state.runs;
  state.during = () => {
    // The work may have read its data before this wake-up.
    loop.wake(new Date('2026-03-02T09:00:05Z'));
    loop.wake(new Date('2026-03-02T10:00:00Z'));
    state.during = () => {};
  };
  loop.wake();
  await clock.advance('4s');
  assert.equal(state.runs, before + 1);
  await clock.advance('1s');
  assert.equal(state.runs, before + 2);
});

test('the loop checks regularly even without wake-ups and with a stopped clock', async (t) => {
  const { state } = startLoop(t, { checkEveryMs: 5 });
  for (let checks = 0; checks < 3; checks += 1) await state.ran.promise;
});

test('failed work is retried, with one line at the first failure and one when it works again', async (t) => {
  const { clock, log, state } = startLoop(t, { failing: true });
  for (let failures = 0; failures < 2; failures += 1) await state.ran.promise;
  state.failing = false;
  await clock.advance('0s');
  assert.deepEqual(
    log.map(({ msg }) => msg),
    ['a background loop is failing', 'a background loop works again'],
  );
});

test('stop ends the loop at once, even while it sleeps or backs off', async (t) => {
  const asleep = startLoop(t);
  await asleep.clock.advance('0s');
  await asleep.loop.stop();
  const failing = startLoop(t, { failing: true });
  await new Promise(setImmediate);
  await failing.loop.stop();
});

test('stop waits for work that is under way', async () => {
  const work = Promise.withResolvers<null>();
  const loop = new Loop({
    name: 'test',
    clock: new FakeClock(),
    checkEveryMs: NEVER_CHECK_MS,
    logger: createLogger('silent'),
    work: () => work.promise,
  });
  loop.start();
  let hasStopped = false;
  const stopping = loop.stop().then(() => {
    hasStopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(hasStopped, false);
  work.resolve(null);
  await stopping;
});
