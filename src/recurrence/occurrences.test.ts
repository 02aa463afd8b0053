import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRecur, isPastUntil, nextDate, nextOccurrence } from './occurrences.ts';
import { parseRule } from './parse-rule.ts';
import { type DayRule, isClockRule } from './rule.ts';

type Written = Record<string, unknown>;

const date = (text: string) => Temporal.PlainDate.from(text);

function parse(written: Written): DayRule {
  const rule = parseRule(written);
  assert.ok(rule && !isClockRule(rule));
  return rule;
}

function series(written: Written, first: string, length: number): string[] {
  const rule = parse(written);
  const dates = [first];
  while (dates.length < length) {
    const next = nextDate(rule, date(first), date(dates.at(-1) ?? first));
    if (next === null) break;
    dates.push(next.toString());
  }
  return dates;
}

/** The series from its first date on; it ends with the last of these dates if it has a count or reaches the year 9999. */
function expectSeries(written: Written, expected: string): void {
  const dates = expected.split(' ');
  const ends = written.count !== undefined || dates.at(-1)?.startsWith('9999');
  const [first = ''] = dates;
  assert.deepEqual(series(written, first, dates.length + (ends ? 5 : 0)), dates);
}

test('a reminder on the 31st moves to the last day of shorter months and returns to the 31st', () =>
  expectSeries({ freq: 'monthly' }, '2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31'));

test('a reminder on the 30th moves to 29 February in a leap year', () =>
  expectSeries({ freq: 'monthly' }, '2028-01-30 2028-02-29 2028-03-30'));

test('a birthday on 29 February moves to the 28th in common years', () =>
  expectSeries({ freq: 'yearly' }, '2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29'));

test('a leap day moves to 28 February in 2100, which is no leap year', () =>
  expectSeries({ freq: 'yearly', interval: 4 }, '2096-02-29 2100-02-28 2104-02-29'));

test('named months use the day of the first date, or their last day if they are shorter', () =>
  expectSeries({ freq: 'yearly', by_month: [2, 4, 12] }, '2026-12-31 2027-02-28 2027-04-30 2027-12-31'));

test('the string form skips months without the day, as RFC 5545 requires', () =>
  expectSeries({ rrule: 'FREQ=MONTHLY' }, '2026-01-31 2026-03-31 2026-05-31 2026-07-31'));

test('the string form uses 29 February in leap years only', () =>
  expectSeries({ rrule: 'FREQ=YEARLY' }, '2096-02-29 2104-02-29 2108-02-29'));

test('a named day of the month is skipped in months without it', () =>
  expectSeries({ freq: 'monthly', by_month_day: 31 }, '2026-01-31 2026-03-31 2026-05-31'));

test('day -1 is the last day of every month', () =>
  expectSeries({ freq: 'monthly', by_month_day: -1 }, '2027-12-31 2028-01-31 2028-02-29 2028-03-31 2028-04-30'));

test('a day counted from both ends occurs once', () =>
  expectSeries({ freq: 'monthly', by_month_day: [28, -1] }, '2027-01-28 2027-01-31 2027-02-28 2027-03-28 2027-03-31'));

test('the second Tuesday', () =>
  expectSeries({ freq: 'monthly', by_weekday: '2tu' }, '2026-01-13 2026-02-10 2026-03-10 2026-04-14'));

test('the last Friday', () =>
  expectSeries({ freq: 'monthly', by_weekday: '-1fr' }, '2026-01-30 2026-02-27 2026-03-27 2026-04-24 2026-05-29'));

test('the fifth Monday occurs only in months that have one', () =>
  expectSeries({ freq: 'monthly', by_weekday: '5mo' }, '2026-03-30 2026-06-29 2026-08-31 2026-11-30'));

test('the fifth Monday of February is rare but occurs', () =>
  expectSeries({ freq: 'yearly', by_month: 2, by_weekday: '5mo' }, '2016-02-29 2044-02-29 2072-02-29 2112-02-29'));

test('Friday the 13th', () =>
  expectSeries({ freq: 'monthly', by_month_day: 13, by_weekday: 'fr' }, '2026-02-13 2026-03-13 2026-11-13 2027-08-13'));

test('the last working day of the month', () =>
  expectSeries(
    { freq: 'monthly', by_weekday: ['mo', 'tu', 'we', 'th', 'fr'], by_set_pos: -1 },
    '2026-01-30 2026-02-27 2026-03-31 2026-04-30 2026-05-29',
  ));

test('the first and the last working day of the quarter', () =>
  expectSeries(
    { freq: 'monthly', interval: 3, by_weekday: ['mo', 'tu', 'we', 'th', 'fr'], by_set_pos: [1, -1] },
    '2026-01-01 2026-01-30 2026-04-01 2026-04-30 2026-07-01',
  ));

test('an ordinal of a yearly rule counts in the year', () =>
  expectSeries({ freq: 'yearly', by_weekday: ['20mo', '-1su'] }, '2026-05-18 2026-12-27 2027-05-17 2027-12-26'));

