/** Which half of the day, which day and how often, where the words leave it open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuessKind } from './guess.ts';
import { type ParsedPart, parseTask } from './parse-task.ts';
import { formatIsoDate, formatIsoTime } from './wall-time.ts';

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const NOW = '2026-03-02T09:00:00Z';

const dueOf = (text: string, now: string, more: object) => {
  const { due, recurrence } = parseTask(text, {
    now: Date.parse(now),
    zone: 'Europe/Amsterdam',
    dayFirst: true,
    ...more,
  });
  return { due: due && `${formatIsoDate(due)} ${formatIsoTime(due)}`, recurrence };
};

const MOMENTS: readonly [text: string, due: string, now?: string, more?: object][] = [
  ['pill at 3 in the morning', '2026-03-03 03:00'],
  ['pill tomorrow morning at 2', '2026-03-03 02:00'],
  ['pill every morning at 1', '2026-03-03 01:00'],
  ['pill at 4 in the morning', '2026-03-03 04:00'],
  ['jog at 3', '2026-03-02 15:00'],
  ['wake Bo at 4', '2026-03-03 04:00'],
  ['call tonight at 3', '2026-03-03 03:00'],
  ['call tonight at 8', '2026-03-02 20:00'],
  ['call tonight at 4', '2026-03-03 04:00'],
  ['call tonight at 4', '2026-03-02 16:00', NOW, { choices: new Set(['half']) }],
  ['call tonight at 5', '2026-03-02 17:00'],
  ['call this evening at 3', '2026-03-03 03:00'],
  ['call this evening at 4', '2026-03-02 16:00'],
  ['call friday night at 2am', '2026-03-07 02:00'],
  ['call friday night at 12:30', '2026-03-07 00:30'],
  ['call friday night at 12:30', '2026-03-06 12:30', NOW, { choices: new Set(['half']) }],
  ['call tonight at 0:30', '2026-03-03 00:30', NOW, { choices: new Set(['half']) }],
  // In the night itself, it is the one that goes on.
  ['call tonight at 3', '2026-03-02 03:00', '2026-03-02T00:30:00Z'],
  ['call tonight at 1', '2026-03-03 01:00', '2026-03-02T00:30:00Z'],
  ['call tonight at 4', '2026-03-02 04:00', '2026-03-02T02:59:00Z'],
  ['call tonight at 4:30', '2026-03-02 04:30', '2026-03-02T03:10:00Z'],
  ['call tomorrow night at 3', '2026-03-04 03:00', '2026-03-02T00:30:00Z'],
  ['feed every day tonight at 1', '2026-03-03 01:00'],
  ['feed every day starting tomorrow night at 1', '2026-03-04 01:00'],
  ['feed every night at 4', '2026-03-02 04:00', '2026-03-02T00:30:00Z'],
  ['feed tomorrow night at 10 and 1', '2026-03-03 22:00'],
  // After midnight it is Saturday.
  ['feed every friday night at 1', '2026-03-07 01:00'],
  ['feed every friday night at 1', '2026-03-07 01:00', '2026-03-06T23:30:00Z'],
  ['feed every friday night at 1', '2026-03-14 01:00', '2026-03-07T00:30:00Z'],
  ['feed every friday night at 1', '2026-03-06 13:00', NOW, { choices: new Set(['half']) }],
  ['feed every friday evening at 12:30', '2026-03-07 00:30'],
  ['feed every sunday night at 2am', '2026-03-09 02:00'],
  ['feed tonight at 2 and 5', '2026-03-03 02:00'],
  ['look every hour tonight from 10 to 2', '2026-03-02 22:00'],
  ['look every hour this evening from 22 to 2', '2026-03-02 22:00'],
  ['look every hour tonight from 12 to 3', '2026-03-03 00:00'],
  ['look every hour tomorrow night from 1 to 4', '2026-03-04 01:00'],
  ['look every hour starting tonight at 1', '2026-03-03 01:00'],
  ['look every hour tomorrow night from 8:00 to 10:00', '2026-03-03 20:00'],
  ['look every 2 hours tonight from 11am to 5pm', '2026-03-02 11:00'],
  ['call tonight at 11 every hour until 3', '2026-03-02 23:00'],
  ['walk this afternoon', '2026-03-02 17:00', '2026-03-02T15:30:00Z'],
  ['walk this afternoon', '2026-03-02 18:00', '2026-03-02T16:30:00Z'],
  // It is over, so it is said of a moment that has passed.
  ['walk this afternoon', '2026-03-02 15:00', '2026-03-02T17:00:00Z'],
  ['walk this afternoon', '2026-03-02 15:00', NOW, { dayStart: '07:30' }],
  ['walk tomorrow morning', '2026-03-03 07:30', NOW, { dayStart: '07:30' }],
  ['stretch at 8am every hour until 5pm', '2026-03-03 08:00'],
  ['stretch at 11am every hour until 5pm', '2026-03-02 11:00'],
  ['call 30 minutes before 0:15 every day', '2026-03-02 23:45'],
  ['drink every 4 hours after done between 8:00 and 22:00', '2026-03-02 14:00'],
  ['drink every 4 hours after done between 8:00 and 22:00', '2026-03-02 22:00', '2026-03-02T17:00:00Z'],
  ['drink every 4 hours after done between 8:00 and 22:00', '2026-03-03 08:00', '2026-03-02T17:01:00Z'],
  ['drink every 4 hours after done between 8:00 and 22:00', '2026-03-02 08:00', '2026-03-02T01:00:00Z'],
  // Six years without a 29 February.
  ['party every feb 29', '2104-02-29 12:00', '2096-03-02T09:00:00Z'],
];

for (const [text, due, now = NOW, more = {}] of MOMENTS)
  test(`“${text}”, written at ${now}, is due at ${due}`, () => assert.equal(dueOf(text, now, more).due, due));

test('times are in the order of the day, and what ends after some days is counted in whole steps', () => {
  const rule = (text: string) => dueOf(text, NOW, {}).recurrence;
  assert.deepEqual(rule('pills daily at 8:45, 8:15 and 20:00')?.by_time, ['08:15', '08:45', '20:00']);
  assert.deepEqual(rule('feed tonight at 10 and 1'), { freq: 'daily', by_time: ['01:00', '22:00'], count: 2 });
  assert.deepEqual(rule('feed tonight at 2 and 5')?.by_time, ['02:00', '05:00']);
  assert.deepEqual(rule('feed tonight at 2 and 8')?.by_time, ['02:00', '20:00']);
  assert.equal(rule('drink every 5 hours for 2 days')?.count, 10);
  assert.equal(rule('drink every 4 hours for 5 days')?.count, 30);
  // Counted from when it is done, nobody knows how often.
  assert.deepEqual(rule('drink every 4 hours after done for 5 days'), {
    freq: 'hourly',
    interval: 4,
    from: 'completion',
    until: '2026-03-06',
  });
});

test('a part that the person rejects is not read again through another one', () => {
  const parse = (text: string, more: object) =>
    parseTask(text, { now: Date.parse(NOW), zone: 'Europe/Amsterdam', dayFirst: true, ...more });
  const nagging = (more: object) => {
    const { mustNotMiss, ladder } = parse('bins tomorrow 8pm nag every 2 minutes', more);
    return [mustNotMiss, ladder?.every];
  };
  const choices = new Set(['wait']);
  assert.deepEqual(nagging({ choices }), [true, 2]);
  assert.deepEqual(nagging({ choices, ignored: new Set(['mustNotMiss']) }), [false, 5]);
  const series = parse('stretch every hour until 5pm', { ignored: new Set(['due']) });
  assert.deepEqual([series.title, series.recurrence?.count], ['stretch until 5pm', undefined]);
  const twice = parse('pills 8am and 8pm', { ignored: new Set(['recurrence']) });
  assert.deepEqual([twice.title, twice.due?.hour, twice.recurrence], ['pills', 20, null]);
});

/** What stays open when one part is rejected, or another reading is chosen: the title, and what is still read. */
const REJECTED: readonly [text: string, rejected: string, left: string][] = [
  ['rent every month on the 1st 9am 2 days before !!', 'due', 'rent 9am | 04-01 | monthly | must | 2'],
  ['rent every month on the 1st 9am 2 days before !!', 'recurrence', 'rent every month | 04-01 09:00 | must | 2'],
  [
    'rent every month on the 1st 9am 2 days before !!',
    'leadDays',
    'rent 2 days before | 04-01 09:00 | monthly | must | left',
  ],
  ['rent every month on the 1st 9am 2 days before !!', 'mustNotMiss', 'rent !! | 04-01 09:00 | monthly | 2'],
  ['call mum monday or tuesday 10am', 'due', 'call mum monday or tuesday 10am'],
  ['call mum monday or tuesday 10am', 'recurrence', 'call mum | 03-09 10:00'],
  ['stretch every hour from 9 to 17', 'due', 'stretch from 9 to 17 | 03-02 11:00 | hourly'],
  ['stretch every hour from 9 to 17', 'recurrence', 'stretch every hour | 03-03 09:00'],
  ['every hour from 9 to 5 on weekdays stretch', 'due', 'every hour from 9 to 5 stretch | 03-02 | weekly'],
  ['every hour from 9 to 5 on weekdays stretch', 'recurrence', 'every hour on weekdays stretch | 03-03 09:00'],
  ['stretch every 15 minutes until 6pm', 'due', 'stretch until 6pm | 03-02 10:15 | minutely'],
  ['stretch every 15 minutes until 6pm', 'recurrence', 'stretch every 15 minutes | 03-02 18:00'],
  ['gym every monday until october', 'due', 'gym | 03-02 | weekly until 2026-09-30'],
  ['gym every monday until october', 'recurrence', 'gym until october | 03-09'],
  ['pills 8am and 8pm for 7 days', 'due', 'pills 8am and 8pm for 7 days'],
  ['sync 9am EST tomorrow', 'due', 'sync 9am EST tomorrow'],
  ['sync every weekday 9am EST', 'due', 'sync 9am EST | 03-02 | weekly'],
  ['sync every weekday 9am EST', 'recurrence', 'sync every weekday | 03-02 15:00'],
  ['bins tomorrow 8pm, gently', 'due', 'bins tomorrow 8pm, gently'],
  ['bins tomorrow 8pm, gently', 'ladder', 'bins, gently | 03-03 20:00'],
  ['bins nag me every 10 minutes', 'due', 'bins | nags'],
  ['bins nag me every 10 minutes', 'ladder', 'bins nag me | 03-02 10:10 | minutely'],
  ['bins nag me every 10 minutes', '?begin', 'bins | nags'],
  ['bins nag me every day until done', '', 'bins | 03-02 | nags'],
  ['bins nag me every day until done', '?begin', 'bins | nags'],
  ['bins insist until done', '', 'bins | nags'],
  ['call Bo 5pm just once', 'due', 'call Bo 5pm just once'],
  ['call Bo 5pm just once', 'once', 'call Bo just once | 03-02 17:00'],
  ['passport 20 May a week before', 'due', 'passport 20 May a week before'],
  ['passport 20 May a week before', 'leadDays', 'passport a week before | 05-20 | left'],
  ['call in 20 minutes', 'due', 'call in 20 minutes'],
  ['call in 20 minutes', 'recurrence', 'call | 03-02 10:20'],
  ['gym daily monday or tuesday', 'due', 'gym monday or tuesday | 03-02 | daily'],
  ['bins every day, gently', '', 'bins | 03-02 | daily | nags'],
  ['gym twice a week every monday', '?left', 'gym twice a week every monday'],
  ['call friday, no, saturday 5pm', '?left', 'call friday, no, saturday 5pm'],
];

