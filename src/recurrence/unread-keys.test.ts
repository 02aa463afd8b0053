/** What a recurrence object says beside its rule, and the hours that only some rules have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasUnreadKeys, parseRule } from './parse-rule.ts';
import { isClockRule } from './rule.ts';

type Written = Record<string, unknown>;

const ASKED = { freq: 'hourly', from: 'completion' };
const TIMES = ['08:00', '22:00'];

const KEYS: [written: Written, isUnread: boolean][] = [
  [{ freq: 'daily' }, false],
  [{ frequency: 'daily', by_day: 'mo', end_date: '2027-01-31' }, false],
  [{ freq: 'daily', exdates: ['2026-03-05'] }, true],
  [{ freq: 'daily', exdates: null }, false],
  [{ freq: 'daily', colour: 'green', unit: 'days' }, true],
  [{ freq: 'daily', 'key-of-21-characters-0': 1 }, true],
  [{ rrule: 'FREQ=DAILY' }, false],
  [{ rrule: 'FREQ=DAILY', from: 'completion' }, false],
  [{ rrule: 'FREQ=DAILY', freq: 'daily' }, true],
  [{ rrule: 'FREQ=DAILY', RRULE: 7 }, false],
  [{ rrule: 7, freq: 'daily' }, false],
  [{ ...ASKED, between: TIMES }, false],
  [{ ...ASKED, between: TIMES, per_day: 3 }, false],
  [{ ...ASKED, between: TIMES, per_day: 0 }, true],
  [{ ...ASKED, per_day: 3 }, true],
  [{ ...ASKED, between: ['08:00'] }, true],
  [{ ...ASKED, between: null, per_day: null }, false],
  [{ freq: 'hourly', between: TIMES }, true],
  [{ freq: 'daily', from: 'completion', between: TIMES }, true],
];

test('a key that means nothing is known, and one without a value is none', () => {
  for (const [written, isUnread] of KEYS) assert.equal(hasUnreadKeys(written), isUnread, JSON.stringify(written));
});

test('a key of more than 20 characters is not looked at', () => {
  const long = (length: number) => parseRule({ freq: 'daily', [`_${'-'.repeat(length - 9)}interval`]: 3 });
  assert.deepEqual([long(20)?.interval, long(21)?.interval], [3, 1]);
});

test('hours are a start and another end, with a limit of whole numbers or none', () => {
  const read = (between: unknown, per_day?: unknown) => {
    const rule = parseRule({ ...ASKED, between, per_day });
    assert.ok(rule && isClockRule(rule));
    return rule.hours && [rule.hours.start.toString(), rule.hours.end.toString(), rule.hours.most];
  };
  assert.deepEqual(read(TIMES), ['08:00:00', '22:00:00', null]);
  assert.deepEqual(read(['22:00', '04:00'], 1), ['22:00:00', '04:00:00', 1]);
  for (const most of [0, 1.5, '3', 10_000]) assert.deepEqual(read(TIMES, most), ['08:00:00', '22:00:00', null]);
  for (const between of [undefined, '08:00', [], ['08:00'], [...TIMES, '23:00'], ['08:00', '08:00'], ['08:00', 22]])
    assert.equal(read(between, 3), null, JSON.stringify(between));
});
