/** What a rule in words says about dates: where it can begin, what a rhythm means, and how often it fires. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ladderEvery } from './ladder-wait.ts';
import { beginsOn, isWithinDay, type Recurrence, stepMinutes } from './recurrence.ts';
import { everySoMany, rhythmOf } from './rhythms.ts';
import { foldKey, frequencyOf, isAmbiguousKey } from './rule-keys.ts';
import { dayRange, daysIn, intervalOf, lettersIn, partsIn, placesIn, TIMES_PER_DAY } from './rule-words.ts';
import { stoppedSeries } from './stopped-series.ts';
import { toInstant, type WallTime } from './wall-time.ts';

const wall = (text: string): WallTime => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/).map(Number);
  return { year, month, day, hour, minute };
};

/** The days of March 2026, which begins on a Sunday, or of February 2028. */
const BEGINS: [rule: Recurrence, days: number[], month?: string][] = [
  [{ freq: 'weekly', by_weekday: ['mo'] }, [2, 9, 16, 23, 30]],
  [{ freq: 'weekly', by_weekday: ['sa', 'su'] }, [1, 7, 8, 14, 15, 21, 22, 28, 29]],
  [{ freq: 'monthly', by_weekday: ['1su'] }, [1]],
  [{ freq: 'monthly', by_weekday: ['2sa', '-1tu'] }, [14, 31]],
  [{ freq: 'monthly', by_weekday: ['-5su'] }, [1]],
  [{ freq: 'monthly', by_weekday: ['5tu'] }, [31]],
  [{ freq: 'monthly', by_month_day: [1, 31] }, [1, 31]],
  [{ freq: 'monthly', by_month_day: [-1, -31] }, [1, 31]],
  [{ freq: 'monthly', by_month_day: [-1] }, [29], '2028-02'],
  [{ freq: 'monthly', by_weekday: ['fr'], by_month_day: [13] }, [13]],
  [{ freq: 'monthly', by_weekday: ['mo', 'tu', 'we', 'th', 'fr'], by_set_pos: [-1] }, [31]],
  [{ freq: 'monthly', by_weekday: ['mo', 'tu', 'we', 'th', 'fr'], by_set_pos: [1, 2] }, [2, 3]],
  [{ freq: 'monthly', by_month_day: [10, 20, 30], by_set_pos: [2] }, [20]],
  [{ freq: 'weekly', by_weekday: ['mo'], by_set_pos: [1] }, [2, 9, 16, 23, 30]],
  [{ freq: 'yearly', by_month: [3], by_month_day: [5] }, [5]],
  [{ freq: 'yearly', by_month: [4], by_month_day: [5] }, []],
];

test('a rule begins on the days that it names', () => {
  for (const [rule, days, month = '2026-03'] of BEGINS) {
    const last = month === '2026-03' ? 31 : 29;
    const all = Array.from({ length: last }, (_, index) => index + 1);
    const found = all.filter((day) => beginsOn(rule, wall(`${month}-${day}`)));
    assert.deepEqual(found, days, JSON.stringify(rule));
  }
});

test('hours and minutes are within a day, and have a step', () => {
  const within = (['minutely', 'hourly', 'daily', 'weekly'] as const).map((freq) => isWithinDay({ freq }));
  assert.deepEqual([...within, isWithinDay(null)], [true, true, false, false, false]);
  assert.deepEqual(
    [stepMinutes({ freq: 'hourly', interval: 2 }), stepMinutes({ freq: 'hourly' }), stepMinutes({ freq: 'minutely' })],
    [120, 60, 1],
  );
  assert.equal(stepMinutes(), 1);
});

test('a series of minutes ends at its last moment, and begins within one step', () => {
  const zone = 'UTC';
  const now = toInstant(wall('2026-03-02T09:07'), zone);
  const series = (interval: number, end: string, start?: string) => {
    const span = { start: start === undefined ? undefined : wall(start), end: toInstant(wall(end), zone), now, zone };
    const { rule, due } = stoppedSeries({ freq: 'minutely', interval }, span);
    return [rule.count, rule.interval, due];
  };
  assert.deepEqual(series(15, '2026-03-02T10:00'), [4, 15, wall('2026-03-02T09:15')]);
  assert.deepEqual(series(15, '2026-03-02T09:22'), [1, 15, wall('2026-03-02T09:22')]);
  assert.deepEqual(series(15, '2026-03-02T10:10', '2026-03-02T09:30'), [3, 15, wall('2026-03-02T09:30')]);
  assert.deepEqual(series(15, '2026-03-02T10:15', '2026-03-02T09:30'), [4, 15, wall('2026-03-02T09:30')]);
  assert.equal(series(1, '2026-12-02T10:15')[0], 10_000);
  assert.equal(series(1, '2026-12-02T10:15', '2026-03-02T09:30')[0], 10_000);
});

