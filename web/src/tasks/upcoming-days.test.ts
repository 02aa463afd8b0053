import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgendaEntry, Task } from '../api/client.ts';
import { BLOCK_DAYS, blocksFor, MOST_BLOCKS } from '../data/agenda-blocks.ts';
import { setDayFirst } from '../time/date-customs.ts';
import { formatHeading } from './format-heading.ts';
import { firstRowFrom, isoDayAfter, seriesOf, upcomingRows, versionOf } from './upcoming-days.ts';

setDayFirst(true);

const ZONE = 'Europe/Amsterdam';
/** Monday, 23:30 in Amsterdam. */
const NOW = Date.parse('2026-03-02T22:30:00Z');

const task = (id: string, due_at: string | null, fields: Partial<Task> = {}) =>
  ({ id, title: id, due_at, deferred_until: null, ...fields }) as Task;
const occurrence = (task_id: string, at: string) => ({ task_id, at, title: task_id }) as AgendaEntry;

function lines(tasks: readonly Task[], occurrences: readonly AgendaEntry[] = [], repeating: readonly Task[] = tasks) {
  const known = new Map(repeating.map((one) => [one.id, one]));
  return upcomingRows(tasks, occurrences, known, NOW, ZONE).flatMap((row) => {
    const title = 'task' in row ? row.task.title : `${row.occurrence.title}, again`;
    return row.heading ? [`# ${formatHeading(row.heading.at, ZONE, NOW, row.heading.kind)}`, title] : [title];
  });
}

test('what comes is under its day in the zone of the account, and under months from five weeks on', () => {
  const tasks = [
    task('tomorrow', '2026-03-02T23:30:00Z'),
    task('later tomorrow', '2026-03-03T22:59:00Z'),
    task('wednesday', '2026-03-03T23:00:00Z'),
    task('last day', '2026-04-06T08:00:00Z'),
    task('first of the month', '2026-04-07T08:00:00Z'),
    task('same month', '2026-04-30T21:59:00Z'),
    task('month after', '2026-05-02T08:00:00Z'),
    task('new year', '2026-12-31T23:30:00Z'),
    task('snoozed', '2026-03-01T08:00:00Z', { deferred_until: '2026-03-03T12:00:00Z' }),
  ];
  assert.deepEqual(lines(tasks), [
    '# Tomorrow, 3 March',
    'tomorrow',
    'snoozed',
    'later tomorrow',
    '# Wednesday, 4 March',
    'wednesday',
    '# Monday, 6 April',
    'last day',
    '# April 2026',
    'first of the month',
    'same month',
    '# May 2026',
    'month after',
    '# January 2027',
    'new year',
  ]);
});

test('later dates of a series follow the task, without those it has passed and without series that are gone', () => {
  const pills = task('pills', '2026-03-04T08:00:00Z');
  const dates = ['2026-03-03T08:00:00Z', '2026-03-04T08:00:00Z', '2026-03-05T08:00:00Z'];
  const occurrences = [...dates.map((at) => occurrence('pills', at)), occurrence('gone', '2026-03-05T08:00:00Z')];
  assert.deepEqual(lines([pills], occurrences), [
    '# Wednesday, 4 March',
    'pills',
    '# Thursday, 5 March',
    'pills, again',
  ]);
  // The task itself is on another list.
  assert.deepEqual(lines([], occurrences, [pills]), ['# Thursday, 5 March', 'pills, again']);
});

test('at the same moment titles are in order, and every row has a key of its own', () => {
  const at = '2026-03-04T08:00:00Z';
  const [b, a] = [task('b, which is long', at), task('a', at)];
  const rows = upcomingRows([b, a], [occurrence('b', '2026-03-05T08:00:00Z')], new Map([['b', b]]), NOW, ZONE);
  assert.deepEqual(
    rows.map((row) => ('task' in row ? row.task.id : 'again')),
    ['a', 'b, which is long', 'again'],
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, 3);
});

test('a day leads to its first row, or to the next one after it', () => {
  const rows = upcomingRows(
    [task('midnight', '2026-03-03T23:00:00Z'), task('friday', '2026-03-06T08:00:00Z')],
    [],
    new Map(),
    NOW,
    ZONE,
  );
  assert.deepEqual(
    ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07'].map((day) => firstRowFrom(rows, day, ZONE)),
    [0, 0, 1, 1, undefined],
  );
  assert.deepEqual([isoDayAfter(NOW, ZONE, 0), isoDayAfter(NOW, ZONE, 30)], ['2026-03-02', '2026-04-01']);
});

test('later dates are those of open series that were accepted, and are read again when one is added, changed or closed', () => {
  const series = (id: string, more: Partial<Task> = {}) =>
    task(id, null, {
      status: 'open',
      accepted_by_owner: true,
      recurrence: { freq: 'daily' },
      updated_at: '2026-03-02T08:00:00Z',
      ...more,
    });
  const others = [
    series('done', { status: 'done' }),
    series('asked', { accepted_by_owner: false }),
    series('single', { recurrence: null }),
  ];
  const [bins, cat] = [series('bins'), series('cat', { updated_at: '2026-03-02T07:00:00Z' })];
  assert.deepEqual([...seriesOf([bins, ...others, cat]).keys()], ['bins', 'cat']);
  const version = (...tasks: Task[]) => versionOf(seriesOf(tasks));
  const moved = { ...cat, updated_at: '2026-03-02T09:00:00Z' };
  const versions = [version(bins, cat), version(bins), version(bins, moved), version(moved)];
  assert.equal(new Set(versions).size, 4);
  assert.equal(version(cat, bins), version(bins, cat));
});

test('a jump reads as many blocks as reach its day, keeps those that are shown, and ends at the last', () => {
  const [first, afterBlock] = ['2026-03-03', '2026-04-07'];
  assert.deepEqual(
    [blocksFor(first, first, 1), blocksFor('2026-04-06', first, 1), blocksFor(afterBlock, first, 1)],
    [1, 1, 2],
  );
  assert.equal(BLOCK_DAYS, 35);
  assert.deepEqual([blocksFor(first, first, 3), blocksFor('2029-01-01', first, 3)], [3, MOST_BLOCKS]);
  assert.equal(blocksFor('2026-01-01', first, 2), 2);
});
