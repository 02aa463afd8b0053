import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ArchiveReader } from '../../src/archive/archive-reader.ts';
import { todoistRows } from '../support/move-in.ts';

const OWNER = {
  id: '0198c000-0000-7000-8000-000000000001',
  timezone: 'UTC',
  day_start: '08:00',
  keep_must_not_miss: false,
  quiet_hours_start: null,
  quiet_hours_end: null,
  pause_from: null,
  pause_until: null,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: null,
  ladders: null,
};
const context = { owner: OWNER, canAdoptZone: false, now: new Date('2026-03-02T09:00:00Z') };
const requestOf = (document: object) => ({
  document: { bytes: Buffer.from(JSON.stringify(document)), format: 'json' as const, from: 0 },
  context: context as never,
});
const small = requestOf({ tasks: [{ title: 'x' }] });
/** Finding out that a rule has no dates means a search through four hundred years. */
const BARREN = {
  title: 'x',
  due_at: '2026-12-01T10:00:00Z',
  recurrence: { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' },
};
const long = requestOf({ tasks: Array(10_000).fill(BARREN) });
const TOO_COSTLY = ({ problems }: { problems: { type: string }[] }) => problems[0]?.type === 'too_costly';
const neverAborted = () => new AbortController().signal;

test('a file that takes too long or too much memory to read is refused, and the next one is read', async () => {
  const withLittleTime = new ArchiveReader({ milliseconds: 1 });
  await assert.rejects(withLittleTime.read(long, neverAborted()), TOO_COSTLY);
  // V8 lets a thread end in 16 MB beyond its limit, and ends the process if one call needs more than that.
  const withLittleMemory = new ArchiveReader({ megabytes: 12 });
  const large = requestOf({ tasks: [{ title: 'x', notes: Array(200_000).fill({ a: [1] }) }] });
  await assert.rejects(withLittleMemory.read(large, neverAborted()), TOO_COSTLY);
  assert.equal((await new ArchiveReader().read(small, neverAborted())).items.length, 1);
});

test('a caller that hangs up leaves the queue or ends the reading, and the next file is read', async () => {
  const archives = new ArchiveReader({ maxWaiting: 2 });
  const [first, second] = [new AbortController(), new AbortController()];
  const reading = archives.read(long, first.signal);
  const waiting = archives.read(long, second.signal);
  const third = archives.read(small, neverAborted());
  await assert.rejects(archives.read(small, neverAborted()), { code: 'overloaded', retryAfterSeconds: 10 });
  second.abort(new Error('hung up while waiting'));
  await assert.rejects(waiting, /hung up while waiting/);
  first.abort(new Error('hung up while reading'));
  await assert.rejects(reading, /hung up while reading/);
  assert.equal((await third).items.length, 1);
});

test('a caller that hangs up is let go only when nothing of its file is being stored any more', async ({ mock }) => {
  const [left, storing, ended] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { terminate } = Worker.prototype;
  mock.method(Worker.prototype, 'terminate', async function (this: Worker) {
    await terminate.call(this);
    ended.resolve();
  });
  const file = { bytes: Buffer.from(todoistRows(['x'])), name: 'x.csv' };
  let isLetGo = false;
  const reading = new ArchiveReader()
    .readMoveIn({ file, context: context as never }, left.signal, () => {
      left.abort(new Error('hung up'));
      return storing.promise;
    })
    .finally(() => {
      isLetGo = true;
    });
  await ended.promise;
  await new Promise(setImmediate);
  assert.equal(isLetGo, false);
  storing.resolve();
  await assert.rejects(reading, /hung up/);
});
