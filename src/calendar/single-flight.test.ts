import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SingleFlight } from './single-flight.ts';

/** A job that ends when `finish` is settled; `signals` has one entry per start. */
function controlledJob() {
  const signals: AbortSignal[] = [];
  const finish = Promise.withResolvers<string>();
  const job = async (signal: AbortSignal) => {
    signals.push(signal);
    return finish.promise;
  };
  return { signals, finish, job };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const neverAborted = new AbortController().signal;

test('callers that ask for the same version share one job', async () => {
  const [flights, { signals, finish, job }] = [new SingleFlight(), controlledJob()];
  const run = () => flights.run('feed', 'v1', job, neverAborted);
  const both = Promise.all([run(), run()]);
  finish.resolve('text');
  assert.deepEqual(await both, ['text', 'text']);
  assert.equal(signals.length, 1);
});

test('a job continues while a caller waits for it, and stops when the last one hangs up', async () => {
  const [flights, { signals, job }] = [new SingleFlight(), controlledJob()];
  const [ada, grace] = [new AbortController(), new AbortController()];
  const settled = Promise.allSettled([ada, grace].map(({ signal }) => flights.run('feed', 'v1', job, signal)));
  await turn();
  ada.abort();
  await turn();
  assert.equal(signals[0]?.aborted, false);
  grace.abort();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(signals[0]?.aborted, true);
});

test('a new version starts after the job for the old one has ended', async () => {
  const [flights, old, fresh] = [new SingleFlight(), controlledJob(), controlledJob()];
  const first = flights.run('feed', 'v1', old.job, neverAborted);
  const second = flights.run('feed', 'v2', fresh.job, neverAborted);
  await turn();
  assert.equal(fresh.signals.length, 0);
  old.finish.resolve('old');
  fresh.finish.resolve('new');
  assert.deepEqual(await Promise.all([first, second]), ['old', 'new']);
});

test('whoever asks after the last caller has left gets a job of their own, once the stopped one is over', async () => {
  const [flights, stopped, fresh] = [new SingleFlight(), controlledJob(), controlledJob()];
  const caller = new AbortController();
  const left = assert.rejects(flights.run('feed', 'v1', stopped.job, caller.signal));
  await turn();
  caller.abort();
  await left;
  await assert.rejects(flights.run('feed', 'v1', fresh.job, caller.signal));
  const first = flights.run('feed', 'v1', fresh.job, neverAborted);
  await turn();
  assert.equal(fresh.signals.length, 0);
  stopped.finish.reject(new Error('stopped'));
  await turn();
  const second = flights.run('feed', 'v1', fresh.job, neverAborted);
  fresh.finish.resolve('text');
  assert.deepEqual(await Promise.all([first, second]), ['text', 'text']);
  assert.equal(fresh.signals.length, 1);
});

test('a job that fails is told to its callers, and the next version begins all the same', async () => {
  const [flights, old, fresh] = [new SingleFlight(), controlledJob(), controlledJob()];
  const first = assert.rejects(flights.run('feed', 'v1', old.job, neverAborted), /broken/);
  const second = flights.run('feed', 'v2', fresh.job, neverAborted);
  old.finish.reject(new Error('broken'));
  fresh.finish.resolve('new');
  await first;
  assert.equal(await second, 'new');
  assert.equal(await flights.run('other', 'v1', async () => 'other', neverAborted), 'other');
});
