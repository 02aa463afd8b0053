/** Dates of the calendar. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found, readsAs } from '../../test/words/found-dates.ts';
import { dateReaders } from './find-date.ts';
import { RemainingText } from './remaining-text.ts';

test('on the first of a month it is today', () =>
  readsAs(
    {
      'call the start of the month': '2026-03-01',
      'call first of the month': '2026-03-01 ?once',
      'call the 1st': '2026-03-01',
      'call in march': '2026-03-01',
      'pay rent 1st': '2026-03-01 ?words',
      'the 1st pay nanny': '2026-03-01 ?words',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 1 } }),
  ));

test('a day and a month are the next such date, with the year that stands beside them', () =>
  readsAs(
    {
      'call the first of june': '2026-06-01',
      'call third of june 2027': '2027-06-03',
      "call the third of june '27": '2027-06-03',
      'call june third': '2026-06-03',
      'call june the third 2027': '2027-06-03',
      'call sun, june third 2027': '2027-06-03',
      'call 12 june': '2026-06-12',
      'call the 12th of june': '2026-06-12',
      'call 12. june': '2026-06-12',
      'call 12-june-2027': '2027-06-12',
      "call 12 june '27": '2027-06-12',
      'call 12 june, 2027': '2027-06-12',
      'call 12th to 14th june': '2026-06-12',
      'call june 12': '2026-06-12',
      'call june 12th 2027': '2027-06-12',
      'call june the 12th': '2026-06-12',
      'call june 12-14': '2026-06-12',
      'call june 9 am': 'none',
      'call june 9 uhr': 'none',
      'buy june 2 people': 'none',
      'call 12 june 27': '2027-06-12 ?year',
      'call 12 june 27 guests': '2026-06-12',
      'call 12 june 27 with Bo': '2027-06-12 ?year',
      'call 31 june 27': 'none',
      'call 30 february': 'none',
      'call 29 february': '2028-02-29',
      'call 1 feb': '2027-02-01 ?year',
    },
    found(dateReaders),
  ));

test('a weekday beside a date is checked', () =>
  readsAs(
    {
      'fri 13.3. call': '2026-03-13',
      'call fri, the 13th of march': '2026-03-13',
      'call 13 march (fri)': '2026-03-13',
      'call fri 14 march': '2026-03-14 ?weekday',
      'call 14 march (fri)': '2026-03-14 ?weekday',
      'call 14 march fri': '2026-03-14 ?weekday',
      'call friday the 13th': '2026-03-13',
      'friday the 13th dentist': '2026-03-13',
      'friday the thirteenth dentist': '2026-03-13 ?words',
      'call saturday the 13th': '2026-03-13 ?weekday',
      'call sat, the 14th': '2026-03-14',
      'call friday the 13th birthday': '2026-03-06 ?words',
      'call friday, the sixth': '2026-03-06 ?words',
      'fri 13 9am call': '2026-03-13',
      'fri 14 9am call': '2026-03-06',
      'fri 32 9am call': '2026-03-06',
      'fri, 13 at 9:30 call': '2026-03-13',
      'fri 13 call': '2026-03-06',
    },
    found(dateReaders),
  ));

test('a month is its first day, today if it has begun, or its middle', () =>
  readsAs(
    {
      'call in june': '2026-06-01',
      'call early june': '2026-06-01',
      'call the beginning of june': '2026-06-01',
      'call early in june': '2026-06-01',
      'call in june 2027': '2027-06-01',
      "call in june '27": '2027-06-01',
      'call in march': '2026-03-02',
      'call in march 2027': '2027-03-01',
      'call first of june': '2026-06-01',
      'call the first of june 2027': '2027-06-01',
      'call mid april': '2026-04-15 ?words',
      'call in the middle of april': '2026-04-15 ?words',
      'call the middle of the month': '2026-03-15 ?words',
      'call middle of next month': '2026-04-15 ?words',
      'call next january': '2027-01-01',
    },
    found(dateReaders),
  ));

test('a number with its ending is a day of a month, if it numbers nothing else', () =>
  readsAs(
    {
      'call the 14th': '2026-03-14',
      'call on 14th': '2026-03-14',
      'call from the 14th': '2026-03-14 start',
      'on the 14th call Bo': '2026-03-14',
      'call Bo, the 14th floor': 'none',
      'call on the 32nd': 'none',
      'call on the 5th of the month': '2026-03-05 ?once',
      'call on the 5th of this month': '2026-03-05',
      'call on the 5th of next month': '2026-04-05',
      'call 5th of next month': '2026-04-05',
      'call next month on the 5th': '2026-04-05',
      'call next month 5th': '2026-04-05',
      'call the fifth': '2026-03-05 ?words',
      'call on fifth': '2026-03-05 ?words',
      'call on the 32nd of the month': 'none',
      'call on the fifth of next month': '2026-04-05 ?words',
      'call on the fifth of the month': '2026-03-05 ?once',
      'call the fifth element': 'none',
      'the 28th pay nanny': '2026-03-28 ?words',
      'the 32nd pay nanny': 'none',
      'the 28th floor paint': 'none',
      'pay rent 5th': '2026-03-05 ?words',
      'pay rent 32nd': 'none',
      'pay rent 5th at 9:00': '2026-03-05 ?words',
      'pay rent 5th call': 'none',
    },
    found(dateReaders),
  ));

test('the nth weekday is one of the month that is named', () =>
  readsAs(
    {
      'call first tuesday of next month': '2026-04-07',
      'call the second friday of the month': '2026-03-13 ?once',
      'call the second friday of this month': '2026-03-13',
      'call the last friday in april': '2026-04-24',
      'call 2nd friday of april': '2026-04-10',
      // No month has nine of them, so it is a Friday.
      'call the 9th friday of april': '2026-03-06',
      'call last friday of the month': '2026-03-27 ?once',
      'book club first tuesday': '2026-03-03 ?once',
      'book club the second friday': '2026-03-13 ?once',
      'book club last tuesday': 'none',
    },
    found(dateReaders),
  ));

test('the nth weekday of a month that has passed, or has none, is a year later', () =>
  readsAs(
    {
      'call the second tuesday of march': '2027-03-09',
      'call the last tuesday of march': '2026-03-31',
      'call the first monday of february': '2027-02-01',
      'call the fifth friday of april': '2027-04-30',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 20 } }),
  ));

test('dates in digits', () =>
  readsAs(
    {
      'call 2026-12-03': '2026-12-03',
      'call 2026/12/03': '2026-12-03',
      'call 2026-12/03': 'none',
      'call 2026-13-03': 'none',
      'call 3.12.': '2026-12-03',
      'call 3.12.27': '2027-12-03',
      'call am 3.12.2027': '2027-12-03',
      'call Di, 3.12.': '2026-12-03',
      'call on 3.12': '2026-12-03',
      'call until the 3.12': '2026-12-03',
      'call 3.12 15:30': '2026-12-03',
      'call 3.12 5': 'none',
      'call 3/12': '2026-12-03 ?order',
      'call 3/12/27': '2027-12-03 ?order',
      'call 3/3': '2026-03-03',
      'call 25/12': '2026-12-25',
      'call 12/25': '2026-12-25',
      'call 45/80': 'none',
      'watch episode 3/10': 'none',
      'call 24/7': 'none',
      'add 1/2 cup': 'none',
      'call fri 13/3': '2026-03-13',
      'call 3-12-2026': '2026-12-03 ?order',
      'call 3-12-26': '2026-12-03 ?order',
      'call 3-12': 'none',
    },
    found(dateReaders),
  ));

test('the other order of day and month', () =>
  readsAs(
    {
      'call 3/12': '2026-03-12 ?order',
      'call 12/25': '2026-12-25',
    },
    found(dateReaders, { choices: new Set(['order']) }),
  ));

test('the month may come first', () =>
  readsAs(
    {
      'call 3/12': '2026-03-12 ?order',
      'call 25/12': '2026-12-25',
      'call 3/12/27': '2027-03-12 ?order',
    },
    found(dateReaders, { dayFirst: false }),
  ));

test('the other year is the one that passes', () =>
  readsAs(
    {
      'call 1 feb': '2026-02-01 ?year',
      'call 1 feb 2027': '2027-02-01',
      'call 12 june 27': '2026-06-12',
    },
    found(dateReaders, { choices: new Set(['year']) }),
  ));

test('a date that passed half a year ago is in the next year without a doubt', () =>
  readsAs(
    {
      'call 1 june': '2027-06-01',
      'call 2 june': '2027-06-02 ?year',
      'call 29 february': '2028-02-29',
    },
    found(dateReaders, { today: { year: 2026, month: 12, day: 1 } }),
  ));

test('the other reading of a wrong weekday is the next such day', () =>
  readsAs(
    {
      'call fri 14 march': '2026-03-06 ?weekday',
      'call fri 13 march': '2026-03-13',
    },
    found(dateReaders, { choices: new Set(['weekday']) }),
  ));

test('a weekday in another language goes with its date', () => {
  const rest = new RemainingText('call Bo do 3.12.', 'left');
  rest.take(
    dateReaders({ today: { year: 2026, month: 3, day: 2 }, dayFirst: true, choices: new Set(), onName: () => {} }),
  );
  assert.equal(rest.words(), 'call Bo');
});
