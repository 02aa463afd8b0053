import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOwner } from '../../test/support/import-owner.ts';
import { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import type { ImportedTask, TaskImportService } from '../tasks/task-import.service.ts';
import type { Reading } from './archive-reader.ts';
import { ImportService } from './import.service.ts';
import type { ReadItem } from './read-task.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const CALLER: SessionCaller = { kind: 'session', userId: 'ada', sessionId: 'one', provenAt: NOW };

const entryOf = (title: string) => ({ name: `${title}.ics`, uid: title, kept: null, is_deleted: false });
const itemOf = (title: string, fields: object = {}): ReadItem =>
  ({
    title,
    record: { origin: title, task: { id: title }, outcomes: [] },
    wasInSpace: true,
    wasAssigned: true,
    isQuiet: true,
    appEntry: entryOf(title),
    ...fields,
  }) as unknown as ReadItem;
const REFUSED: ReadItem = { title: 'wrong', reason: 'It is not valid' };

const READING = {
  documentZone: 'Europe/Berlin',
  appliedZone: 'Europe/Berlin',
  remaining: 0,
  channels: [{ channel: { name: 'phone' } }, { name: 'odd', reason: 'no' }],
  settings: {},
  ladders: { own: [], labels: [], default: null },
  labels: [{ label: 'bill', colour: 'gold' }],
  caldav: { high_is_must_not_miss: true, alarm_minutes: 5 },
} as unknown as Omit<Reading, 'items'>;

interface Given {
  readonly items: readonly ReadItem[];
  readonly remaining?: number;
  readonly from?: number;
  readonly isPartial?: boolean;
  /** The tasks that the account has, by title. */
  readonly known?: readonly string[];
  /** How often the time zone of the account changes while the file is read. */
  readonly zoneChanges?: number;
}

async function run({ items, remaining = 0, from = 0, isPartial = false, known = [], zoneChanges = 0 }: Given) {
  const restored: [part: string, what: unknown][] = [];
  const store =
    (part: string) =>
    async (_userId: string, what: unknown): Promise<void> =>
      void restored.push([part, what]);
  let left = zoneChanges;
  const imports = {
    getAccount: async () => ({ owner: importOwner(), canAdoptZone: true }),
    checkLimits: async () => undefined,
    importTasks: async (_userId: string, _by: unknown, records: readonly { origin: string }[]) => {
      left -= 1;
      if (left >= 0) return undefined;
      return records.map(({ origin }): ImportedTask => ({ id: origin, isNew: !known.includes(origin) }));
    },
  } as unknown as TaskImportService;
  const restore = {
    ladders: store('ladders'),
    labels: store('labels'),
    caldav: store('caldav'),
    channels: async (_userId: string, channels: readonly { name?: string | null }[]) => {
      restored.push(['channels', channels]);
      return channels.map(({ name = null }) => ({
        provider: 'ntfy',
        name,
        id: 'x',
        result: 'restored' as const,
        reason: null,
      }));
    },
  };
  const reader = { read: async (): Promise<Reading> => ({ ...READING, items: [...items], remaining }) };
  const audit = new Audit(createLogger('silent'));
  const service = new ImportService({ now: () => NOW } as never, audit, reader, imports, restore);
  const document = { bytes: new Uint8Array(), format: 'json' as const, from };
  const callerLeft = new AbortController().signal;
  const { report, cost } = await service.import(CALLER, { document, isPartial, address: '192.0.2.1', callerLeft });
  return { report, cost, restored, parts: restored.map(([part]) => part) };
}

test('an import that is refused restores nothing at all, and leaves the zone of the account', async () => {
  const { report, parts } = await run({ items: [itemOf('a'), REFUSED] });
  assert.deepEqual(parts, []);
  assert.deepEqual([report.imported, report.refused, report.channels], [0, 1, []]);
  assert.deepEqual(report.zone, { document: 'Europe/Berlin', account: 'UTC', taken_over: false });
  assert.deepEqual(
    report.items.map(({ result }) => result),
    ['left_out', 'refused'],
  );
});

test('each result is that of its own task, and an app gets back what it sent of that very task', async () => {
  const items = [REFUSED, itemOf('a'), itemOf('b'), itemOf('c', { appEntry: undefined }), itemOf('d')];
  const { report, restored, parts } = await run({ items, isPartial: true, known: ['b'], from: 10, remaining: 7 });
  assert.deepEqual(parts, ['ladders', 'channels', 'labels', 'caldav']);
  assert.deepEqual(
    report.items.map(({ index, title, id, result }) => [index, title, id, result]),
    [
      [10, 'wrong', null, 'refused'],
      [11, 'a', 'a', 'imported'],
      [12, 'b', 'b', 'already_there'],
      [13, 'c', 'c', 'imported'],
      [14, 'd', 'd', 'imported'],
    ],
  );
  assert.deepEqual([report.imported, report.skipped, report.refused, report.quiet], [3, 1, 1, 3]);
  assert.deepEqual([report.remaining, report.next], [7, 15]);
  assert.deepEqual(report.left_behind, { spaces: 3, assigners: 3 });
  assert.deepEqual(
    report.channels.map(({ name, result }) => [name, result]),
    [
      ['phone', 'restored'],
      ['odd', 'refused'],
    ],
  );
  assert.deepEqual(report.zone, { document: 'Europe/Berlin', account: 'Europe/Berlin', taken_over: true });
  const entries = ['a', 'd'].map((title) => ({ ...entryOf(title), task_id: title }));
  assert.deepEqual(Object.fromEntries(restored).caldav, { settings: READING.caldav, entries });
});

test('a file is read again if the time zone of the account changed meanwhile, and given up after some times', async () => {
  const { report } = await run({ items: [itemOf('a')], zoneChanges: 2 });
  assert.deepEqual([report.imported, report.next], [1, null]);
  await assert.rejects(
    run({ items: [itemOf('a')], zoneChanges: 3 }),
    (error) => error instanceof AppError && error.code === 'overloaded',
  );
});

test('an import costs what it reads and, several times as much, what it stores', async () => {
  const outcomes = [{}, {}];
  const items = [
    itemOf('a', { record: { origin: 'a', outcomes } }),
    itemOf('b', { record: { origin: 'b', outcomes } }),
  ];
  // Two items, one new task with two outcomes, two channels and one label.
  assert.equal((await run({ items, known: ['b'] })).cost, 2 + (3 + 2 + 1) * 5);
});
