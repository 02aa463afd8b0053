/** Dates that follow from another one, and the feasts of a year. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dateIn,
  dayOfMonth,
  endOfMonth,
  isBefore,
  isSameDay,
  later,
  monthsLater,
  nextMonth,
  nextWeekday,
  nthWeekday,
  realDate,
  weekdayNextWeek,
} from './days.ts';
import { feastOf } from './feasts.ts';
import { movingFeastOf } from './moving-feasts.ts';
import { type Day, formatIsoDate } from './wall-time.ts';

function day(text: string): Day {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}

const shown = (found: Day | undefined) => found && formatIsoDate(found);
/** A Monday. */
const TODAY = day('2026-03-02');
const [MONDAY, TUESDAY, SUNDAY] = [0, 1, 6];

test('a date is before another one by its year, then its month, then its day', () => {
  const cases: [one: string, two: string, order: -1 | 0][] = [
    ['2025-12-31', '2026-01-01', -1],
    ['2026-02-28', '2026-03-01', -1],
    ['2026-03-01', '2026-03-02', -1],
    ['2026-03-02', '2026-03-02', 0],
  ];
  for (const [one, two, order] of cases) {
    assert.equal(isBefore(day(one), day(two)), order < 0, `${one} ${two}`);
    assert.equal(isBefore(day(two), day(one)), false, `${two} ${one}`);
    assert.equal(isSameDay(day(one), day(two)), order === 0, `${one} ${two}`);
  }
});

test('a date has a month of the year and a day of the month', () => {
  const real = (year: number, month: number, day: number) => shown(realDate(year, month, day));
  assert.deepEqual([real(2026, 1, 1), real(2026, 12, 31)], ['2026-01-01', '2026-12-31']);
  assert.deepEqual([real(2028, 2, 29), real(2026, 2, 29)], ['2028-02-29', undefined]);
  assert.deepEqual(
    [real(2026, 0, 1), real(2026, 13, 1), real(2026, 4, 0), real(2026, 4, 31)],
    Array(4).fill(undefined),
  );
  assert.equal(shown(endOfMonth(day('2028-02-10'))), '2028-02-29');
});

test('the next weekday is after today, and one of next week is in the week that begins next Monday', () => {
  assert.equal(shown(nextWeekday(TODAY, MONDAY)), '2026-03-09');
  assert.equal(shown(nextWeekday(TODAY, TUESDAY)), '2026-03-03');
  assert.equal(shown(nextWeekday(TODAY, SUNDAY)), '2026-03-08');
  assert.equal(shown(nextWeekday(day('2026-03-08'), MONDAY)), '2026-03-09');
  assert.equal(shown(weekdayNextWeek(TODAY, MONDAY)), '2026-03-09');
  assert.equal(shown(weekdayNextWeek(TODAY, SUNDAY)), '2026-03-15');
  assert.equal(shown(weekdayNextWeek(day('2026-03-08'), MONDAY)), '2026-03-09');
});

test('months are counted over years, and a day that a month lacks is its last one', () => {
  assert.equal(shown(monthsLater(day('2026-01-31'), 1)), '2026-02-28');
  assert.equal(shown(monthsLater(day('2026-11-30'), 1)), '2026-12-30');
  assert.equal(shown(monthsLater(day('2026-12-15'), 1)), '2027-01-15');
  assert.equal(shown(monthsLater(day('2026-01-15'), -1)), '2025-12-15');
  assert.equal(shown(monthsLater(day('2028-02-29'), 12)), '2029-02-28');
  const units: [count: number, unit: string, expected: string][] = [
    [3, 'day', '2026-03-05'],
    [2, 'night', '2026-03-04'],
    [2, 'week', '2026-03-16'],
    [2, 'fortnight', '2026-03-30'],
    [2, 'month', '2026-05-02'],
    [2, 'years', '2028-03-02'],
    [-1, 'week', '2026-02-23'],
  ];
  for (const [count, unit, expected] of units) assert.equal(shown(later(TODAY, count, unit)), expected, unit);
});

