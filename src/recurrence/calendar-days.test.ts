import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  civilDateOf,
  dateOfDay,
  dayOf,
  dayOfDate,
  LAST_YEAR,
  monthAt,
  monthFinder,
  weekdayOf,
} from './calendar-days.ts';

const EPOCH = Temporal.PlainDate.from('1970-01-01');
const FIRST_DAY = dayOf(1, 1, 1);
const day = fc.integer({ min: FIRST_DAY, max: dayOf(LAST_YEAR, 12, 31) });

test('every day from year 1 to 9999 has the date, weekday and month that Temporal gives it', () => {
  fc.assert(
    fc.property(day, (day) => {
      const date = EPOCH.add({ days: day });
      assert.deepEqual(civilDateOf(day), { year: date.year, month: date.month, dayOfMonth: date.day });
      assert.equal(dayOfDate(date), day);
      assert.ok(dateOfDay(day).equals(date));
      assert.equal(weekdayOf(day), date.dayOfWeek);
      assert.equal(monthAt(date.year, date.month).length, date.daysInMonth);
    }),
    { numRuns: 5000, seed: 400 },
  );
});

test('converting a day to a date and back gives the same day, over a whole calendar cycle', () => {
  for (let day = dayOf(1900, 1, 1); day <= dayOf(2300, 1, 1); day++) {
    const { year, month, dayOfMonth } = civilDateOf(day);
    assert.equal(dayOf(year, month, dayOfMonth), day);
  }
});

test('the month found for a day is correct, regardless of earlier lookups', () => {
  const monthOf = monthFinder();
  fc.assert(
    fc.property(day, fc.integer({ min: -40, max: 40 }), (day, step) => {
      for (const asked of [day, day + step]) {
        const { year, month } = civilDateOf(asked);
        assert.deepEqual(monthOf(asked), monthAt(year, month));
      }
    }),
    { numRuns: 2000, seed: 400 },
  );
});
