import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { choose } from './date-customs.ts';
import { isSnoozed, momentOf } from './due-moment.ts';
import {
  formatClock,
  formatDay,
  formatDue,
  formatHours,
  formatPlainDate,
  formatRelative,
  formatTime,
} from './format.ts';

const ZONE = 'Europe/Amsterdam';
/** Monday, 23:30 in Amsterdam. */
const NOW = Date.parse('2026-03-02T22:30:00Z');

// A hook outside would run before the tests of other files in this process, too.
describe('formats', () => {
  beforeEach(() => {
    choose('order', 'day');
    choose('clock', '24');
  });

  test('a day is named as a person names it, in the zone of the account', () => {
    const days: readonly [at: string, words: string][] = [
      ['2026-03-01T22:59:00Z', 'yesterday'],
      ['2026-03-01T23:00:00Z', 'today'],
      ['2026-03-02T22:59:59Z', 'today'],
      ['2026-03-02T23:00:00Z', 'tomorrow'],
      ['2026-03-08T12:00:00Z', 'Sunday'],
      ['2026-03-09T12:00:00Z', 'Mon 9 Mar'],
      ['2026-02-28T12:00:00Z', 'Sat 28 Feb'],
      ['2025-12-31T12:00:00Z', 'Wed 31 Dec 2025'],
      ['2026-12-31T23:30:00Z', 'Fri 1 Jan 2027'],
    ];
    for (const [at, words] of days) assert.equal(formatDay(at, ZONE, NOW).replaceAll(',', ''), words);
  });

  test('a time is said only of a task that has one, on the clock of the person', () => {
    const due_at = '2026-03-02T23:05:00Z';
    assert.equal(formatDue({ due_at, has_time: true }, ZONE, NOW), 'tomorrow at 00:05');
    assert.equal(formatDue({ due_at, has_time: false }, ZONE, NOW), 'tomorrow');
    assert.doesNotMatch(formatDue({ due_at: null, has_time: false }, ZONE, NOW), /1970|Invalid/);
    choose('clock', '12');
    assert.match(formatTime(due_at, ZONE), /^12:05\sam$/i);
    assert.match(formatClock('18:30'), /^6:30\spm$/i);
  });

  test('a distance is told in its largest whole unit, before and after', () => {
    const relative = (minutes: number) => formatRelative(NOW + minutes * 60_000, NOW);
    assert.equal(relative(15), 'in 15 minutes');
    assert.equal(relative(-90), '1 hour ago');
    assert.equal(relative(-120), '2 hours ago');
    assert.equal(relative(72 * 60), 'in 3 days');
    assert.equal(relative(0.5), relative(-0.5));
    assert.deepEqual([formatHours(30), formatHours(48)], ['30 hours', '2 days']);
    assert.deepEqual([formatHours(0.5), formatHours(1.25), formatHours(72)], ['30 minutes', '1.3 hours', '3 days']);
  });

  test('a date without a time is the same day in every zone', () => {
    assert.equal(formatPlainDate('2026-11-25'), '25 Nov 2026');
    assert.equal(formatPlainDate('whenever'), 'whenever');
  });

  test('a snooze counts until it ends; without a date, a task keeps the moment at which its snooze ended', () => {
    const due_at = '2026-03-02T20:00:00Z';
    const [ended, ahead] = ['2026-03-02T22:30:00Z', '2026-03-02T22:31:00Z'];
    assert.deepEqual(
      [isSnoozed({ deferred_until: ended }, NOW), isSnoozed({ deferred_until: ahead }, NOW)],
      [false, true],
    );
    assert.equal(momentOf({ due_at, deferred_until: ahead }, NOW), Date.parse(ahead));
    assert.equal(momentOf({ due_at, deferred_until: ended }, NOW), Date.parse(due_at));
    assert.equal(momentOf({ due_at: null, deferred_until: ended }, NOW), NOW);
    assert.equal(momentOf({ due_at: null, deferred_until: null }, NOW), undefined);
  });
});