const WORK_WEEK = ['mo', 'tu', 'we', 'th', 'fr'];
const RHYTHMS: Readonly<Record<string, Recurrence | undefined>> = {
  min: { freq: 'minutely' },
  mins: { freq: 'minutely' },
  minute: { freq: 'minutely' },
  h: { freq: 'hourly' },
  hrs: { freq: 'hourly' },
  Hours: { freq: 'hourly' },
  'every day': { freq: 'daily' },
  Weekdays: { freq: 'weekly', by_weekday: WORK_WEEK },
  'work-day': { freq: 'weekly', by_weekday: WORK_WEEK },
  business_days: { freq: 'weekly', by_weekday: WORK_WEEK },
  weekends: { freq: 'weekly', by_weekday: ['sa', 'su'] },
  fortnight: { freq: 'weekly', interval: 2 },
  fortnightly: { freq: 'weekly', interval: 2 },
  quarters: { freq: 'monthly', interval: 3 },
  quarterly: { freq: 'monthly', interval: 3 },
  'half  yearly': { freq: 'monthly', interval: 6 },
  biweekly: undefined,
  smin: undefined,
};

test('a rhythm is one word, however it is written', () => {
  for (const [word, rule] of Object.entries(RHYTHMS)) assert.deepEqual(rhythmOf(word), rule, word);
  assert.deepEqual(everySoMany('week', 3), { freq: 'weekly', interval: 3 });
  assert.deepEqual(everySoMany('week', 1), { freq: 'weekly' });
  assert.deepEqual(everySoMany('fortnight', 2), { freq: 'weekly', interval: 4 });
  assert.deepEqual(everySoMany('quarter', 1), { freq: 'monthly', interval: 3 });
  assert.deepEqual(everySoMany('blue moon', 2), { freq: 'daily', interval: 2 });
});

test('days, places and parts of the day are found among the words of a rule', () => {
  assert.deepEqual(daysIn('monday, Wed and sundays and mon'), ['mo', 'we', 'su']);
  assert.deepEqual(placesIn('first and third monday, last friday'), ['1mo', '3mo', '-1fr']);
  assert.deepEqual(lettersIn('MWF'), ['mo', 'we', 'fr']);
  assert.deepEqual(lettersIn('tth'), ['tu', 'th']);
  assert.deepEqual(lettersIn('tuth'), ['tu', 'th']);
  assert.deepEqual(lettersIn('m-f'), WORK_WEEK);
  assert.deepEqual(partsIn('Mornings and evening'), { parts: ['morning', 'evening'] });
  assert.deepEqual([partsIn('daily'), partsIn()], [{}, {}]);
  assert.deepEqual(dayRange('tue', 'thu'), ['tu', 'we', 'th']);
  assert.deepEqual(dayRange('sat', 'mon'), ['sa', 'su', 'mo']);
  assert.deepEqual(dayRange('fri', 'fri'), ['fr']);
  assert.deepEqual(
    [intervalOf(undefined), intervalOf('1'), intervalOf('other'), intervalOf('3')],
    [{}, {}, { interval: 2 }, { interval: 3 }],
  );
});

test('so many times a day are spread over it, in order and within waking hours', () => {
  assert.equal(TIMES_PER_DAY.length, 7);
  for (const [count, times] of TIMES_PER_DAY.entries()) {
    assert.equal(times.length, count);
    assert.deepEqual([...new Set(times)].sort(), times);
    for (const time of times) assert.match(time, /^(?:0[89]|1\d|2[01]):[03]0$/);
  }
});

test('a ladder of one wait slows down if the wait is short, and repeats its last rung', () => {
  const waits = (minutes: number) => ladderEvery(minutes).rungs.map(({ after }) => after);
  assert.deepEqual(waits(10), [0, 10, 10, 10, 10, 10]);
  assert.deepEqual(waits(5), [0, 5, 5, 5, 5, 5]);
  assert.deepEqual(waits(4), [0, ...Array(18).fill(4), 10]);
  const { rungs, end } = ladderEvery(10);
  assert.deepEqual([rungs.map(({ stage }) => stage), end], [[0, 1, 1, 1, 1, 2], { repeat_last: 1, times: null }]);
  assert.deepEqual(
    ladderEvery(4)
      .rungs.map(({ stage }) => stage)
      .slice(5),
    Array(15).fill(2),
  );
});

test('a key or a frequency is known in every spelling, up to 20 letters', () => {
  assert.deepEqual(['by_day', 'byDay', 'BY-DAY'].map(foldKey), Array(3).fill('byday'));
  assert.deepEqual(['Type', 'unit', 'every', 'freq', 'interval'].map(isAmbiguousKey), [true, true, true, false, false]);
  const words = 'minutely minute hourly days Weekly months years annual annually'.split(' ');
  assert.deepEqual(
    words.map(frequencyOf),
    'minutely minutely hourly daily weekly monthly yearly yearly yearly'.split(' '),
  );
  for (const word of [7, null, 'constructor', ' daily', 'x'.repeat(21)]) assert.equal(frequencyOf(word), undefined);
});