test('a month, a date or a day of the month is the next one, today included', () => {
  assert.deepEqual(
    [3, 4, 2].map((month) => shown(nextMonth(TODAY, month))),
    ['2026-03-01', '2026-04-01', '2027-02-01'],
  );
  const date = (month: number, of: number, year?: string) => shown(dateIn(TODAY, year, month, of));
  assert.deepEqual([date(3, 2), date(3, 1), date(12, 24)], ['2026-03-02', '2027-03-01', '2026-12-24']);
  assert.deepEqual([date(2, 29), date(2, 30), date(13, 1)], ['2028-02-29', undefined, undefined]);
  assert.deepEqual(
    [date(3, 1, '27'), date(3, 1, '2027'), date(3, 1, '26')],
    ['2027-03-01', '2027-03-01', '2026-03-01'],
  );
  assert.deepEqual([date(2, 29, '2026'), date(2, 29, '28')], [undefined, '2028-02-29']);
  assert.equal(shown(dateIn(day('2096-03-01'), undefined, 2, 29)), '2104-02-29', 'eight years ahead');
  const ofMonth = (of: number, isNext = false) => shown(dayOfMonth(TODAY, of, isNext));
  assert.deepEqual([ofMonth(2), ofMonth(1), ofMonth(31)], ['2026-03-02', '2026-04-01', '2026-03-31']);
  assert.equal(shown(dayOfMonth(day('2026-02-01'), 31, false)), '2026-03-31', 'a month that is too short is left out');
  assert.deepEqual([ofMonth(2, true), ofMonth(31, true)], ['2026-04-02', '2026-04-30']);
  assert.deepEqual([ofMonth(32), ofMonth(32, true)], [undefined, undefined]);
});

test('the nth weekday of a month is counted from its first day, and the last one from its end', () => {
  const nth = (place: number, weekday: number, start = TODAY) => shown(nthWeekday(TODAY, place, weekday, start));
  assert.equal(nth(1, MONDAY), '2026-03-02');
  assert.equal(nth(1, SUNDAY), '2026-04-05', 'the one of this month is over');
  assert.equal(nth(2, TUESDAY), '2026-03-10');
  assert.equal(nth(5, MONDAY), '2026-03-30');
  assert.equal(nth(5, SUNDAY), '2026-03-29');
  assert.equal(nth(-1, TUESDAY), '2026-03-31');
  assert.equal(nth(-1, SUNDAY), '2026-03-29');
  assert.equal(nth(1, SUNDAY, day('2026-06-01')), '2026-06-07');
  assert.equal(nth(6, MONDAY), undefined);
});

/** Early and late ones, and those that only an exception of the rule finds. */
const EASTER =
  '1818-03-22 1943-04-25 1954-04-18 1961-04-02 1981-04-19 2000-04-23 2024-03-31 2025-04-20 2026-04-05 2038-04-25 2049-04-18 2076-04-19 2106-04-18 2285-03-22';

/** In 2026. */
const MOVING: Readonly<Record<string, string>> = {
  'easter monday': '04-06',
  'easter saturday': '04-04',
  easter: '04-05',
  'easter sunday': '04-05',
  'easter day': '04-05',
  'good friday': '04-03',
  'maundy thursday': '04-02',
  'palm sunday': '03-29',
  'mothering sunday': '03-15',
  'ash wednesday': '02-18',
  'shrove tuesday': '02-17',
  'fat tuesday': '02-17',
  'pancake day': '02-17',
  'mardi gras': '02-17',
  'ascension day': '05-14',
  pentecost: '05-24',
  'whit sunday': '05-24',
  'whit monday': '05-25',
  'pentecost monday': '05-25',
  'corpus christi': '06-04',
  thanksgiving: '11-26',
  'thanksgiving day': '11-26',
  'black friday': '11-27',
  'cyber monday': '11-30',
  "mother's day": '05-10',
  'mothers day': '05-10',
  'mothers’ day': '05-10',
  'mother day': '05-10',
  "father's day": '06-21',
  'labor day': '09-07',
  'labour day': '09-07',
  'memorial day': '05-25',
  'mlk day': '01-19',
  'martin luther king day': '01-19',
  'martin luther king jr day': '01-19',
  'martin luther king jr. day': '01-19',
  "presidents' day": '02-16',
};
const REGIONAL = ['thanksgiving', "mother's day", "father's day", 'labor day'];

