/** Days that are named by their distance, feasts, and the words that lead to a day. */
import { test } from 'node:test';
import { found, readsAs } from '../../test/words/found-dates.ts';
import { dateReaders, endReaders, shiftedReaders } from './find-date.ts';

test('today, tonight and tomorrow are days, with the part of the day that stands beside them', () =>
  readsAs(
    {
      'call today': '2026-03-02',
      'call later today': '2026-03-02',
      'call the end of today': '2026-03-02',
      'call today evening': '2026-03-02 evening',
      'call tonight': '2026-03-02 evening night',
      'call tonite': '2026-03-02 evening night',
      'call this afternoon': '2026-03-02 afternoon',
      'call tomorrow': '2026-03-03',
      'call first thing tomorrow': '2026-03-03 morning',
      'call early tomorrow': '2026-03-03 morning',
      'call early tomorrow evening': '2026-03-03 evening',
      'call tmrw pm': '2026-03-03 afternoon',
      'call the day after tomorrow': '2026-03-04',
      'call day after tmrw': '2026-03-04',
    },
    found(dateReaders),
  ));

test('a weekday is the next one, and today or later if it is the day of today', () =>
  readsAs(
    {
      'call friday': '2026-03-06',
      'call on friday': '2026-03-06',
      'call due on friday': '2026-03-06',
      'call for friday': '2026-03-06',
      'call from friday': '2026-03-06 start',
      'call starting friday': '2026-03-06 start',
      'call starting from friday': '2026-03-06 start',
      'call beginning on friday': '2026-03-06 start',
      'call next friday evening': '2026-03-13 evening ?week',
      'call next monday': '2026-03-09',
      'call this friday': '2026-03-06',
      'call coming friday': '2026-03-06',
      'call this monday': '2026-03-02',
      'call coming monday': '2026-03-09',
      'call monday': '2026-03-09 or today',
      'call monday evening': '2026-03-09 evening or today',
      'call friday next week': '2026-03-13',
      'call next friday next week': '2026-03-13',
      'call monday next week': '2026-03-09',
      'call first thing on friday': '2026-03-06 morning',
      'call friday first thing': '2026-03-06 morning',
      'call friday am': '2026-03-06 morning',
      'call friday night': '2026-03-06 night',
      'trip fri–sun': '2026-03-06',
      'call next week on friday': '2026-03-13',
      'call next week wednesday': '2026-03-11',
      'call friday after next': '2026-03-20',
      'call the monday after next': '2026-03-16',
      'call last friday': 'none',
      'sun cream': 'none',
    },
    found(dateReaders),
  ));

test('so long after a weekday is counted from it', () =>
  readsAs(
    {
      'call two weeks from friday': '2026-03-20',
      'call 3 days from tomorrow': '2026-03-06',
      'call a week from today': '2026-03-09',
      'call a fortnight from now': '2026-03-16',
      'call friday week': '2026-03-13',
      'call tomorrow week': '2026-03-10',
      'friday week call Bo': '2026-03-13',
      'call week on friday': '2026-03-13',
      'call a fortnight on friday': '2026-03-20',
      'call two weeks today': '2026-03-16',
      'call a week tomorrow': '2026-03-10',
      'call friday in 2 weeks': '2026-03-20',
      'call friday in 4 weeks': '2026-04-03',
      'call two weeks from monday': '2026-03-23',
      "call in 2 weeks' time, on a friday": '2026-03-20',
      'call in two weeks friday': '2026-03-20',
      'call monday in 2 weeks': '2026-03-16 ?week',
    },
    found(dateReaders),
  ));

