/** What words mean before they are part of a sentence: numbers, days, a choice between two, and what fits into a title. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternativesIn } from './alternatives.ts';
import { fitTitle, joinNotes } from './fit-title.ts';
import {
  allOf,
  COUNT,
  COUNT_WORD,
  DAY_NAME,
  DIGIT_WORD,
  LATE_HOUR,
  listOf,
  MONTH,
  monthOf,
  numberOf,
  ORDINAL,
  ORDINAL_DAY,
  ordinalOf,
  PART_ENDS,
  PART_HOURS,
  SHORT_WORDS,
  TOMORROW,
  WEEKDAY,
  weekdayCode,
  weekdayIndex,
} from './lexicon.ts';
import { WEEKDAY_CODES, WEEKDAY_NAMES } from './names.ts';

type Table<T> = Readonly<Record<string, T>>;

/** All of a table in one step, so that a failure shows each line that is wrong. */
function readsAs<T>(table: Table<T>, read: (text: string) => T): void {
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((text) => [text, read(text)])), table);
}

const CHOICES: Table<string> = {
  'vet mon or tue 10am': 'vet mon 10am | vet tue 10am',
  'thursday or friday night call': 'thursday night call | friday night call',
  'today or tomorrow': 'today | tomorrow',
  'either on monday or on tuesday x': 'monday x | tuesday x',
  'sat / sun hike': 'sat hike | sun hike',
  'mon, tue or wed gym': 'mon gym | wed gym',
  'at 3 or 4 pm': 'at 3 pm | at 4 pm',
  'at 9 or 10': 'at 9 | at 10',
  'in 2 or 3 days': 'in 2 days | in 3 days',
  '5 or 6 june': '5 june | 6 june',
  'june 5 or 6': 'june 5 | june 6',
  '5pm or 6pm': '5pm | 6pm',
  '5 or 6 pm': '5 pm | 6 pm',
  'the 5th or 6th': 'the 5th | 6th',
  'on the 5th or the 6th': 'on the 5th | on the 6th',
  'this or next week': 'this week | next week',
  'next or this friday': 'next friday | this friday',
  'in may or june': 'in may | in june',
  'in the morning or evening': 'in the morning | in the evening',
  'monday morning or afternoon': 'monday morning | monday afternoon',
  'tomorrow at 9 or 10 call': '',
  'black or white': '',
  'read 5 or 6 pages': '',
  '9:30 or 10:15': '9:30 | 10:15',
  'Monday or maybe Tuesday': 'Monday | Tuesday',
  'noon or midnight': 'noon | midnight',
  'this week or next week': 'this week | next week',
  'call at 5 or 6 o’clock': 'call at 5 o’clock | call at 6 o’clock',
  'this spring or summer': '',
  'by june or july': 'by june | by july',
  'at 9 or 10 tomorrow': 'at 9 tomorrow | at 10 tomorrow',
  'x monday or': '',
  'every 2 or 3 days': 'every 2 days | every 3 days',
  'trick or treat friday': '',
  'tea or coffee': '',
  'friday or so': '',
  '5/6': '',
  'monday or else tuesday': 'monday | tuesday',
  'mon or tuesday night': 'mon night | tuesday night',
  'day or night': '',
  '1st or 2nd may': '1st may | 2nd may',
  'at 5 or at 6pm': 'at 5pm | at 6pm',
  'early may or june': 'early may | early june',
  'next may or june': 'next may | next june',
  'monday evening or night': 'monday evening | monday night',
  'in the morning or in the evening': 'in the morning | in the evening',
  'at 9, or maybe 10': 'at 9 | at 10',
  '5 or 6 o’clock': '5 o’clock | 6 o’clock',
  'in 2 or 3 weeks': 'in 2 weeks | in 3 weeks',
  'jan 5 or 6': 'jan 5 | jan 6',
  'tuesday 5 or 6': 'tuesday 5 | tuesday 6',
  'around 5 or 6': 'around 5 | around 6',
  'the 5th of may or 6 june': 'the 5th of may | the 6 june',
  'next month or this month': 'next month | this month',
  '9am, or 10am': '9am | 10am',
  'xmonday or tuesday': '',
  'monday or tuesdayx': '',
  '5 or 6:30': '',
  '3 or 4th june': '3 june | 4th june',
  'friday evening or saturday': 'friday evening | saturday',
  'tomorrow or friday night': 'tomorrow night | friday night',
  '5pm or friday night': '5pm | friday night',
  'MON OR TUE': 'MON | TUE',
  'on the 5th or 6th of may': 'on the 5th | on 6th of may',
  'by 5 or 6': 'by 5 | by 6',
};

