/** Within which hours something repeats, and where it ends. */
import { test } from 'node:test';
import { readsAs } from '../../test/words/found-dates.ts';
import { found } from '../../test/words/found-times.ts';
import { stopReaders } from './find-stop.ts';
import { steppedWindowReaders, takeHours, windowReaders } from './find-window.ts';
import type { Recurrence } from './recurrence.ts';
import { RemainingText } from './remaining-text.ts';
import { formatIsoDate, formatIsoTime } from './wall-time.ts';

/** "08:00-22:00 most 3 | what is left". */
const hours = (rule: Recurrence) => (text: string) => {
  const rest = new RemainingText(text, 'left');
  const { between, per_day } = takeHours(rest, rule);
  const said = [between?.join('-'), per_day && `most ${per_day}`].filter(Boolean).join(' ');
  return `${said || 'none'} | ${rest.words()}`;
};

/** A rule was taken before: "hourly" stands for it. On a Monday. */
const stop = (stepMinutes: number) => (text: string) => {
  const rest = new RemainingText(text, 'left');
  rest.take([[/\bhourly\b/g, () => true]]);
  const today = { year: 2026, month: 3, day: 2 };
  const end = rest.take(stopReaders({ today, dayFirst: true, choices: new Set(), onName: () => {} }, stepMinutes));
  if (!end) return 'none';
  return [end.time && formatIsoTime(end.time), end.minutes, end.day && formatIsoDate(end.day)]
    .filter(Boolean)
    .join(' ');
};

test('hours from one to the other are times of a day', () =>
  readsAs(
    {
      'from 9 to 5': '09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00',
      'from 9 to 12': '09:00 10:00 11:00 12:00',
      'from 9 to 17': '09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00',
      'between 9 and 11 drink': '09:00 10:00 11:00',
      '9-12': '09:00 10:00 11:00 12:00',
      '9 to 12': '09:00 10:00 11:00 12:00',
      '9.30-12': '09:30 10:30 11:30',
      'from 8 to 8': '08:00 09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00 18:00 19:00 20:00',
      'from 10 to 2': '10:00 11:00 12:00 13:00 14:00',
      'from 22 to 2': '00:00 01:00 02:00 22:00 23:00',
      'from 0:00 to 23:00':
        '00:00 01:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00 09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00 18:00 19:00 20:00 21:00 22:00 23:00',
      'from 9 to 10': '09:00 10:00',
      'from 24 to 5': 'none',
      'from 9 to 9:30': 'none',
      'from 1 to 3': '13:00 14:00 15:00',
      'from 6 to 8': '18:00 19:00 20:00',
      'from 7 to 8': '07:00 08:00',
      'from 7 to 5': '07:00 08:00 09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00',
      'from 8am to 6pm': '08:00 09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00 18:00',
      'from 8am to 8am': 'none',
      'from 6am to 6am': 'none',
      'from 20:00 to 8': '00:00 01:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00 20:00 21:00 22:00 23:00',
    },
    found(windowReaders(60)),
  ));

test('a window has up to 24 times, and the first of its day', () =>
  readsAs(
    {
      'from 9 to 20':
        '09:00 09:30 10:00 10:30 11:00 11:30 12:00 12:30 13:00 13:30 14:00 14:30 15:00 15:30 16:00 16:30 17:00 17:30 18:00 18:30 19:00 19:30 20:00',
      'from 9 to 20:30':
        '09:00 09:30 10:00 10:30 11:00 11:30 12:00 12:30 13:00 13:30 14:00 14:30 15:00 15:30 16:00 16:30 17:00 17:30 18:00 18:30 19:00 19:30 20:00 20:30',
      'from 9 to 21': 'none',
      'from 22:45 to 0:45': '00:15 00:45 22:45 23:15 23:45',
    },
    found(windowReaders(30)),
  ));

test('a window of one minute has two', () => readsAs({ 'from 9:00 to 9:01': '09:00 09:01' }, found(windowReaders(1))));

test('a window has at least two times', () =>
  readsAs(
    {
      'from 9 to 12': 'none',
      'from 8 to 20': '08:00 12:00 16:00 20:00',
    },
    found(windowReaders(240)),
  ));

test('every two hours of a whole day are none, because the first would be the last', () =>
  readsAs(
    {
      'from 8am to 8am': 'none',
      'from 0:00 to 23:00': '00:00 02:00 04:00 06:00 08:00 10:00 12:00 14:00 16:00 18:00 20:00 22:00',
      'from 8am to 7am': '00:00 02:00 04:00 06:00 08:00 10:00 12:00 14:00 16:00 18:00 20:00 22:00',
    },
    found(windowReaders(120)),
  ));

test('a window of an evening begins at night', () =>
  readsAs(
    {
      'from 10 to 2': '00:00 01:00 02:00 22:00 23:00',
      'from 1 to 4': '01:00 02:00 03:00 04:00',
      'from 12 to 3': '00:00 01:00 02:00 03:00',
      'from 8 to 11': '20:00 21:00 22:00 23:00',
      'from 10pm to 2am': '00:00 01:00 02:00 22:00 23:00',
      'from 24 to 5': 'none',
      'from 20:00 to 23:00': '20:00 21:00 22:00 23:00',
      'from 4 to 6': '04:00 05:00 06:00',
      'from 5 to 7': '17:00 18:00 19:00',
    },
    found(windowReaders(60, 'evening')),
  ));