test('of a text without one of its parts, the others are read as before, and its words stay', () => {
  const short = (text: string, rejected: string): string => {
    const [ignored, choices] = rejected.startsWith('?') ? [[], [rejected.slice(1)]] : [[rejected], []];
    const task = parseTask(text, {
      now: Date.parse(NOW),
      zone: 'Europe/Amsterdam',
      dayFirst: true,
      ignored: new Set(ignored as ParsedPart[]),
      choices: new Set(choices as GuessKind[]),
    });
    const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays, ladder, guesses } = task;
    const day = due && formatIsoDate(due).slice('2026-'.length);
    const rule =
      recurrence && [recurrence.freq, recurrence.until && `until ${recurrence.until}`].filter(Boolean).join(' ');
    const when = due && [day, hasTime && formatIsoTime(due)].filter(Boolean).join(' ');
    const isLeft = guesses.some(({ kind }) => kind === 'left');
    const marks = [mustNotMiss && 'must', once && 'once', leadDays, ladder && 'nags', isLeft && 'left'];
    return [title, when, rule, ...marks].filter(Boolean).join(' | ');
  };
  for (const [text, rejected, left] of REJECTED)
    assert.equal(short(text, rejected), left, `${text} without ${rejected}`);
});

test('a heads-up without a moment stays in the title, whatever its days', () => {
  for (const text of ['call Bo 1 day before', 'call Bo 2 days before', 'call Bo just once']) {
    const { title, leadDays, once } = parseTask(text, { now: Date.parse(NOW), zone: 'UTC', dayFirst: true });
    assert.deepEqual([title, leadDays, once], [text, null, false]);
  }
});

