import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOwner } from '../../test/support/import-owner.ts';
import { InvalidInput } from '../lib/errors.ts';
import { type DocumentEnd, readDocument } from './read-document.ts';

const NOW = new Date('2026-03-02T09:00:00Z');

function read(document: object | string, { from = 0, canAdoptZone = false, format = 'json' as const } = {}) {
  const bytes = new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document));
  const reading = readDocument({ bytes, format, from }, { owner: importOwner(), canAdoptZone, now: NOW });
  const titles: (string | null)[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) titles.push('reason' in step.value ? step.value.reason : step.value.title);
  const end: DocumentEnd = step.value;
  return { titles, end };
}

const channel = {
  id: '0198c000-0000-7000-8000-000000000001',
  provider: 'ntfy',
  stages: 7,
  tier: 0,
  private_title: false,
};
const DOCUMENT = {
  settings: { timezone: 'America/New_York' },
  channels: [channel, 'none'],
  fallback_minutes: 4,
  labels: [{ label: 'bill', colour: 'gold' }, { label: 'bill' }],
  ladders: { own: [], labels: [], default: null },
  caldav: { high_is_must_not_miss: true, alarm_minutes: 5 },
  tasks: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
};

test('the first part of a file brings what is not a task, and the parts after it do not bring it again', () => {
  const { titles, end } = read(DOCUMENT);
  assert.deepEqual(titles, ['a', 'b', 'c']);
  assert.deepEqual([end.channels.length, end.labels, end.caldav], [2, DOCUMENT.labels.slice(0, 1), DOCUMENT.caldav]);
  assert.deepEqual([end.ladders, end.settings.fallbackMinutes], [DOCUMENT.ladders, 4]);
  assert.equal('reason' in (end.channels[1] ?? {}), true);
  const later = read(DOCUMENT, { from: 1 });
  assert.deepEqual([later.titles, later.end.remaining], [['b', 'c'], 0]);
  assert.deepEqual(
    [later.end.channels, later.end.labels, later.end.ladders, later.end.caldav],
    [[], [], undefined, undefined],
  );
  const beyond = read(DOCUMENT, { from: 9 });
  assert.deepEqual([beyond.titles, beyond.end.remaining], [[], 0]);
});

test('what is left of a large file is counted from where the reading began', () => {
  const tasks = Array.from({ length: 600 }, () => ({}));
  assert.equal(read({ tasks }).end.remaining, 100);
  assert.equal(read({ tasks }, { from: 50 }).end.remaining, 50);
});

test('dates are read in the zone of the file only where the account may take it over', () => {
  const applied = (canAdoptZone: boolean) => {
    const { end } = read(DOCUMENT, { canAdoptZone });
    return [end.documentZone, end.appliedZone];
  };
  assert.deepEqual(applied(false), ['America/New_York', 'UTC']);
  assert.deepEqual(applied(true), ['America/New_York', 'America/New_York']);
  const { end } = read({ ...DOCUMENT, settings: { timezone: 'Nowhere/At_All' } }, { canAdoptZone: true });
  assert.deepEqual([end.documentZone, end.appliedZone], [undefined, 'UTC']);
});

test('more channels and labels than an account has are not read', () => {
  const channels = Array.from({ length: 51 }, () => channel);
  const labels = Array.from({ length: 501 }, (_, index) => ({ label: `l${index}`, colour: 'gold' }));
  const { end } = read({ ...DOCUMENT, channels, labels });
  assert.deepEqual([end.channels.length, end.labels.length], [50, 500]);
});

test('an id that stands in the file twice is refused the second time, in any spelling', () => {
  const id = '0198c000-0000-7000-8000-00000000000a';
  const { titles } = read({
    tasks: [{ id, title: 'a' }, { id: id.toUpperCase(), title: 'b' }, { title: 'c' }],
  });
  assert.deepEqual(titles, ['a', 'id: The same id stands in the file twice', 'c']);
});

test('a file of a later release is refused, and settings that no app of ours has are left out', () => {
  assert.throws(() => read({ ...DOCUMENT, schema_version: 2 }), InvalidInput);
  const strange = { ...DOCUMENT, schema_version: 1, caldav: { alarm_minutes: -1 }, ladders: null, labels: 'many' };
  const { end } = read(strange);
  assert.deepEqual([end.caldav, end.ladders, end.labels], [undefined, undefined, []]);
});