test('an ordinal of a yearly rule with months counts in each month', () =>
  expectSeries(
    { freq: 'yearly', by_month: [3, 10], by_weekday: '-1su' },
    '2026-03-29 2026-10-25 2027-03-28 2027-10-31',
  ));

test('a day of the month without named months applies to every month of a yearly rule', () =>
  expectSeries({ rrule: 'FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=15' }, '2026-11-15 2026-12-15 2028-01-15'));

test('every other week counts weeks that begin on Monday', () =>
  expectSeries({ rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO' }, '1997-08-05 1997-08-10 1997-08-19 1997-08-24'));

test('every other week counts weeks that begin on Sunday if the rule says so', () =>
  expectSeries({ rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU' }, '1997-08-05 1997-08-17 1997-08-19 1997-08-31'));

test('weeks begin on Monday in the object form', () =>
  expectSeries(
    { freq: 'weekly', interval: 2, by_weekday: ['su', 'tu'] },
    '1997-08-05 1997-08-10 1997-08-19 1997-08-24',
  ));

test('every tenth day crosses months and years', () =>
  expectSeries({ freq: 'daily', interval: 10 }, '2025-12-20 2025-12-30 2026-01-09 2026-01-19'));

test('working days in January only', () =>
  expectSeries(
    { freq: 'daily', by_month: 1, by_weekday: ['mo', 'tu', 'we', 'th', 'fr'] },
    '2026-01-29 2026-01-30 2027-01-01 2027-01-04',
  ));

test('the first date belongs to the series even if the rule does not match it', () =>
  expectSeries({ freq: 'weekly', by_weekday: 'mo', count: 3 }, '2026-01-01 2026-01-05 2026-01-12'));

test('a count of one ends with the first date', () => expectSeries({ freq: 'daily', count: 1 }, '2026-01-01'));

test('nothing comes after the year 9999', () => expectSeries({ freq: 'daily', interval: 20 }, '9999-12-01 9999-12-21'));

test('a week that extends past the year 9999 ends there', () =>
  expectSeries({ freq: 'weekly', by_weekday: ['fr', 'sa'] }, '9999-12-25 9999-12-31'));

test('a task closed early advances to the occurrence after it, and one closed late to the first after today', () => {
  const rule = parse({ freq: 'weekly', interval: 2 });
  const first = date('2026-01-05');
  assert.equal(nextDate(rule, first, date('2026-01-19'))?.toString(), '2026-02-02');
  assert.equal(nextDate(rule, first, date('2026-02-01'))?.toString(), '2026-02-02');
  assert.equal(nextDate(rule, first, date('2026-02-02'))?.toString(), '2026-02-16');
  assert.equal(nextDate(rule, first, date('2026-03-10'))?.toString(), '2026-03-16');
});

test('occurrences that were never closed still use up the count', () => {
  const rule = parse({ freq: 'daily', count: 10 });
  assert.equal(nextDate(rule, date('2026-01-01'), date('2026-01-09'))?.toString(), '2026-01-10');
  assert.equal(nextDate(rule, date('2026-01-01'), date('2026-01-10')), null);
  assert.equal(nextDate(rule, date('2026-01-01'), date('2030-01-01')), null);
});

test('a date before the series gives its first date', () => {
  for (const written of [
    { freq: 'weekly', by_weekday: 'mo' },
    { freq: 'daily', count: 1 },
  ]) {
    assert.equal(nextDate(parse(written), date('2026-01-01'), date('1999-01-01'))?.toString(), '2026-01-01');
  }
});

test('a series untouched for years resumes in step with its first date', () => {
  const after = date('2076-06-15');
  const next = (written: Written, first: string) => nextDate(parse(written), date(first), after)?.toString();
  assert.equal(next({ freq: 'daily', interval: 1000 }, '1976-06-15'), '2077-10-03');
  assert.equal(next({ freq: 'weekly', interval: 3 }, '1976-06-16'), '2076-07-01');
  assert.equal(next({ freq: 'monthly', interval: 7 }, '1976-06-30'), '2076-10-30');
  assert.equal(next({ freq: 'yearly', interval: 30 }, '1976-02-29'), '2096-02-29');
});

const NEVER: [string, Written, string][] = [
  ['30 February', { freq: 'yearly', by_month: 2, by_month_day: 30 }, '2026-01-01'],
  ['31 April in a daily rule', { freq: 'daily', by_month: 4, by_month_day: 31 }, '2026-01-01'],
  ['February, from January in steps of a year', { freq: 'monthly', interval: 12, by_month: 2 }, '2026-01-01'],
  ['a leap day in odd years', { freq: 'yearly', interval: 2, by_month: 2, by_month_day: 29 }, '2025-01-01'],
  ['Tuesday, every seventh day from a Monday', { freq: 'daily', interval: 7, by_weekday: 'tu' }, '2026-01-05'],
  ['the 53rd Monday of a month', { freq: 'yearly', by_month: [1, 7], by_weekday: '53mo' }, '2026-01-01'],
  ['the second of a single day', { freq: 'daily', by_month: 1, by_set_pos: [2, 366, -2] }, '2026-01-01'],
  ['the eighth day of a week', { rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=8' }, '2026-01-01'],
  ['30 February, every eleventh day', { freq: 'daily', interval: 11, by_month: 2, by_month_day: 30 }, '2026-01-01'],
  ['day 366 in odd years', { freq: 'yearly', interval: 2, by_month_day: allDays(), by_set_pos: 366 }, '2025-01-01'],
];
for (const [what, written, first] of NEVER) {
  test(`${what} never recurs`, () => {
    assert.equal(canRecur(parse(written), date(first)), false);
    assert.equal(nextDate(parse(written), date(first), date('2400-01-01')), null);
  });
}

const RARE: [Written, string][] = [
  [{ freq: 'yearly', interval: 1000 }, '2026-01-01'],
  [{ freq: 'yearly', interval: 400, by_month: 2, by_month_day: 29 }, '2000-02-29'],
  [{ freq: 'yearly', by_month: 2, by_weekday: '5mo' }, '2026-01-01'],
  [{ freq: 'daily', interval: 97, by_month: 2, by_month_day: 29, by_weekday: 'mo' }, '2026-01-01'],
  [{ freq: 'daily', count: 1, until: '2000-01-01' }, '2026-01-01'],
];
for (const [written, first] of RARE) {
  test(`${JSON.stringify(written)} is rare but recurs`, () => assert.ok(canRecur(parse(written), date(first))));
}

test('a series whose next date has no four-digit year cannot recur', () => {
  assert.equal(canRecur(parse({ freq: 'yearly', interval: 10 }), date('9990-01-01')), false);
  assert.equal(canRecur(parse({ freq: 'yearly', interval: 9 }), date('9990-01-01')), true);
});

const at = (text: string) => Temporal.PlainDateTime.from(text);
const ENDS: [string, string, string][] = [
  ['2026-01-10', '2026-01-10T23:59:59.999', '2026-01-11T00:00'],
  ['2026-01-10T09:00', '2026-01-10T09:00', '2026-01-10T09:00:00.000000001'],
  ['2026-01-10T14:00:00Z', '2026-01-10T09:00', '2026-01-10T09:00:00.001'],
  ['2026-01-10T15:00:00+01:00', '2026-01-10T09:00', '2026-01-10T09:01'],
];
for (const [until, last, past] of ENDS) {
  test(`until ${until} includes ${last} in New York and nothing later`, () => {
    const rule = parse({ freq: 'daily', until });
    assert.ok(rule.until);
    assert.equal(isPastUntil(rule.until, at(last), 'America/New_York'), false);
    assert.equal(isPastUntil(rule.until, at(past), 'America/New_York'), true);
  });
}

test('the last occurrence is the one at until, and null follows', () => {
  const until = ['2026-01-10', '2026-01-10T09:00', '2026-01-10T14:00:00Z', '2026-01-11T08:59'];
  for (const end of until) {
    const rule = parse({ freq: 'daily', until: end });
    const next = (after: string) =>
      nextOccurrence(rule, { first: at('2026-01-01T09:00'), zone: 'America/New_York' }, new Date(after));
    assert.equal(next('2026-01-09T14:00Z')?.toISOString(), '2026-01-10T14:00:00.000Z', end);
    assert.equal(next('2026-01-10T14:00Z'), null, end);
  }
});

test('a local until inside a DST gap still includes the occurrence that the gap moved', () => {
  const rule = parse({ freq: 'daily', until: '2026-03-08T02:30' });
  const zone = 'America/New_York';
  const next = nextOccurrence(rule, { first: at('2026-03-01T02:30'), zone }, new Date('2026-03-07T12:00Z'));
  assert.equal(next?.toISOString(), '2026-03-08T07:30:00.000Z');
});

test('finding the next date takes well under a millisecond after fifty years, and rejecting a rule that never recurs under 20', () => {
  const daily = parse({ freq: 'daily' });
  const [first, after] = [date('1976-01-01'), date('2026-01-01')];
  assert.ok(fewestCpuMilliseconds(() => nextDate(daily, first, after)) < 0.5);
  for (const [what, written, start] of NEVER) {
    const cost = fewestCpuMilliseconds(() => canRecur(parse(written), date(start)));
    assert.ok(cost < 20, `${what}: ${cost} ms`);
  }
});

/** The lowest CPU time of this thread over several runs, so that other load on the machine does not matter. */
function fewestCpuMilliseconds(work: () => unknown): number {
  const costs = Array.from({ length: 8 }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
}

function allDays(): number[] {
  return Array.from({ length: 31 }, (_, index) => index + 1);
}