test('weeks, weekends, months and years are named by their distance', () =>
  readsAs(
    {
      'call next week': '2026-03-09',
      'call early next week': '2026-03-09',
      'call this weekend': '2026-03-07',
      'call over the weekend': '2026-03-07',
      'call next weekend': '2026-03-14 ?week',
      'call the week after next': '2026-03-16',
      'call in the month after next': '2026-05-01',
      'call the weekend after next': '2026-03-21',
      'weekend gardening': '2026-03-07 ?words',
      'plan weekend gardening': 'none',
      'call next month': '2026-04-01',
      'call the beginning of next month': '2026-04-01',
      'call first of next month': '2026-04-01',
      'call the start of the month': '2026-04-01',
      'call first of the month': '2026-04-01 ?once',
      'call first of this month': '2026-04-01',
      'call next year': '2027-01-01',
      'call the end of next week': '2026-03-13',
      'call eow': '2026-03-06',
      'call end of the week': '2026-03-06',
      'call eom': '2026-03-31',
      'call the last day of month': '2026-03-31',
      'call end of next month': '2026-04-30',
      'call the end of april': '2026-04-30',
      'call end of year': '2026-12-31',
      'call the end of this year': '2026-12-31',
      'call the end of next year': '2027-12-31',
      'call in 3 days': '2026-03-05',
      'call within 2 weeks': '2026-03-16',
      'call after a fortnight': '2026-03-16',
      'call in a few weeks': '2026-03-23 ?amount',
      'call in few days': '2026-03-05 ?amount',
      'call in 3d': '2026-03-05',
      'call in 2w': '2026-03-16',
      'call in 2h': 'none',
      'call 3 weeks from now': '2026-03-23',
      'call a year from now': '2027-03-02',
      'call in a week and a half': 'none',
      'call in 2 months': '2026-05-02',
    },
    found(dateReaders),
  ));

test('the other reading of a week is the first one, or the one after', () =>
  readsAs(
    {
      'call next friday': '2026-03-06 ?week',
      'call next weekend': '2026-03-07 ?week',
      'call monday in 2 weeks': '2026-03-23 ?week',
      'call friday in 2 weeks': '2026-03-20',
    },
    found(dateReaders, { choices: new Set(['week']) }),
  ));

test('a few may be more', () =>
  readsAs(
    {
      'call in a few weeks': '2026-04-06 ?amount',
      'call in 3 weeks': '2026-03-23',
    },
    found(dateReaders, { choices: new Set(['amount']) }),
  ));

test('words that may belong to the title stay if the person says so', () =>
  readsAs(
    {
      'weekend gardening': 'none',
      'call in the middle of april': 'none',
      'call by thanksgiving': 'none',
      'call by good friday': '2026-04-03',
      'call the fifth': 'none',
      'the 28th pay nanny': 'none',
      'pay rent 5th': 'none',
      'prepare friday meeting': 'none',
      'call friday': '2026-03-06',
    },
    found(dateReaders, { choices: new Set(['words']) }),
  ));

test('on a Thursday the weekend and the end of the week are ahead', () =>
  readsAs(
    {
      'call this weekend': '2026-03-07',
      'call eow': '2026-03-06',
      'call this thursday': '2026-03-05',
      'weekend gardening': '2026-03-07 ?words',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 5 } }),
  ));

test('on a Friday the week ends today', () =>
  readsAs(
    {
      'call this weekend': '2026-03-07',
      'call eow': '2026-03-06',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 6 } }),
  ));

test('on a Saturday the weekend has begun', () =>
  readsAs(
    {
      'call this weekend': '2026-03-07',
      'weekend gardening': '2026-03-07 ?words',
      'call eow': '2026-03-07',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 7 } }),
  ));

test('on a Sunday the weekend is today, and the next one is no guess', () =>
  readsAs(
    {
      'call this weekend': '2026-03-08',
      'call next weekend': '2026-03-14',
      'call end of the week': '2026-03-08',
    },
    found(dateReaders, { today: { year: 2026, month: 3, day: 8 } }),
  ));

test('feasts are days, but what is made for them is none', () =>
  readsAs(
    {
      'call easter': '2026-04-05 ?words',
      'call by easter': '2026-04-05',
      'call easter 2027': '2027-03-28',
      'call thanksgiving': '2026-11-26 ?words',
      'call by thanksgiving': '2026-11-26 ?words',
      'call for christmas': '2026-12-25 ?words',
      'call christmas evening': '2026-12-25 evening ?words',
      'call christmas 2028': '2028-12-25',
      'buy christmas tree': 'none',
      'book christmas dinner': '2026-12-25 ?words',
      'call on christmas': '2026-12-25',
      'call on christmas eve': '2026-12-24',
      'write on christmas cards': 'none',
      'call before christmas': '2026-12-25 ?by',
      'call starting on christmas': '2026-12-25',
      'christmas call Bo': '2026-12-25 ?words',
      'christmas is near': 'none',
      'plan for christmas': 'none',
    },
    found(dateReaders),
  ));

