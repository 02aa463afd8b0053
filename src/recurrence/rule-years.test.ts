/** The work for a rule is bounded, whatever the rule says and wherever it starts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRecur, countAfter, nextDate } from './occurrences.ts';
import { parseRule } from './parse-rule.ts';
import { type DayRule, isClockRule } from './rule.ts';
import { SignedPositions } from './rule-days.ts';

const YEAR_ONE = Temporal.PlainDate.from('0001-01-03');
const TODAY = Temporal.PlainDate.from('2026-11-16');
/** Every day of the 14 kinds of years, and its place among the days of its period. */
const MOST_LOOKUPS = 2 * 14 * 366;

function parse(written: Record<string, unknown>): DayRule {
  const rule = parseRule(written);
  assert.ok(rule && !isClockRule(rule));
  return rule;
}

/** Rules that look up all their days in lists, with the date that follows today in a series from year 1. */
const COUNTED: [Record<string, unknown>, string | null][] = [
  [{ freq: 'daily', by_month: [2], by_month_day: [29] }, '2028-02-29'],
  [{ freq: 'daily', interval: 2, by_month_day: [31], by_weekday: ['mo'] }, '2028-01-31'],
  [{ freq: 'weekly', by_month: [2], by_weekday: ['mo', 'we', 'su'], by_set_pos: [3] }, '2027-02-07'],
  [{ freq: 'monthly', by_weekday: ['5mo'], by_month_day: [31] }, '2027-05-31'],
  [{ freq: 'yearly', by_weekday: ['53mo'] }, '2029-12-31'],
  [{ freq: 'daily', by_month_day: [31] }, null],
];

const NEVER: Record<string, unknown>[] = [
  { freq: 'daily', by_month: [2], by_month_day: [30] },
  { freq: 'daily', interval: 25, by_month: [2], by_month_day: [30] },
  { freq: 'daily', by_weekday: ['mo'], by_set_pos: [2] },
  { freq: 'weekly', by_weekday: ['mo'], by_set_pos: [2] },
  { freq: 'monthly', by_weekday: ['5mo'], by_month_day: [1] },
  { freq: 'monthly', by_weekday: ['mo'], by_set_pos: [6] },
  { freq: 'yearly', by_weekday: ['53mo'], by_month_day: [1] },
  { freq: 'yearly', by_weekday: ['mo'], by_set_pos: [54] },
];

test('a series that is counted from year 1 looks up the days of 14 years', ({ mock }) => {
  const lookups = mock.method(SignedPositions.prototype, 'includes').mock;
  for (const [written, expected] of COUNTED) {
    lookups.resetCalls();
    const next = nextDate(parse({ ...written, count: 10_000 }), YEAR_ONE, TODAY);
    assert.equal(next?.toString() ?? null, expected, JSON.stringify(written));
    countAfter(parse(written), 10_000, YEAR_ONE, TODAY);
    assert.ok(lookups.callCount() <= 2 * MOST_LOOKUPS, `${JSON.stringify(written)}: ${lookups.callCount()}`);
  }
});

test('so does finding out that a rule never matches', ({ mock }) => {
  const lookups = mock.method(SignedPositions.prototype, 'includes').mock;
  for (const written of NEVER) {
    for (const first of [YEAR_ONE, TODAY, null]) {
      lookups.resetCalls();
      assert.equal(canRecur(parse(written), first), false, JSON.stringify(written));
      assert.ok(lookups.callCount() <= MOST_LOOKUPS, `${JSON.stringify(written)}: ${lookups.callCount()}`);
    }
  }
});
