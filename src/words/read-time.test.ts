/** One time of the day, and which half of the day it is in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterwards, halfInTitle, halfOf, isAfterMidnight } from './half-of-day.ts';
import { readExactTime, readTime } from './read-time.ts';

/** `?` leaves the half of the day open, `=` is written to the minute, and `24` as who counts to 24 writes it. */
const inShort = (written: string): string => {
  const time = readTime(written);
  if (!time) return 'none';
  const { hour, minute, isExact, isPrecise, is24Hour } = time;
  const marks = `${isExact ? '' : '?'}${isPrecise ? '=' : ''}${is24Hour ? ' 24' : ''}`;
  return `${hour}:${String(minute).padStart(2, '0')}${marks}`;
};

const TIMES: Readonly<Record<string, string>> = {
  '  9am ': '9:00',
  '9 am': '9:00',
  '9 a.m.': '9:00',
  '9a': '9:00',
  '9A': '9:00',
  '9p': '21:00',
  '12am': '0:00',
  '12pm': '12:00',
  '0am': 'none',
  '13pm': 'none',
  '9': '9:00?',
  '09': '9:00',
  '0': '0:00',
  '12': '12:00',
  '13': '13:00 24',
  '24': 'none',
  '23': '23:00 24',
  '6:30': '6:30?=',
  '6.30': '6:30?=',
  '18:30': '18:30= 24',
  '6h30': '6:30?=',
  '6h': '6:00?',
  '18h': '18:00 24',
  '9 Uhr': '9:00?=',
  '9 uur': '9:00?=',
  '8 Uhr 30': '8:30?=',
  '8  uhr  30': '8:30?=',
  '8 uur 15': '8:15?=',
  '17 uhr': '17:00= 24',
  '6:30 uhr': '6:30?=',
  '6:60': 'none',
  '630': '6:30',
  '0630': '6:30',
  '1730': '17:30 24',
  '1770': 'none',
  '12:30': '12:30=',
  'half 8': '8:30?',
  'half past 8': '8:30?',
  'half eight': '8:30?',
  'half  past  eight pm': '20:30',
  'half past 12': '12:30',
  'half 11': '11:30?',
  'quarter to nine': '8:45?',
  'a quarter to nine': '8:45?',
  'quarter past 9pm': '21:15',
  'quarter of 5': '4:45?',
  'ten till eight': '7:50?',
  'five til eight': '7:55?',
  '20 minutes past 6': '6:20?',
  '20 mins to 7': '6:40?',
  'twenty-five past six': '6:25?',
  'twenty five to six': '5:35?',
  '60 past 6': 'none',
  '0 past 6': 'none',
  'five to twelve': '11:55?',
  'five past twelve': '12:05',
  'five to twelve pm': '11:55',
  'five to midnight': '23:55',
  'ten past midnight': '0:10',
  'quarter to midnight': '23:45',
  noon: '12:00',
  Midday: '12:00',
  midnight: '23:59',
  'ten past noon': '12:10',
  'ten to noon': '11:50',
  "9 o'clock": '9:00?',
  '9 o’clock': '9:00?',
  'nine oclock': '9:00?',
  '9 oclock sharp': '9:00?',
  'five thirty': '5:30?',
  'five thirty pm': '17:30',
  'oh nine fifteen': '9:15',
  'zero nine': '9:00',
  'oh nine hundred': '9:00',
  'nineteen hundred hours': '19:00 24',
  'nineteen hundred': '19:00 24',
  'nine hundred': '9:00',
  'twenty-two oh five': '22:05 24',
  'twenty two': '22:00 24',
  'twenty one thirty': '21:30 24',
  twenty: '20:00 24',
  'twenty thirty': '20:30 24',
  'eleven forty-five': '11:45?',
  'nine  thirty': '9:30?',
  'seven zero five': '7:05?',
  nineteen: '19:00 24',
  blue: 'none',
  'nine blue': 'none',
  '1700 hrs': '17:00 24',
  '17.30h': '17:30= 24',
  '17.30 h': '17:30= 24',
  '17:30 hrs': '17:30= 24',
  '5:05am': '5:05=',
  'half past 25': 'none',
  'half past 7am': '7:30',
  'half 7 am': '7:30',
  '1:00': '1:00?=',
  '0:30': '0:30=',
  '00:30': '0:30=',
  '5:3': '5:00?',
  '7:30p': '19:30=',
  '12 noon': '12:00',
  '9:99am': 'none',
  'quarter to one': '0:45?',
  'ten past half': 'none',
  'half past': 'none',
  'the half past 8': 'none',
  'half past 8 or so': 'none',
  'at 9': 'none',
  'past 5': 'none',
  '9uhr30': '9:30?=',
  '09:30': '9:30=',
  '0930': '9:30',
  '12:00': '12:00=',
  '11:59': '11:59?=',
  '1pm': '13:00',
  '59 past 6': '6:59?',
  '1 past 6': '6:01?',
  '0:00': '0:00=',
  'half to 5': '4:30?',
  'five of six': '5:55?',
  'quarter after 7': '7:15?',
  'oh nine oh five': '9:05',
  'twenty-one': '21:00 24',
  'twenty four': '20:04 24',
  'nine hundred hours': '9:00',
  'five o clock': '5:00?',
  '5 o’clock in the evening': '5:00?',
  '17h45': '17:45= 24',
  '7.15 p.m.': '19:15=',
  '7.15 p.m': '19:15=',
  'midday pm': 'none',
  'half past twenty': '20:30 24',
  '11': '11:00?',
  '1': '1:00?',
};

