/** What can stand beside a rule: how often, for how long, without which days, and what the person chose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIn, repeatInShort } from '../../test/words/repeat-in-short.ts';
import { takeDaily } from './find-rule.ts';
import { RemainingText } from './remaining-text.ts';

const TIMES: Readonly<Record<string, string>> = {
  'every tuesday 10 times go': 'weekly tu x10 | go',
  'every tuesday for 10 times go': 'weekly tu x10 | go',
  'every tuesday go, ten times': 'weekly tu x10 | go',
  'go every day x5': 'daily x5 | go',
  'go every day x 12': 'daily x12 | go',
  'go every week 3 times': 'weekly | go 3 times',
  'go every week 7 times': 'weekly | go 7 times',
  'go every week 8 times': 'weekly x8 | go',
  'go every month 4 times': 'monthly | go 4 times',
  'go every month 12 times': 'monthly x12 | go',
  'go every year 4 times': 'yearly | go 4 times',
  'go every year 5 times': 'yearly x5 | go',
  'go every day 10 times': 'daily | go 10 times',
  'go every hour 10 times': 'hourly x10 | go',
  'go every 5 minutes 10 times': 'minutely/5 x10 | go',
  'go every hour 1000 times': 'hourly | go 1000 times',
  'go every morning 5 times': 'daily x5 morning | go',
  'go every 1st 6 times': 'monthly d1 x6 | go',
  'every day at 22:00 ten times go': 'daily | at 22:00 ten times go',
  'go every day at 22:00 ten times': 'daily x10 | go at 22:00',
  'go every day 9am 10 times': 'daily x10 | go 9am',
  'go every day 9 pm 10 times': 'daily x10 | go 9 pm',
  'go every day at noon 10 times': 'daily x10 | go at noon',
  'go every day at midnight 3 times': 'daily x3 | go at midnight',
  "go every day at 5 o'clock 3 times": "daily x3 | go at 5 o'clock",
  'go every day in the morning 3 times': 'daily x3 | go in the morning',
  'go every day in the evening 3 times': 'daily x3 | go in the evening',
  'go every day late at night 3 times': 'daily x3 | go late at night',
  'go every 1st 3 times': 'monthly d1 x3 | go',
  'go every month 5 times': 'monthly x5 | go',
  'go every monday and 3 times': 'weekly mo x3 | go',
};

test('a number of times ends a rule, unless it may be the times in each day, week, month or year', () =>
  assert.deepEqual(readIn(TIMES), TIMES));

const DURATIONS: Readonly<Record<string, string>> = {
  'go every day for 2 weeks': 'daily for 2 week | go',
  'go every day for the next 5 days': 'daily for 5 day | go',
  'go every day for a month': 'daily for 1 month | go',
  'go every day for two fortnights': 'daily for 2 fortnight | go',
  'go every week for 1 year': 'weekly for 1 year | go',
  'go every night for 3 nights': 'daily night for 3 night | go',
};

test('a rule is for so many units of time', () => assert.deepEqual(readIn(DURATIONS), DURATIONS));

test('several times for some days are every day, and without an end no rule', () => {
  const rest = new RemainingText('8am and 8pm for 7 days', 'left');
  assert.deepEqual(takeDaily(rest), { rule: { freq: 'daily' }, duration: { count: 7, unit: 'day' } });
  assert.equal(rest.words(), '8am and 8pm');
  assert.equal(takeDaily(rest), undefined);
});

const EXCEPT: Readonly<Record<string, string>> = {
  'go every day except sunday': 'weekly mo,tu,we,th,fr,sa | go',
  'go every day, except on sat and sun': 'weekly mo,tu,we,th,fr | go',
  'go daily, skip weekends': 'weekly mo,tu,we,th,fr | go',
  'go daily but not on monday': 'weekly tu,we,th,fr,sa,su | go',
  'go daily but not fri': 'weekly mo,tu,we,th,sa,su | go',
  'go daily not the weekend': 'weekly mo,tu,we,th,fr | go',
  'go daily skipping tue': 'weekly mo,we,th,fr,sa,su | go',
  'go daily excluding weekends': 'weekly mo,tu,we,th,fr | go',
  'go every day but sunday': 'weekly mo,tu,we,th,fr,sa | go',
  'go every weekday except friday': 'weekly mo,tu,we,th | go',
  'go every mon, wed and fri except mon': 'weekly we,fr | go',
  'go every monday except monday': 'weekly mo | go except monday',
  'go every 2 days except sunday': 'daily/2 | go except sunday',
  'go every hour except sunday': 'hourly | go except sunday',
  'go except sunday': 'none | go except sunday',
  'go every day except x': 'daily | go except x',
};

test('days of the week are left out of a rule that has others', () => assert.deepEqual(readIn(EXCEPT), EXCEPT));

const ONCE: Readonly<Record<string, string>> = {
  'first tuesday of the month go': 'monthly 1tu | go',
  'on the first tuesday in month go': 'monthly 1tu | go',
  'go the 3rd tue of month': 'monthly 3tu | go',
  'go on the 5th of the month': 'monthly d5 | go',
  'go by the 21st of the month': 'monthly d21 | go',
  'go due the fifth of the month': 'monthly d5 | go',
  'go twenty first of the month': 'monthly d21 | go',
  'go the 5th': 'none | go the 5th',
  'go on the 5th of months': 'none | go on the 5th of months',
};

test('a place in the month is a rule only if the person says so', () => {
  assert.deepEqual(readIn(ONCE, 'once'), ONCE);
  for (const text of Object.keys(ONCE)) assert.equal(repeatInShort(text), `none | ${text}`);
});

const RHYTHM: Readonly<Record<string, string>> = {
  'every second tuesday go': 'weekly/2 tu | ?rhythm | go',
  'biweekly go': 'weekly mo,th | ?rhythm | go',
  'bimonthly go': 'monthly d1,15 | ?rhythm | go',
  'biannually go': 'yearly/2 | ?rhythm | go',
  'semiannually go': 'monthly/6 | go',
  'every tuesday go': 'weekly tu | go',
};

test('the other meaning of a word is read if the person says so', () =>
  assert.deepEqual(readIn(RHYTHM, 'rhythm'), RHYTHM));

const DAYS: Readonly<Record<string, string>> = {
  'go mon wed fri': 'weekly mo,we,fr x3 | ?days | go',
  'go mon wed fri x5': 'weekly mo,we,fr x5 | go',
  'go mon wed fri for 2 weeks': 'weekly mo,we,fr for 2 week | go',
  'go morning and evening': 'daily x2 morning,evening | ?days | go',
  'go on the 5th and 20th': 'monthly d5,20 x2 | ?days | go',
};

test('days that are listed are once each if the person says so, unless the text says how often', () =>
  assert.deepEqual(readIn(DAYS, 'days'), DAYS));

const WORDS: Readonly<Record<string, string>> = {
  'read Tuesdays with Morrie': 'none | read Tuesdays with Morrie',
  'go every tuesday': 'weekly tu | go',
  'go tuesdays': 'weekly tu | go',
};

test('a rule that may be a name is one if the person says so', () => assert.deepEqual(readIn(WORDS, 'words'), WORDS));
