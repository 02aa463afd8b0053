/** The hours of the day in which a rule may ask, and what is counted from the first moment of a series. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAfter, dayWithin, firstWithin, isOver, namesFirst } from './occurrences.ts';
import { parseRule } from './parse-rule.ts';
import { type DayRule, type Hours, isClockRule } from './rule.ts';

type Written = Record<string, unknown>;

const ZONE = 'Europe/Berlin';
/** On the winter clock of Berlin. */
const at = (wall: string) => new Date(`${wall}:00+01:00`);
const hours = (start: string, end: string): Hours => ({
  start: Temporal.PlainTime.from(start),
  end: Temporal.PlainTime.from(end),
  most: null,
});
const DAY = hours('08:00', '22:00');
const NIGHT = hours('20:00', '04:00');

function parse(written: Written) {
  const rule = parseRule(written);
  assert.ok(rule);
  return rule;
}

function parseDays(written: Written): DayRule {
  const rule = parse(written);
  assert.ok(!isClockRule(rule));
  return rule;
}

test('hours that pass midnight belong to the day on which they begin', () => {
  const day = (own: Hours, wall: string) => dayWithin(own, at(wall), ZONE).toString();
  assert.equal(day(NIGHT, '2026-03-02T23:00'), '2026-03-02');
  assert.equal(day(NIGHT, '2026-03-03T04:00'), '2026-03-02');
  assert.equal(day(NIGHT, '2026-03-03T04:01'), '2026-03-03');
  assert.equal(day(DAY, '2026-03-03T04:00'), '2026-03-03');
  assert.equal(day(DAY, '2026-03-03T00:30'), '2026-03-03', 'the day of the zone, not of UTC');
});

/** The hours, a moment, the last full day, and the moment that is allowed. */
const ALLOWED: [own: Hours, wall: string, full: string | null, expected: string][] = [
  [DAY, '2026-03-02T08:00', null, '2026-03-02T08:00'],
  [DAY, '2026-03-02T12:00', null, '2026-03-02T12:00'],
  [DAY, '2026-03-02T22:00', null, '2026-03-02T22:00'],
  [DAY, '2026-03-02T22:01', null, '2026-03-03T08:00'],
  [DAY, '2026-03-02T07:59', null, '2026-03-02T08:00'],
  [DAY, '2026-03-02T12:00', '2026-03-01', '2026-03-02T12:00'],
  [DAY, '2026-03-02T12:00', '2026-03-02', '2026-03-03T08:00'],
  [DAY, '2026-03-02T07:00', '2026-03-02', '2026-03-03T08:00'],
  [DAY, '2026-03-02T12:00', '2026-03-04', '2026-03-05T08:00'],
  [NIGHT, '2026-03-02T20:00', null, '2026-03-02T20:00'],
  [NIGHT, '2026-03-03T03:00', null, '2026-03-03T03:00'],
  [NIGHT, '2026-03-03T04:00', null, '2026-03-03T04:00'],
  [NIGHT, '2026-03-03T04:01', null, '2026-03-03T20:00'],
  [NIGHT, '2026-03-03T12:00', null, '2026-03-03T20:00'],
  [NIGHT, '2026-03-03T03:00', '2026-03-02', '2026-03-03T20:00'],
  [NIGHT, '2026-03-03T03:00', '2026-03-01', '2026-03-03T03:00'],
];

test('a moment within the hours stays, and any other one waits until they begin, on a day that is not full', () => {
  for (const [own, wall, full, expected] of ALLOWED) {
    const allowed = firstWithin(own, at(wall), ZONE, full === null ? null : Temporal.PlainDate.from(full));
    assert.equal(allowed.toISOString(), at(expected).toISOString(), `${own.start} ${wall} ${full}`);
  }
});

test('a rule names the first moment of its series, or the series begins on another one', () => {
  const names = (written: Written, first = '2026-03-02T08:00') =>
    namesFirst(parse(written), Temporal.PlainDateTime.from(first));
  assert.equal(names({ freq: 'hourly' }), true);
  assert.equal(names({ freq: 'daily' }), true);
  assert.equal(names({ freq: 'weekly', by_weekday: ['mo'] }), true);
  assert.equal(names({ freq: 'weekly', by_weekday: ['tu'] }), false);
  assert.equal(names({ freq: 'daily', by_time: ['08:00', '20:00'] }), true);
  assert.equal(names({ freq: 'daily', by_time: ['09:00'] }), false);
  assert.equal(names({ freq: 'weekly', by_weekday: ['tu'], by_time: ['08:00'] }), false);
});

test('what is left of a count is counted from the first date, whether the rule names it or not', () => {
  const left = (written: Written, after: string, first = '2026-03-02') =>
    countAfter(parseDays(written), 5, Temporal.PlainDate.from(first), Temporal.PlainDate.from(after));
  const daily = { freq: 'daily' };
  assert.equal(left(daily, '2026-03-01'), 5, 'before the series');
  assert.equal(left(daily, '2026-03-02'), 4);
  assert.equal(left(daily, '2026-03-04'), 2);
  assert.equal(left(daily, '2026-03-06'), 0);
  assert.equal(left(daily, '2026-04-06'), 0, 'never less than none');
  assert.equal(left({ freq: 'weekly', by_weekday: ['we'] }, '2026-03-04'), 3);
  assert.equal(left({ freq: 'weekly', by_weekday: ['we'] }, '2026-03-03'), 4);
});

test('a series is over after its end, which belongs to it, and after the year 9999', () => {
  const over = (until: string | undefined, moment: string) =>
    isOver(parse({ freq: 'hourly', ...(until && { until }) }), Date.parse(moment), ZONE);
  assert.equal(over(undefined, '9999-12-31T23:59:59.999Z'), false);
  assert.equal(over(undefined, '+010000-01-01T00:00:00Z'), true);
  assert.equal(over('2026-10-25T00:30:00Z', '2026-10-25T00:30:00Z'), false);
  assert.equal(over('2026-10-25T00:30:00Z', '2026-10-25T00:30:01Z'), true);
  // 02:30 comes twice in this night, and both are up to 02:30 on the wall clock.
  assert.equal(over('2026-10-25T02:30', '2026-10-25T01:30:00Z'), false);
  assert.equal(over('2026-10-25T02:30', '2026-10-25T01:31:00Z'), true);
  assert.equal(over('2026-10-25', '2026-10-25T22:59:00Z'), false);
  assert.equal(over('2026-10-25', '2026-10-25T23:00:00Z'), true);
});
