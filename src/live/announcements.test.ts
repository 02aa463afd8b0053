import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger } from '../lib/logger.ts';
import { Announcements } from './announcements.ts';

test('what changes while other processes are being told is told as well', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const publishing = Promise.withResolvers<void>();
  const announcements = new Announcements({
    streams: { isEmpty: false, tell: (ids) => void told.push(...ids) },
    publish: () => publishing.promise,
    logger: createLogger('silent'),
  });
  announcements.announce(['ada']);
  context.mock.timers.tick(100);
  announcements.announce(['bob']);
  publishing.resolve();
  await nextTurn();
  context.mock.timers.tick(100);
  assert.deepEqual(told, ['ada', 'bob']);
});

test('a process that stops tells everything that it has collected, to its streams and to other processes', async () => {
  const told: string[] = [];
  const published: string[] = [];
  const tell = (ids: Iterable<string>) => void told.push(...ids);
  const announcements = new Announcements({
    streams: { isEmpty: false, tell },
    publish: async (payloads) => void published.push(...payloads),
    logger: createLogger('silent'),
  });
  const ids = Array.from({ length: 450 }, () => crypto.randomUUID());
  announcements.announce(ids);
  await announcements.stop();
  assert.deepEqual(told, ids);
  assert.ok(published.every((payload) => Buffer.byteLength(payload) < 8_000));
  const other: string[] = [];
  const there = new Announcements({
    streams: { isEmpty: false, tell: (some) => void other.push(...some) },
    publish: undefined,
    logger: createLogger('silent'),
  });
  for (const payload of published) {
    there.receive(payload);
    announcements.receive(payload);
  }
  assert.deepEqual(other, ids);
  assert.deepEqual(told, ids, 'its own payloads change nothing');
});

test('a process that stops waits until other processes have been told', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const publishing = Promise.withResolvers<void>();
  const announcements = new Announcements({
    streams: { isEmpty: true, tell: () => undefined },
    publish: () => publishing.promise,
    logger: createLogger('silent'),
  });
  announcements.announce(['ada']);
  context.mock.timers.tick(100);
  let isStopped = false;
  const stopping = announcements.stop().then(() => {
    isStopped = true;
  });
  await nextTurn();
  assert.equal(isStopped, false);
  publishing.resolve();
  await stopping;
});

test('a process goes on telling after other processes could not be told, and keeps a bounded number of ids', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const published: string[] = [];
  const announcements = new Announcements({
    streams: { isEmpty: false, tell: (ids) => void told.push(...ids) },
    publish: async (payloads) => {
      published.push(...payloads);
      throw new Error('the database is away');
    },
    logger: createLogger('silent'),
  });
  for (const id of ['ada', 'bob']) {
    announcements.announce([id]);
    context.mock.timers.tick(100);
    await nextTurn();
  }
  assert.deepEqual([told, published.length], [['ada', 'bob'], 2]);
  announcements.announce(Array.from({ length: 10_001 }, (_, index) => `${index}`));
  await announcements.stop();
  assert.equal(told.length, 2 + 10_000);
});