test('a time of the day is read however it is written, and nothing else is one', () => {
  const read = Object.fromEntries(Object.keys(TIMES).map((written) => [written, inShort(written)]));
  assert.deepEqual(read, TIMES);
});

test('a time that leaves nothing open is written as in a form', () => {
  const written = [
    '9:00',
    '9am',
    '9:30 pm',
    '21:30:00',
    ' 9:15 ',
    '9 AM',
    '9',
    '9:15:30',
    'noon',
    '25:00',
    '9xm',
    'x9am',
  ];
  assert.deepEqual(written.map(readExactTime), [
    '09:00',
    '09:00',
    '21:30',
    '21:30',
    '09:15',
    '09:00',
    ...Array(6).fill(undefined),
  ]);
});

test('the title tells the half of the day, surely or mostly, for the hours at which people do it', () => {
  const told = (title: string, ...hours: number[]) =>
    hours.map((hour) => {
      const { half = '-', isSure = false } = halfInTitle(title, hour) ?? {};
      return `${half}${isSure ? '!' : ''}`;
    });
  assert.deepEqual(told('dinner with Bo', 1, 4, 5, 10, 11), ['pm', 'pm', 'pm!', 'pm!', '-']);
  assert.deepEqual(told('breakfast', 1, 3, 4, 11, 12), ['am', 'am', 'am!', 'am!', '-']);
  assert.deepEqual(told('go to bed', 1, 6, 7, 11), ['pm', 'pm', 'pm!', 'pm!']);
  assert.deepEqual(told('make the bed', 7), ['pm']);
  assert.deepEqual(told('time to sleep', 7), ['pm!']);
  assert.deepEqual(told('get some sleep', 7), ['pm!']);
  assert.deepEqual(told('sleep study', 7), ['pm']);
  assert.deepEqual(told('a lie-in', 9), ['am!']);
  assert.deepEqual(told('party at Bo’s', 1, 10, 11), ['pm', 'pm', '-']);
  assert.deepEqual(told('Wake Bo', 6), ['am!']);
  assert.deepEqual(told('jog', 0, 1, 11), ['-', 'am', 'am']);
  assert.deepEqual(told('call mum', 8), ['-']);
  assert.deepEqual([halfOf('morning'), halfOf('evening'), halfOf(undefined)], ['am', 'pm', 'pm']);
});

test('times go on through the day, unless they say their half', () => {
  const after = (time: [number, number], previous?: [number, number], isExact = false) => {
    const of = ([hour, minute]: readonly [number, number]) => ({ hour, minute });
    const { hour, minute } = afterwards(of(time), isExact, previous && of(previous));
    return [hour, minute];
  };
  assert.deepEqual(after([2, 0], [8, 0]), [14, 0]);
  assert.deepEqual(after([8, 0], [14, 0]), [20, 0]);
  assert.deepEqual(after([8, 30], [8, 0]), [8, 30]);
  assert.deepEqual(after([8, 0], [8, 0]), [20, 0]);
  assert.deepEqual(after([8, 0], [8, 30]), [20, 0]);
  assert.deepEqual(after([9, 0], [8, 30]), [9, 0]);
  assert.deepEqual(after([7, 45], [8, 30]), [19, 45]);
  assert.deepEqual(after([2, 0], [8, 0], true), [2, 0]);
  assert.deepEqual(after([12, 0], [14, 0]), [12, 0]);
  assert.deepEqual(after([2, 0]), [2, 0]);
});

test('a night goes on until four, an evening until three', () => {
  const last = (part: 'evening' | 'night') =>
    [0, 3, 4, 5, 11, 12, 13].filter((hour) => isAfterMidnight({ hour, minute: 0, isExact: false }, part));
  assert.deepEqual(
    [last('evening'), last('night')],
    [
      [0, 3, 12],
      [0, 3, 4, 12],
    ],
  );
});
