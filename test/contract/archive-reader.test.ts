import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveReader } from '../../src/archive/archive-reader.ts';

const OWNER = {
  ...{ id: '0198c000-0000-7000-8000-000000000001', timezone: 'UTC', day_start: '08:00', keep_must_not_miss: false },
  ...{ quiet_hours_start: null, quiet_hours_end: null, pause_from: null, pause_until: null },
};
const reader = { owner: OWNER, isZoneOpen: false, now: new Date('2026-03-02T09:00:00Z') };
const assignmentOf = (document: object) => ({
  document: { bytes: Buffer.from(JSON.stringify(document)), kind: 'json' as const, from: 0 },
  reader: reader as never,
});
const small = assignmentOf({ tasks: [{ title: 'x' }] });
/** To find out that a rule never falls takes a walk through four hundred years. */
const BARREN = {
  title: 'x',
  due_at: '2026-12-01T10:00:00Z',
  recurrence: { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' },
};
const long = assignmentOf({ tasks: Array(10_000).fill(BARREN) });
const TOO_COSTLY = ({ problems }: { problems: { type: string }[] }) => problems[0]?.type === 'too_costly';
const nobodyLeaves = () => new AbortController().signal;

test('a file that takes too long or too much memory to read is refused, and the next one is read', async () => {
  const impatient = new ArchiveReader({ milliseconds: 1 });
  await assert.rejects(impatient.read(long, nobodyLeaves()), TOO_COSTLY);
  const cramped = new ArchiveReader({ megabytes: 8 });
  const large = assignmentOf({ tasks: [{ title: 'x', notes: Array(400_000).fill({ a: [1] }) }] });
  await assert.rejects(cramped.read(large, nobodyLeaves()), TOO_COSTLY);
  assert.equal((await new ArchiveReader().read(small, nobodyLeaves())).items.length, 1);
});

test('whoever hangs up leaves the line, or ends the reading, and those behind have their turn', async () => {
  const archives = new ArchiveReader({ inLine: 2 });
  const [first, second] = [new AbortController(), new AbortController()];
  const reading = archives.read(long, first.signal);
  const waiting = archives.read(long, second.signal);
  const third = archives.read(small, nobodyLeaves());
  await assert.rejects(archives.read(small, nobodyLeaves()), { code: 'overloaded', retryAfterSeconds: 10 });
  second.abort(new Error('hung up in line'));
  await assert.rejects(waiting, /hung up in line/);
  first.abort(new Error('hung up meanwhile'));
  await assert.rejects(reading, /hung up meanwhile/);
  assert.equal((await third).items.length, 1);
});
