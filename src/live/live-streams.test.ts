import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { createLogger } from '../lib/logger.ts';
import { LiveStreams, type ReadHeard } from './live-streams.ts';

const SESSION = { kind: 'session', userId: 'ada', sessionId: 'one' } as Parameters<LiveStreams['open']>[0];

const streamsWith = (readHeard: ReadHeard) =>
  new LiveStreams({ clock: systemClock(), logger: createLogger('silent'), readHeard });

function newSink() {
  const sink = { told: 0, isEnded: false };
  const write = () => {
    sink.told += 1;
  };
  const end = () => {
    sink.isEnded = true;
  };
  return Object.assign(sink, { write, end });
}

test('a process that stops ends its streams by itself, and opens no more', async () => {
  const streams = streamsWith(async () => new Map([['one', new Set(['ada'])]]));
  const sink = newSink();
  await streams.open(SESSION, sink);
  assert.deepEqual([sink.told, sink.isEnded], [1, false]);
  await streams.stop();
  assert.equal(sink.isEnded, true);
  await assert.rejects(streams.open(SESSION, newSink()), { code: 'overloaded' });
});

test('a change that comes while an earlier one is being read is read as well', async () => {
  const reads: PromiseWithResolvers<Awaited<ReturnType<ReadHeard>>>[] = [];
  const streams = streamsWith(() => {
    const read = Promise.withResolvers<Awaited<ReturnType<ReadHeard>>>();
    reads.push(read);
    return read.promise;
  });
  const hears = (...ids: string[]) => new Map([['one', new Set(ids)]]);
  const answer = async (heard: Awaited<ReturnType<ReadHeard>>) => {
    reads.at(-1)?.resolve(heard);
    await new Promise(setImmediate);
  };
  const sink = newSink();
  const opening = streams.open(SESSION, sink);
  await answer(hears('ada'));
  await opening;
  streams.tell(['ada']);
  streams.tell(['ada']);
  await answer(hears('ada', 'home'));
  assert.equal(reads.length, 3);
  // The answer to the second change: the person has left the space again.
  await answer(hears('ada'));
  const before = sink.told;
  streams.tell(['home']);
  assert.equal(sink.told, before);
  await streams.stop();
});

test('a browser that has gone while its stream was being read is told nothing, and leaves nothing behind', async () => {
  const reads: ((heard: Awaited<ReturnType<ReadHeard>>) => void)[] = [];
  const streams = streamsWith(() => new Promise((resolve) => reads.push(resolve)));
  const heard = new Map([['one', new Set(['ada', 'home'])]]);
  const sink = newSink();
  const opening = streams.open(SESSION, sink);
  reads[0]?.(new Map([['one', new Set(['ada'])]]));
  const leave = await opening;
  streams.tell(['ada']);
  leave();
  const before = sink.told;
  reads[1]?.(heard);
  await new Promise(setImmediate);
  streams.tell(['home']);
  assert.deepEqual([sink.told, streams.isEmpty], [before, true]);
  await streams.stop();
});

test('a read that failed leaves no stream behind, and the next change is read again', async () => {
  const answers: (() => Promise<Awaited<ReturnType<ReadHeard>>>)[] = [];
  const streams = streamsWith(() => (answers.shift() ?? assert.fail('nothing is to be read'))());
  const fail = async () => {
    throw new Error('the database is away');
  };
  const hear = async (...ids: string[]) => new Map([['one', new Set(ids)]]);
  answers.push(fail);
  await assert.rejects(streams.open(SESSION, newSink()), /away/);
  assert.equal(streams.isEmpty, true);
  const sink = newSink();
  answers.push(
    () => hear('ada'),
    fail,
    () => hear('ada', 'home'),
  );
  await streams.open(SESSION, sink);
  for (const _ of ['fails', 'works']) {
    streams.tell(['ada']);
    await new Promise(setImmediate);
  }
  const before = sink.told;
  streams.tell(['home']);
  assert.equal(sink.told, before + 1);
  await streams.stop();
});

test('a session that has ended by the time its stream is opened hears nothing', async () => {
  const streams = streamsWith(async () => new Map());
  const sink = newSink();
  await streams.open(SESSION, sink);
  streams.tell(['ada']);
  assert.deepEqual([sink.isEnded, sink.told, streams.isEmpty], [true, 0, true]);
  await streams.stop();
});

test('a process has two thousand streams and opens no more', async () => {
  const streams = streamsWith(async (ids) => new Map(ids.map((id) => [id, new Set([id])])));
  for (let number = 0; number < 2_000; number += 1)
    await streams.open({ ...SESSION, userId: `${number}`, sessionId: `${number}` }, newSink());
  await assert.rejects(streams.open(SESSION, newSink()), { code: 'overloaded' });
  await streams.stop();
});
