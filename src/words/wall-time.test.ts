import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addDays,
  daysBetween,
  formatIsoDate,
  lastDayIn,
  parseWallTime,
  toInstant,
  toIsoString,
  toTimeOfDay,
  toWallTime,
  type WallTime,
  weekdayOf,
} from './wall-time.ts';

const wall = (text: string): WallTime => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/).map(Number);
  return { year, month, day, hour, minute };
};

test('a wall time survives the conversion to an instant and back, on both sides of a change of clocks', () => {
  for (const zone of ['UTC', 'Europe/Amsterdam', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
    for (const text of ['2026-03-02T09:00', '2026-07-01T00:00', '2026-12-31T23:59', '2026-03-29T12:00']) {
      assert.deepEqual(toWallTime(toInstant(wall(text), zone), zone), wall(text), `${text} ${zone}`);
    }
  }
});

test('a wall time that a change of clocks skips moves later', () => {
  assert.equal(toIsoString(wall('2026-03-29T02:30'), 'Europe/Amsterdam'), '2026-03-29T03:30:00+02:00');
});

test('an instant is written with the offset of its day', () => {
  assert.equal(toIsoString(wall('2026-07-01T09:00'), 'America/New_York'), '2026-07-01T09:00:00-04:00');
  assert.equal(toIsoString(wall('2026-01-01T09:00'), 'Asia/Kolkata'), '2026-01-01T09:00:00+05:30');
});

test('the values of form fields are a wall time, or nothing', () => {
  assert.deepEqual(parseWallTime('2026-03-02', '09:05'), wall('2026-03-02T09:05'));
  assert.deepEqual(parseWallTime('2026-12-31', '23:59:30'), wall('2026-12-31T23:59'));
  for (const date of [
    '',
    '2026-03',
    '26-03-02',
    '2026-3-02',
    '2026-03-2',
    '2026-03-022',
    'x2026-03-02',
    'abcd-03-02',
    '2026-ab-02',
    '2026-03-ab',
  ])
    assert.equal(parseWallTime(date, '09:05'), undefined, date);
  for (const time of ['', '9:05', '09', '09:5', 'ab:05', '09:ab', 'x09:05'])
    assert.equal(parseWallTime('2026-03-02', time), undefined, time);
});

test('days are counted over the ends of months and years', () => {
  const day = (text: string) => wall(`${text}T09:05`);
  assert.deepEqual(addDays(day('2026-12-31'), 1), day('2027-01-01'));
  assert.deepEqual(addDays(day('2024-03-01'), -1), day('2024-02-29'));
  assert.deepEqual(
    [daysBetween(day('2026-02-28'), day('2026-03-01')), daysBetween(day('2026-03-01'), day('2025-03-01'))],
    [1, -365],
  );
  assert.deepEqual(
    ['2026-03-02', '2026-03-08'].map((text) => weekdayOf(day(text))),
    [1, 7],
  );
  assert.deepEqual([lastDayIn(2024, 2), lastDayIn(2026, 2), lastDayIn(2026, 12)], [29, 28, 31]);
  assert.equal(formatIsoDate({ year: 987, month: 6, day: 5 }), '0987-06-05');
  assert.deepEqual(
    [toTimeOfDay('09:05'), toTimeOfDay('9')],
    [
      { hour: 9, minute: 5 },
      { hour: 9, minute: 0 },
    ],
  );
});
