import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { openStream } from './listen.ts';
import { Subscriptions } from './subscriptions.ts';

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

const PAUSE_MS = 0;

const start = () => new Subscriptions({ clock: new FakeClock(), logger: createLogger('silent'), pauseMs: PAUSE_MS });

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