test('a window of a night is one of an evening', () =>
  readsAs(
    {
      'from 10 to 2': '00:00 01:00 02:00 22:00 23:00',
    },
    found(windowReaders(60, 'night')),
  ));

test('a window of a morning begins in the morning', () =>
  readsAs(
    {
      'from 10 to 2': '10:00 11:00 12:00 13:00 14:00',
    },
    found(windowReaders(60, 'morning')),
  ));

test('a window says its own step', () =>
  readsAs(
    {
      'hourly from 9 to 12': '09:00 10:00 11:00 12:00',
      'every hour from 9 to 12': '09:00 10:00 11:00 12:00',
      'each hour between 9 and 12': '09:00 10:00 11:00 12:00',
      'every 2 hours from 9 to 15': '09:00 11:00 13:00 15:00',
      'every two hrs 9 to 5pm': '09:00 11:00 13:00 15:00 17:00',
      'every 30 minutes from 9 to 11': '09:00 09:30 10:00 10:30 11:00',
      'every 30 mins from 9 to 11': '09:00 09:30 10:00 10:30 11:00',
      'every min from 9 to 11': 'none',
      'every hour 9-12': 'none',
      'every 15 minutes from 9 to 10 mon': '09:00 09:15 09:30 09:45 10:00',
      'Every Hour from 9 to 12': '09:00 10:00 11:00 12:00',
      'EVERY 2 HOURS FROM 9 TO 15': '09:00 11:00 13:00 15:00',
      'every hour from 22 to 2': 'none',
    },
    found(steppedWindowReaders),
  ));

test('hours and the most a day are of a dose that counts from the last one', () =>
  readsAs(
    {
      'only between 8 and 22': '08:00-22:00 | ',
      'but only from 8am to 10pm': '08:00-22:00 | ',
      'from 8 to 20': '08:00-20:00 | ',
      'between 7 and 9': '07:00-21:00 | ',
      'between 8am and 10am': '08:00-10:00 | ',
      'at most 3 a day': '00:00-23:59 most 3 | ',
      'max 3 per day': '00:00-23:59 most 3 | ',
      'maximum of 3 times a day': '00:00-23:59 most 3 | ',
      'no more than three doses each day': '00:00-23:59 most 3 | ',
      'not more than 3 pills every day': '00:00-23:59 most 3 | ',
      'up to 3x a day': '00:00-23:59 most 3 | ',
      'and at most 3 tablets/day': '00:00-23:59 most 3 | ',
      'at most 40 a day': '00:00-23:59 most 24 | ',
      'at most 0 a day': '00:00-23:59 most 1 | ',
      pill: 'none | pill',
      'only between 8 and 22, at most 3 a day': '08:00-22:00 most 3 | ',
    },
    hours({ freq: 'hourly', interval: 6, from: 'completion' }),
  ));

test('a window that has room for two doses ends where it says', () =>
  readsAs(
    {
      'only between 8 and 10': '08:00-10:00 | ',
      'between 10pm and 6am': '22:00-06:00 | ',
      'from 22 to 6': '22:00-06:00 | ',
    },
    hours({ freq: 'hourly', from: 'completion' }),
  ));

test('hours are of no other rule', () =>
  readsAs(
    {
      'only between 8 and 22': 'none | only between 8 and 22',
    },
    hours({ freq: 'hourly', interval: 6 }),
  ));

test('hours are of no rule of days', () =>
  readsAs(
    {
      'only between 8 and 22': 'none | only between 8 and 22',
    },
    hours({ freq: 'daily', from: 'completion' }),
  ));

test('a rule of minutes ends at a time, on a day, or after so long', () =>
  readsAs(
    {
      'hourly until 6pm': '18:00',
      'until 5': '05:00',
      'till 5pm': '17:00',
      'til noon': '12:00',
      'up to 17.30': '17:30',
      'until 12.06': 'none',
      'until 17:30': '17:30',
      'from now until five': '05:00',
      'until 5 june': 'none',
      'until 5 pages': 'none',
      'until 5 pm today': '17:00',
      'until today, 5pm': '17:00',
      'until tonight 11pm': '23:00',
      'until tomorrow 5pm': '17:00 2026-03-03',
      'until tmrw at 5pm': '17:00 2026-03-03',
      'until friday noon': '12:00 2026-03-06',
      'until monday 5pm': '17:00 2026-03-09',
      'until noon on friday': '12:00 2026-03-06',
      'until noon friday': '12:00 2026-03-06',
      'until 25': 'none',
      'until 24': 'none',
      'hourly for 2 hours': '120',
      'hourly for an hour': '60',
      'hourly for the next hour': '60',
      'hourly for the next 2 hours': '120',
      'hourly for 45 mins': '45',
      'hourly for 15 minutes': 'none',
      'hourly for 16 minutes': '16',
      'hourly for 5 minutes': 'none',
      'for 2 hours': 'none',
    },
    stop(15),
  ));
