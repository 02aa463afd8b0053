import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KeyedSemaphore, QueueFull, Semaphore } from './semaphore.ts';

/** Callers that record when they got a place; `leave(n)` releases the place of the n-th caller. */
function enter(semaphore: Semaphore, count: number) {
  const inside: number[] = [];
  const controllers = Array.from({ length: count }, () => new AbortController());
  const places = controllers.map(async ({ signal }, index) => {
    const release = await semaphore.acquire(signal);
    inside.push(index);
    return release;
  });
  const leave = async (index: number) => {
    (await places[index])?.();
    await nextTurn();
  };
  return { inside, places, leave, abort: (index: number) => controllers[index]?.abort(new Error('aborted')) };
}

test('at most `capacity` callers hold a place, and the others follow in the order they came', async () => {
  const semaphore = new Semaphore({ capacity: 2 });
  const callers = enter(semaphore, 4);
  await nextTurn();
  assert.deepEqual(callers.inside, [0, 1]);
  await callers.leave(1);
  await callers.leave(0);
  assert.deepEqual(callers.inside, [0, 1, 2, 3]);
  assert.equal(semaphore.available, 0);
  await callers.leave(2);
  await callers.leave(3);
  assert.equal(semaphore.available, 2);
});

test('a waiting caller whose signal fires is rejected at once and takes no place', async () => {
  const semaphore = new Semaphore({ capacity: 1 });
  const callers = enter(semaphore, 3);
  callers.abort(1);
  await assert.rejects(callers.places[1] as Promise<unknown>, /aborted/);
  await callers.leave(0);
  assert.deepEqual(callers.inside, [0, 2]);
  await callers.leave(2);
  assert.equal(semaphore.available, 1);
});

test('releasing a place twice counts once', async () => {
  const semaphore = new Semaphore({ capacity: 1 });
  const release = await semaphore.acquire();
  release();
  release();
  assert.equal(semaphore.available, 1);
});

test('a full queue refuses the next caller', async () => {
  const semaphore = new Semaphore({ capacity: 1, maxWaiting: 1 });
  const release = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await assert.rejects(semaphore.acquire(), QueueFull);
  release();
  await waiting;
});

test('closing refuses waiting and later callers, and does not affect callers that hold a place', async () => {
  const semaphore = new Semaphore({ capacity: 1 });
  const release = await semaphore.acquire();
  const waiting = semaphore.acquire();
  semaphore.close(new Error('closed'));
  await assert.rejects(waiting, /closed/);
  await assert.rejects(semaphore.acquire(), /closed/);
  release();
});

test('each key of a keyed semaphore has places of its own, which are free again after a refusal or a release', async () => {
  const places = new KeyedSemaphore({ capacity: 1, maxWaiting: 0 });
  const release = await places.acquire('ada');
  await assert.rejects(places.acquire('ada'), QueueFull);
  (await places.acquire('grace'))();
  release();
  release();
  const again = await places.acquire('ada');
  await assert.rejects(places.acquire('ada'), QueueFull);
  again();
});

test('a caller that is let in forgets its signal, and one whose signal has fired is refused though there is a place', async () => {
  const semaphore = new Semaphore({ capacity: 1 });
  const release = await semaphore.acquire();
  const { signal } = new AbortController();
  const waiting = semaphore.acquire(signal);
  await nextTurn();
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  release();
  (await waiting)();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await assert.rejects(semaphore.acquire(AbortSignal.abort(new Error('too late'))), /too late/);
  assert.equal(semaphore.available, 1);
});

test('after a refusal for a full queue, a key has all its places again once they are given back', async () => {
  const places = new KeyedSemaphore({ capacity: 1, maxWaiting: 1 });
  const release = await places.acquire('ada');
  const waiting = places.acquire('ada');
  await assert.rejects(places.acquire('ada'), QueueFull);
  release();
  (await waiting)();
  const again = await places.acquire('ada');
  const next = places.acquire('ada');
  await assert.rejects(places.acquire('ada'), QueueFull);
  again();
  (await next)();
});