test('a choice between two moments is both of them, each with what stands around it', () =>
  readsAs(CHOICES, (text) => alternativesIn(text)?.join(' | ') ?? ''));

test('a word is the number that it names', () => {
  readsAs<number>(
    {
      a: 1,
      An: 1,
      other: 2,
      alternate: 2,
      couple: 2,
      last: -1,
      few: 3,
      'a few': 3,
      '3': 3,
      '3rd': 3,
      third: 3,
      'twenty-first': 21,
      'twenty first': 21,
      'twenty  first': 21,
      'forty  five': 45,
      'thirty-first': 31,
      thirtieth: 30,
      nineteen: 19,
      'forty-five': 45,
      'forty five': 45,
      forty: 40,
      ninety: 90,
      'ninety nine': 99,
      'ten five': Number.NaN,
      'twenty ten': 30,
      blue: Number.NaN,
      zero: Number.NaN,
      '100': 100,
      '12th': 12,
      twelve: 12,
    },
    numberOf,
  );
  readsAs<number | undefined>(
    {
      last: -1,
      '1st': 1,
      '12th': 12,
      first: 1,
      fifth: 5,
      sixth: undefined,
      'second to last': -2,
      '2nd to last': -2,
      '0th': undefined,
      '100th': 100,
      '1000th': undefined,
      'last to last': undefined,
      blue: undefined,
    },
    ordinalOf,
  );
});

test('a weekday is known by its first letters, unless they could be two days, and a month by three', () => {
  readsAs<string | undefined>(
    {
      m: undefined,
      mo: 'mo',
      mon: 'mo',
      Monday: 'mo',
      mondays: 'mo',
      monda: 'mo',
      mondayx: undefined,
      tues: 'tu',
      thurs: 'th',
      thu: 'th',
      xx: undefined,
      sat: 'sa',
      su: 'su',
    },
    weekdayCode,
  );
  assert.deepEqual(['Mon', 'tu', 'sunday', 'x'].map(weekdayIndex), [0, 1, 6, -1]);
  assert.deepEqual(['jan', 'sept', 'December', 'foo'].map(monthOf), [1, 9, 12, 0]);
});

test('a title is cut after a sentence, between words, or in a word, and no letter is lost', () => {
  const word = 'abcdefghi ';
  const just = '𝒳'.repeat(200);
  assert.deepEqual(fitTitle(just), { title: just, rest: '' });
  const [long, none] = [`${just}y`, 'y'.repeat(201)];
  assert.deepEqual(fitTitle(none), { title: `${'y'.repeat(199)}…`, rest: '…yy' });
  assert.equal([...fitTitle(long).title].length, 200);
  const between = fitTitle(word.repeat(30));
  assert.deepEqual(between, { title: `${word.repeat(19).trim()}…`, rest: `…${word.repeat(11)}` });
  const sentence = `${word.repeat(12)}end.`;
  assert.deepEqual(fitTitle(`${sentence}\n${word.repeat(20)}`), { title: sentence, rest: word.repeat(20).trim() });
  const just120 = `${word.repeat(11)}abcdefghi.`;
  assert.equal(fitTitle(`${just120} ${word.repeat(20)}`).title, just120);
  // A sentence of a few words says too little.
  assert.equal(fitTitle(`Hi! ${word.repeat(30)}`).title, `Hi! ${word.repeat(19).trim()}…`);
  assert.equal(fitTitle(`${'z'.repeat(119)} ${'y'.repeat(100)}`).title, `${'z'.repeat(119)} ${'y'.repeat(79)}…`);
  assert.equal(fitTitle(`${'z'.repeat(120)} ${'y'.repeat(100)}`).title, `${'z'.repeat(120)}…`);
});

test('notes are what there is of them, and no longer than the service takes', () => {
  assert.deepEqual([joinNotes('', ''), joinNotes('a', ''), joinNotes('a', 'b')], [null, 'a', 'a\n\nb']);
  assert.equal(joinNotes('x'.repeat(10_001)), 'x'.repeat(10_000));
});

