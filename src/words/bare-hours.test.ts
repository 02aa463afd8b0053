/** Numbers that are a time because of what stands beside them. */
import { test } from 'node:test';
import { readsAs } from '../../test/words/found-dates.ts';
import { found } from '../../test/words/found-times.ts';
import { bareHourReaders, doubtfulReaders, pricedReaders } from './find-time.ts';
import type { Choices } from './guess.ts';

const NONE: Choices = new Set();

test('a bare hour beside a day is a time, and a guess where it may be something else', () =>
  readsAs(
    {
      'dinner sat 7': '07:00~',
      'sat 7 call': '07:00~ ?words',
      'sat, 7 call': '07:00~ ?words',
      'sat,7': '07:00~ ?words',
      'sat 7, 8 and 9': '07:00~',
      'sat 12': '12:00',
      'sat 13': '13:00 ?words',
      'sat 15 call': '15:00 ?words',
      'sat 5 people': 'none',
      'sat 5 mile run': 'none',
      'sat 3 eggs': 'none',
      'sat 7/8': 'none',
      'sat 7%': 'none',
      'sat 24': 'none',
      'dinner 7 sat': '07:00~',
      'dinner 7': '07:00~',
      'sat seven': '07:00~',
      'sat seven call': 'none',
      'sat one to one': 'none',
    },
    found(bareHourReaders(NONE)),
  ));

test('a time with a dot beside a day is one, unless it is an amount', () =>
  readsAs(
    {
      'sat 5.30': '05:30~',
      'sat 5.30 call': '05:30~ ?words',
      'call Bo, sat 5.30': '05:30~',
      'call Bo sat, 5.30': '05:30~ ?words',
      'sat,5.30': '05:30~ ?words',
      'sat 5.30 and 17.30': '05:30 17:30',
      'sat 5.30 kg': 'none',
      'sat 5.30 miles': 'none',
      'collect car 5.30 sat': '05:30~ ?words',
      'pay 5.30 sat': 'none',
      'walk 4.20 sat': 'none',
      'sat call Bo 5.30': '05:30~ ?words',
      'sat pay Bo 5.30': 'none',
      '5.30 call sat': '05:30~ ?words',
      '5.30 kg sat': 'none',
    },
    found(bareHourReaders(NONE)),
  ));

test('a spoken time beside a day is one', () =>
  readsAs(
    {
      'dinner seven thirty sat': '07:30~ ?words',
      'call fourteen thirty sat': '14:30 ?words',
      'call five to twelve sat': '11:55~ ?words',
      'bring five to twelve sat': 'none',
      'call half five sat': '05:30~ ?words',
      'sat fourteen thirty call': '14:30 ?words',
      'sat seven thirty call': '07:30~ ?words',
      'sat five to twelve call': '11:55~ ?words',
      'sat half five call': '05:30~ ?words',
      'half five call sat': '05:30~ ?words',
      'sat ten to nine': '08:50~ ?words',
    },
    found(bareHourReaders(NONE)),
  ));

test('four digits beside a day are a time, unless they number something', () =>
  readsAs(
    {
      'sat 1730 call': '17:30 ?words',
      'call 1730 sat': '17:30 ?words',
      'room 1205 sat': 'none',
      'sat 2010 call': '20:10 ?words',
      'sat 2026 call': 'none',
      'sat 1731 call': 'none',
      '0545 sat': '05:45 ?words',
    },
    found(bareHourReaders(NONE)),
  ));

test('after and by an hour beside a day', () =>
  readsAs(
    {
      'sat after 5': '05:00~',
      'sat by 5': '05:00~',
      'sat before 17': '17:00',
      'sat after 5 call': 'none',
      'call after 5 sat': '05:00~',
      'call before 24 sat': 'none',
      'call after 5 people sat': 'none',
    },
    found(bareHourReaders(NONE)),
  ));

test('a range beside a day', () =>
  readsAs(
    {
      'sat from 5 to 7': '05:00~ - 07:00~',
      'sat from 5-7': '05:00~ - 07:00~',
      'sat from 9.30 to 10': '09:30~ - 10:00~',
      'sat 7-9': '07:00~ - 09:00~',
      'sat 7 to 9': '07:00~ - 09:00~',
      'sat 7-9 call': 'none',
      'sat 5.30-6.30 call': '05:30~ - 06:30~',
      'call from nine to eleven thirty': '09:00~ - 11:30~',
      'call between nine and eleven': '09:00~ - 11:00~',
      'call from five to six on sat': '05:00~ - 06:00~',
      'from five to six people sat': 'none',
      'call from nine till five, sat': '09:00 - 05:00~',
      'dinner 7-9 sat': '07:00~ - 09:00~',
      'meeting 5.30-6.30 sat': '05:30~ - 06:30~',
      'meet 7-9 sat': 'none',
      'sat from 5 to 7 call': '05:00~ - 07:00~',
    },
    found(bareHourReaders(NONE)),
  ));

test('a doubtful number beside a day belongs to the title if the person says so', () =>
  readsAs(
    {
      'sat 7': '07:00~',
      'sat 15': 'none',
      'sat 5.30': 'none',
      'sat 1730': 'none',
      'call 5.30 sat': 'none',
      'sat five to twelve call': 'none',
    },
    found(bareHourReaders(new Set(['words']))),
  ));

test('a time without a word that says so is a guess', () =>
  readsAs(
    {
      'meeting 14.30': '14:30 ?words',
      'meeting 6.30': '06:30~ ?words',
      'meeting 5.30': '05:30~ ?words',
      'meeting 14.30 with Bo': '14:30 ?words',
      'meeting 14.30 people': 'none',
      'pay 14.30': 'none',
      'pay Bo 14.30': 'none',
      '14.30 meeting': '14:30 ?words',
      '5.30 meeting': 'none',
      '14.30 km run': 'none',
      'dinner 5.30': '05:30~ ?words',
      'dinner 5.30 Bo': 'none',
      'divide 9 by 3': 'none',
      'call by 5': '05:00~ ?words',
      'call by 5.': '05:00~ ?words',
      'call by 5 people': 'none',
      'reduce it by 5': 'none',
      'call seven thirty': '07:30~ ?words',
      'call fourteen thirty': '14:30 ?words',
      'pay fourteen thirty': 'none',
      'get ten thirty': 'none',
      'fourteen thirty call': '14:30 ?words',
      'seven thirty call': 'none',
      'leave five to twelve': '11:55~ ?words',
      'five to twelve leave now': '11:55~ ?words',
      'bring five to twelve': 'none',
      'meeting 15h': '15:00 ?words',
      'meeting 15 h': '15:00 ?words',
      'meeting 9h': 'none',
      'study 15h': 'none',
      '15h meeting': '15:00 ?words',
      '15h days': 'none',
      'noon backup': '12:00 ?words',
      ' noon backup': '12:00 ?words',
      'midnight blue': 'none',
      'midnight snack make': 'none',
      '14.30 days off': 'none',
    },
    found(doubtfulReaders(NONE)),
  ));

test('a time without a word that says so belongs to the title if the person says so', () =>
  readsAs(
    {
      'meeting 14.30': 'none',
    },
    found(doubtfulReaders(new Set(['words']))),
  ));

test('a price beside a day can be a time', () =>
  readsAs(
    {
      'pay 5.30 sat': '05:30~',
      'pay 5.30, sat': '05:30~',
      'walk 4.20 sat': '04:20~',
      'version 5.30 sat': 'none',
      'pay 5.30 kg sat': 'none',
      'pay 5.30': 'none',
    },
    found(pricedReaders),
  ));
