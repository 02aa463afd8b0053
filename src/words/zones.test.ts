/** Times on the clock of another place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readsAs } from '../../test/words/found-dates.ts';
import { RemainingText } from './remaining-text.ts';
import type { Schedule } from './schedule.ts';
import { onOwnClock, zoneReaders } from './zones.ts';

const zone = (text: string) => new RemainingText(text, 'left').take(zoneReaders) ?? 'none';

test('an abbreviation after a time is a zone', () =>
  readsAs(
    {
      'call 9am EST': 'America/New_York',
      'call 9am EDT': 'America/New_York',
      'call 9am est': 'America/New_York',
      'call 9am CST': 'America/Chicago',
      'call 9am MST': 'America/Denver',
      'call 9am PDT': 'America/Los_Angeles',
      'call 9am AKST': 'America/Anchorage',
      'call 9am UTC': 'UTC',
      'call 14:00 gmt': 'UTC',
      'call 9am BST': 'Europe/London',
      'call 9am CEST': 'Europe/Berlin',
      'call 9am mez': 'Europe/Berlin',
      'call 9am EET': 'Europe/Athens',
      'call 9am MSK': 'Europe/Moscow',
      'call 9am JST': 'Asia/Tokyo',
      'call 9am KST': 'Asia/Seoul',
      'call 9am SGT': 'Asia/Singapore',
      'call 9am HKT': 'Asia/Hong_Kong',
      'call 9am AEST': 'Australia/Sydney',
      'call 9am AWST': 'Australia/Perth',
      'call 9am NZDT': 'Pacific/Auckland',
    },
    zone,
  ));

test('what is also a word is a zone in capitals, or where the moment ends', () =>
  readsAs(
    {
      'call 9am ET': 'America/New_York',
      'call 9am Eastern': 'America/New_York',
      'call 9am CT': 'America/Chicago',
      'call 9am mt': 'America/Denver',
      'call 9am PT': 'America/Los_Angeles',
      'call 9am IST': 'Asia/Kolkata',
      'call 9am et Bo': 'none',
      'call 9am ET Bo': 'America/New_York',
      'call 9am et': 'America/New_York',
      'call 9am Pt Bo': 'none',
      'call 9am pacific': 'America/Los_Angeles',
      'call 9am pacific rim': 'none',
      'call 9am pT Bo': 'none',
    },
    zone,
  ));

test('a place and the word time are a zone', () =>
  readsAs(
    {
      'call 9am eastern time': 'America/New_York',
      'call 9am eastern standard time': 'America/New_York',
      'call 9am central time': 'America/Chicago',
      'call 9am central european time': 'Europe/Berlin',
      'call 9am mountain daylight time': 'America/Denver',
      'call 9am pacific time': 'America/Los_Angeles',
      'call 9am california time': 'America/Los_Angeles',
      'call 9am san francisco time': 'America/Los_Angeles',
      'call 9am nyc time': 'America/New_York',
      'call 9am boston local time': 'America/New_York',
      'call 9am uk time': 'Europe/London',
      'call 9am german time': 'Europe/Berlin',
      'call 9am munich time': 'Europe/Berlin',
      'call 9am french time': 'Europe/Paris',
      'call 9am india time': 'Asia/Kolkata',
      'call 9am japanese time': 'Asia/Tokyo',
      'call 9am chinese time': 'Asia/Shanghai',
      'call 9am universal time': 'UTC',
      'call 9am london time': 'Europe/London',
      'call 9am in london time': 'Europe/London',
      'call 9am new york time': 'America/New_York',
      'call 9am los angeles time': 'America/Los_Angeles',
      'call 9am berlin summer time': 'Europe/Berlin',
      'call 9am summer time': 'none',
      'call 9am lunch time': 'none',
      'call 9am england time': 'Europe/London',
      'call 9am hamburg time': 'Europe/Berlin',
      'call 9am mumbai time': 'Asia/Kolkata',
      'call 9am tokyo time': 'Asia/Tokyo',
      'call 9am beijing time': 'Asia/Shanghai',
      'call 9am washington time': 'America/New_York',
      'call 9am york time': 'none',
    },
    zone,
  ));

test('an offset from UTC is one', () =>
  readsAs(
    {
      'call 14:00 UTC+2': '+02:00',
      'call 14:00 UTC-5': '-05:00',
      'call 14:00 UTC–5': '-05:00',
      'call 14:00 utc + 5:30': '+05:30',
      'call 14:00 GMT+0530': '+05:30',
      'call 14:00 UTC+10': '+10:00',
      'call 14:00 UTC+15': 'none',
      'call 14:00 utc+05': '+05:00',
    },
    zone,
  ));

test('a zone stands after a time', () =>
  readsAs(
    {
      'call EST': 'none',
      'call at 9 EST': 'America/New_York',
      'call 9h EST': 'America/New_York',
      'call 9h30 EST': 'America/New_York',
      'call 9.30 EST': 'America/New_York',
      'call 9 uhr MEZ': 'Europe/Berlin',
      "call 9 o'clock EST": 'America/New_York',
      'call noon EST': 'America/New_York',
      'call midnight EST': 'America/New_York',
      'call 9p EST': 'America/New_York',
      'call 9 p.m. EST': 'America/New_York',
      'call 9am (EST)': 'America/New_York',
      'call 9am [EST]': 'America/New_York',
      'call 9 EST': 'none',
    },
    zone,
  ));

const NINE = { year: 2026, month: 3, day: 2, hour: 9, minute: 30 };
const AT_NINE: Schedule = { due: NINE, hasTime: true, recurrence: null, isPast: false, guesses: [] };

test('a moment is moved to the own clock, also to another day', () => {
  const moved = (schedule: Schedule) => onOwnClock(schedule, 'America/New_York', 'Asia/Tokyo')?.due;
  assert.deepEqual(onOwnClock(AT_NINE, 'America/New_York', 'Europe/Berlin'), {
    ...AT_NINE,
    due: { ...NINE, hour: 15 },
  });
  assert.deepEqual(moved({ ...AT_NINE, due: { ...NINE, hour: 12 } }), { ...NINE, day: 3, hour: 2 });
  assert.equal(moved({ ...AT_NINE, due: null }), undefined);
});

test('a rule is moved with all of its times, as long as none of them is on another day', () => {
  const moved = (by_time?: readonly string[]) =>
    onOwnClock({ ...AT_NINE, recurrence: { freq: 'daily', ...(by_time && { by_time }) } }, 'UTC', 'Asia/Kolkata');
  assert.deepEqual(moved(), { ...AT_NINE, due: { ...NINE, hour: 15, minute: 0 }, recurrence: { freq: 'daily' } });
  assert.deepEqual(moved(['09:30', '18:15'])?.recurrence, { freq: 'daily', by_time: ['15:00', '23:45'] });
  assert.equal(moved(['09:30', '18:30']), undefined);
  assert.equal(moved(['18:30', '19:30']), undefined);
});