test('a rule about nights has the days after them where the time is after midnight', () => {
  const rule = (text: string, more = {}) => dueOf(text, NOW, more).recurrence;
  assert.deepEqual(rule('feed every friday night at 1'), { freq: 'weekly', by_weekday: ['sa'] });
  assert.deepEqual(rule('feed every friday night at 1', { choices: new Set(['half']) })?.by_weekday, ['fr']);
  assert.deepEqual(rule('feed every friday night at 10')?.by_weekday, ['fr']);
  assert.deepEqual(rule('feed every sunday night at 2am')?.by_weekday, ['mo']);
  assert.deepEqual(rule('feed every weekday night at 1')?.by_weekday, ['tu', 'we', 'th', 'fr', 'sa']);
  assert.deepEqual(rule('feed every night at 1'), { freq: 'daily' });
});

test('what is done every hour of a night begins in the evening and ends after midnight', () => {
  const rule = (text: string) => dueOf(text, NOW, {}).recurrence;
  assert.deepEqual(rule('look every hour tonight from 10 to 2'), { freq: 'hourly', count: 5 });
  assert.deepEqual(rule('look every hour this evening from 7 to 9'), {
    freq: 'daily',
    by_time: ['19:00', '20:00', '21:00'],
    until: '2026-03-02',
  });
  assert.deepEqual(rule('look every hour tonight from 1 to 3'), {
    freq: 'daily',
    by_time: ['01:00', '02:00', '03:00'],
    until: '2026-03-03',
  });
});