test('a feast that moves is on the day that the calendars of churches and countries say', () => {
  for (const date of EASTER.split(' ')) assert.equal(shown(movingFeastOf('easter')?.dateIn(day(date).year)), date);
  for (const [name, date] of Object.entries(MOVING))
    assert.equal(shown(movingFeastOf(name)?.dateIn(2026)), `2026-${date}`, name);
  const regional = Object.keys(MOVING).filter((name) => movingFeastOf(name)?.isRegional);
  assert.deepEqual(
    REGIONAL.filter((name) => !regional.includes(name)),
    [],
  );
  assert.equal(movingFeastOf('black friday')?.isRegional, false);
  for (const name of ['my easter', 'easter eggs', 'friday', 'whit', ''])
    assert.equal(movingFeastOf(name), undefined, name);
});

const FIXED: Readonly<Record<string, string>> = {
  "new year's eve": '12-31',
  'new years eve': '12-31',
  nye: '12-31',
  silvester: '12-31',
  "new year's day": '01-01',
  'new years': '01-01',
  'new year’s': '01-01',
  epiphany: '01-06',
  'three kings': '01-06',
  'three kings day': '01-06',
  'burns night': '01-25',
  'australia day': '01-26',
  'groundhog day': '02-02',
  valentines: '02-14',
  "valentine's day": '02-14',
  'st. valentine’s day': '02-14',
  'st valentine': '02-14',
  'saint valentine': '02-14',
  'womens day': '03-08',
  "international women's day": '03-08',
  'pi day': '03-14',
  "st patrick's day": '03-17',
  'st. patricks day': '03-17',
  'saint patrick day': '03-17',
  'st paddys day': '03-17',
  'st. paddy’s day': '03-17',
  'april fools': '04-01',
  "april fool's day": '04-01',
  "april fools' day": '04-01',
  'earth day': '04-22',
  "st george's day": '04-23',
  'saint georges day': '04-23',
  "king's day": '04-27',
  'may day': '05-01',
  juneteenth: '06-19',
  'canada day': '07-01',
  'independence day': '07-04',
  'fourth of july': '07-04',
  'the fourth of july': '07-04',
  'bastille day': '07-14',
  halloween: '10-31',
  "hallowe'en": '10-31',
  'all saints day': '11-01',
  "all saints' day": '11-01',
  'all souls day': '11-02',
  'guy fawkes': '11-05',
  'guy fawkes night': '11-05',
  'guy fawkes day': '11-05',
  'bonfire night': '11-05',
  'veterans day': '11-11',
  "veteran's day": '11-11',
  'remembrance day': '11-11',
  'armistice day': '11-11',
  'st nicholas': '12-06',
  'saint nicholas day': '12-06',
  'christmas eve': '12-24',
  'xmas eve': '12-24',
  christmas: '12-25',
  xmas: '12-25',
  'christmas day': '12-25',
  'boxing day': '12-26',
  "st stephen's day": '12-26',
  'st. stephens day': '12-26',
};

test('a feast has its date, however its name is written', () => {
  for (const [name, date] of Object.entries(FIXED)) {
    const found = feastOf(name);
    assert.equal(found && shown({ year: 2026, ...found }), `2026-${date}`, name);
  }
  for (const name of ['my christmas', 'christmas tree', 'saint', 'new year', 'kings', 'eve'])
    assert.equal(feastOf(name), undefined, name);
});
