import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { openStream } from './listen.ts';
import { LONGEST_MS, type Subscriber, Subscriptions } from './subscriptions.ts';

const turn = () => new Promise(setImmediate);

/** A subscriber whose looks end when the test says so. */
function listen(subscriptions: Subscriptions) {
  const looks: PromiseWithResolvers<boolean>[] = [];
  const state = { looks, hasEnded: false };
  const leave = subscriptions.open({
    userId: 'ada',
    look: () => {
      const look = Promise.withResolvers<boolean>();
      looks.push(look);
      return look.promise;
    },
    keepAlive: () => undefined,
    end: () => {
      state.hasEnded = true;
    },
  });
  return Object.assign(state, { leave });
}

const idle = (): Subscriber => ({
  userId: 'ada',
  look: async () => true,
  keepAlive: () => undefined,
  end: () => undefined,
});

const PAUSE_MS = 0;

const start = (pauseMs = PAUSE_MS) =>
  new Subscriptions({ clock: new FakeClock(), logger: createLogger('silent'), pauseMs });

test('a change that comes during a look is looked for once more', async () => {
  const subscriptions = start();
  const { looks } = listen(subscriptions);
  subscriptions.tell(['ada', 'bob']);
  await turn();
  subscriptions.tell(['ada']);
  assert.equal(looks.length, 1);
  looks[0]?.resolve(true);
  await turn();
  // A timer that is set after that of the pause, for the same time, ends after it.
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  await turn();
  assert.equal(looks.length, 2);
  looks[1]?.resolve(true);
  await subscriptions.stop();
});

test('changes right after a look wait for the pause to end, and are looked for together', async () => {
  const subscriptions = start(60_000);
  const { looks, leave } = listen(subscriptions);
  subscriptions.tell(['ada']);
  await turn();
  looks[0]?.resolve(true);
  for (let changes = 0; changes < 3; changes += 1) {
    subscriptions.tell(['ada']);
    await turn();
  }
  assert.equal(looks.length, 1);
  leave();
  await subscriptions.stop();
});

test('a client that left while its stream was opened is no subscriber', async () => {
  const subscriptions = start();
  const reply = { raw: { destroyed: true, once: () => undefined }, handlerTimer: null, header: () => reply } as object;
  Object.assign(reply, { code: () => reply, request: {}, server: { observeAnswer: () => undefined } });
  let ended = 0;
  const open = async () => ({
    response: new Response(''),
    end: () => {
      ended += 1;
    },
  });
  const call = { message: { method: 'subscriptions/listen' } };
  await openStream(reply as never, call as never, subscriptions, open as never);
  assert.equal(ended, 1);
  await subscriptions.stop();
});

test('for a client that has gone nothing more is looked for', async () => {
  const subscriptions = start();
  const { looks, leave } = listen(subscriptions);
  subscriptions.tell(['ada']);
  await turn();
  subscriptions.tell(['ada']);
  leave();
  looks[0]?.resolve(true);
  await turn();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  await turn();
  assert.deepEqual([looks.length, subscriptions.isEmpty], [1, true]);
  await subscriptions.stop();
});

test('who may not listen any more is ended by the look that finds it out', async () => {
  const subscriptions = start();
  const subscriber = listen(subscriptions);
  subscriptions.tell(['ada']);
  await turn();
  subscriber.looks[0]?.resolve(false);
  await turn();
  assert.ok(subscriber.hasEnded && subscriptions.isEmpty);
  await subscriptions.stop();
});

test('a stop ends every subscription, and waits for a look that is under way', async () => {
  const subscriptions = start();
  const subscriber = listen(subscriptions);
  subscriptions.tell(['ada']);
  await turn();
  let hasStopped = false;
  const stopping = subscriptions.stop().then(() => {
    hasStopped = true;
  });
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual([subscriber.hasEnded, hasStopped], [true, false]);
  subscriber.looks[0]?.resolve(true);
  await stopping;
});

test('of more subscriptions than an account may have the oldest ends, and others of the process stay', async () => {
  const subscriptions = start();
  const bob = subscriptions.open({ ...idle(), userId: 'bob' });
  const own = Array.from({ length: 6 }, () => listen(subscriptions));
  assert.deepEqual(
    own.map(({ hasEnded }) => hasEnded),
    [true, false, false, false, false, false],
  );
  bob();
  for (const { leave } of own) leave();
  assert.ok(subscriptions.isEmpty);
  await subscriptions.stop();
});

test('a process has room for so many subscriptions, again after one has left, and for none once it stops', async () => {
  const subscriptions = start();
  const leave = Array.from({ length: 500 }, (_, index) => subscriptions.open({ ...idle(), userId: `person ${index}` }));
  assert.throws(() => subscriptions.requireRoom(), { code: 'overloaded' });
  leave[0]?.();
  leave[0]?.();
  subscriptions.requireRoom();
  subscriptions.open(idle());
  assert.throws(() => subscriptions.requireRoom(), { code: 'overloaded' });
  await subscriptions.stop();
  assert.throws(() => subscriptions.requireRoom(), { code: 'overloaded' });
});

test('a look that fails ends no subscription: the next change is looked for', async () => {
  const subscriptions = start();
  const subscriber = listen(subscriptions);
  subscriptions.tell(['ada']);
  await turn();
  subscriber.looks[0]?.reject(new Error('The database does not answer.'));
  await turn();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  await turn();
  assert.equal(subscriber.hasEnded, false);
  subscriptions.tell(['ada']);
  await turn();
  assert.equal(subscriber.looks.length, 2);
  subscriber.looks[1]?.resolve(true);
  await subscriptions.stop();
});

test('a check keeps subscriptions alive, looks for each, and ends those that are an hour old', async (t) => {
  const subscriptions = start();
  let alive = 0;
  let looks = 0;
  const counted = {
    ...idle(),
    look: async () => {
      looks += 1;
      return true;
    },
    keepAlive: () => {
      alive += 1;
    },
  };
  subscriptions.open(counted);
  const opened = performance.now();
  t.mock.method(performance, 'now', () => opened + LONGEST_MS + 1);
  subscriptions.open(counted);
  subscriptions.start();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual([alive, looks, subscriptions.isEmpty], [2, 1, false]);
  await subscriptions.stop();
});