test('a feast that moves is on its date of the year that is meant', () =>
  readsAs(
    {
      'call by easter': '2027-03-28',
      'call by easter 2026': '2026-04-05',
      'call by easter 2028': '2028-04-16',
      'call christmas 2025': '2025-12-25',
    },
    found(dateReaders, { today: { year: 2026, month: 5, day: 2 } }),
  ));

test('before a day may be the day before, unless a time says when', () =>
  readsAs(
    {
      'call before friday': '2026-03-06 ?by',
      'call before friday 5pm': '2026-03-06',
      'call before friday, 5pm': '2026-03-06',
      'call before friday,5pm': '2026-03-06',
      'call before friday at 5': '2026-03-06',
      'call before friday, at 5': '2026-03-06',
      'call before friday @ 5': '2026-03-06',
      'call before friday noon': '2026-03-06',
      'call before friday midday': '2026-03-06',
      'before friday call 5 people': '2026-03-06 ?by',
      'before friday, call 5 people': '2026-03-06 ?by',
      'before friday attack it': '2026-03-06 ?by',
      'call before the weekend': '2026-03-07 ?by',
      'call before the weekend 5pm': '2026-03-07',
      'call before 14 march (fri)': '2026-03-14 ?weekday,by',
    },
    found(dateReaders),
  ));

test('before a day is the day before if the person says so', () =>
  readsAs(
    {
      'call before friday': '2026-03-05 ?by',
      'call before friday 5pm': '2026-03-06',
      'call before the weekend': '2026-03-06 ?by',
      'call by friday': '2026-03-06',
    },
    found(dateReaders, { choices: new Set(['by']) }),
  ));

test('words that look like a name stay, and that is told', () =>
  readsAs(
    {
      'watch Friday Night Lights': 'none (name)',
      'prepare the friday meeting': 'none (name)',
      'prepare friday meeting': '2026-03-06 ?words',
    },
    found(dateReaders),
  ));

test('words that look like a name are read if the person says so', () =>
  readsAs(
    {
      'watch Friday Night Lights': '2026-03-06 night (name)',
      'prepare the friday meeting': '2026-03-06 (name)',
    },
    found(dateReaders, { choices: new Set(['name']) }),
  ));

test('until a day is with it, and until a month without', () =>
  readsAs(
    {
      'x until friday': '2026-03-06',
      'x til the 5th': '2026-03-05',
      'x thru 3/12': '2026-12-03 ?order',
      'x ending on friday': '2026-03-06',
      'x ends friday': '2026-03-06',
      'x up to friday': '2026-03-06',
      'x until the end of the month': '2026-03-31',
      'x until october': '2026-09-30 ?until',
      'x until october 2027': '2027-09-30 ?until',
      "x until october '27": '2027-09-30 ?until',
      'x until march': '2026-03-31',
      'x until april': '2026-03-31 ?until',
      'x until christmas': '2026-12-25',
      'x until christmas cards': 'none',
    },
    found(endReaders),
  ));

test('until a month is with it if the person says so', () =>
  readsAs(
    {
      'x until october': '2026-10-31 ?until',
      'x until october 2027': '2027-10-31 ?until',
    },
    found(endReaders, { choices: new Set(['until']) }),
  ));

test('so long before or after a day is counted from it', () =>
  readsAs(
    {
      'call the day before christmas': '2026-12-24',
      'call two days before christmas': '2026-12-23',
      'call a week after easter': '2026-04-12',
      'call a fortnight before 24 dec': '2026-12-10',
      'call 2 months before christmas': '2026-10-25',
      'call the night before christmas': '2026-12-24 evening',
      'call on the evening before christmas': '2026-12-24 evening',
      'call the evening after 24 dec': '2026-12-25 evening',
      'call 3 nights before 24 dec': '2026-12-21 evening',
      'call the friday before christmas': '2026-12-18',
      'call the last friday before christmas': '2026-12-18',
      'call the first friday after christmas': '2027-01-01',
      'call the monday before christmas': '2026-12-21',
      'call the tuesday after easter': '2026-04-07',
      'call the weekend before christmas': '2026-12-19',
      'call the weekend after 24 dec': '2026-12-26',
      'call by the day before the 14th': '2026-03-13',
      'call the day before christmas cards': 'none',
      'call the monday before 14 dec': '2026-12-07',
      'call the monday after 14 dec': '2026-12-21',
    },
    found(shiftedReaders),
  ));