function inOrder(words: string, first = 1): void {
  for (const [index, word] of words.split(' ').entries()) assert.equal(numberOf(word), first + index, word);
}

test('every count and every day of a month has a word', () => {
  inOrder('one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen');
  inOrder('eighteen nineteen twenty twenty-one', 18);
  const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
  assert.deepEqual(tens.map(numberOf), [20, 30, 40, 50, 60, 70, 80, 90]);
  inOrder('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth');
  inOrder('fifteenth sixteenth seventeenth eighteenth nineteenth twentieth', 15);
  inOrder('twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh', 21);
  inOrder('twenty-eighth twenty-ninth thirtieth thirty-first', 28);
});

test('the patterns of words take these as a whole, and no others', () => {
  const isWhole = (source: string, word: string) => new RegExp(`^${source}$`).test(word.replaceAll('_', ' '));
  const takes = (source: string, words: string, others: string) => {
    for (const word of words.split(' ')) assert.ok(isWhole(source, word), `${word} is one`);
    for (const word of others.split(' ')) assert.ok(!isWhole(source, word), `${word} is none`);
  };
  takes(ORDINAL_DAY, 'first twenty-first twenty_first thirtieth thirty-first sixth ninth', 'twenty thirty-second 1st');
  takes(
    COUNT,
    '5 123 a an one twelve fifteen twenty forty-five forty_five ninety a_couple couple_of other',
    '1234 few',
  );
  takes(COUNT_WORD, 'one twelve', 'thirteen a');
  takes(DIGIT_WORD, 'one nine', 'ten zero');
  takes(LATE_HOUR, 'thirteen nineteen twenty twenty-one twenty_three', 'twelve twenty-four thirty');
  takes(ORDINAL, '1st 22nd 3rd 11th first fifth last', 'sixth 1 123rd');
  takes(
    WEEKDAY,
    'monday mondays mon tue tues wed weds thu thur thurs fri sat sun wednesday wensday wenesday',
    'mo frid',
  );
  takes(DAY_NAME, 'monday tuesday wednesday wenesday thursday friday saturday sunday', 'mondays fri');
  takes(MONTH, 'jan january feb february febuary mar april may jun june july aug sep sept september dec', 'ja mars');
  takes(TOMORROW, 'tomorrow tommorow tomorow tmrw tmr tmw', 'morrow tomorrrow');
  const day = new RegExp(DAY_NAME);
  for (const name of ['black friday', 'good  friday', 'easter monday', 'palm sunday', 'man friday', 'taco tuesday'])
    assert.ok(!day.test(name), name);
  for (const text of ['call friday', 'a goody friday']) assert.ok(day.test(text), text);
  const short = ['sat', 'Sun', 'wed', 'weds', 'mon', 'for sat', 'by  sun', 'before mon', 'from wed'];
  assert.deepEqual(
    short.filter((word) => !SHORT_WORDS.test(word)),
    [],
  );
  const long = ['saturday', 'fri', 'a sat', 'for  a sat', 'wedss', 'forsat', 'sat at 5'];
  assert.deepEqual(
    long.filter((word) => SHORT_WORDS.test(word)),
    [],
  );
});

test('a list holds twelve words at most, and its words are found in any case', () => {
  const whole = new RegExp(`^${listOf('day')}$`);
  for (const text of ['day', 'day, day', 'day,and day', 'day and day', 'day&day', 'day / day + day', 'day , and day'])
    assert.ok(whole.test(text), text);
  for (const text of ['day day', 'dayandday', 'day,, day']) assert.ok(!whole.test(text), text);
  const many = (count: number) => Array(count).fill('day').join(', ');
  assert.deepEqual(
    [12, 13].map((count) => whole.test(many(count))),
    [true, false],
  );
  assert.deepEqual(allOf('first day|week', 'First  day, weeks WEEK'), ['First  day', 'WEEK']);
});

test('a part of the day stands for one hour, and is over later', () => {
  assert.deepEqual(PART_HOURS, { morning: 9, noon: 12, afternoon: 15, evening: 19, night: 21 });
  assert.deepEqual(PART_ENDS, { morning: 12, noon: 14, afternoon: 18, evening: 24, night: 24 });
  assert.deepEqual(
    WEEKDAY_NAMES.map((name) => weekdayCode(name)),
    WEEKDAY_CODES,
  );
  assert.equal(WEEKDAY_CODES.join(' '), 'mo tu we th fr sa su');
});
