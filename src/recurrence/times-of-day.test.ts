import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { nextElapsed, nextOccurrence, wallTimesAfter } from './occurrences.ts';
import { parseRule } from './parse-rule.ts';
import { type ClockRule, type DayRule, isClockRule } from './rule.ts';

type Written = Record<string, unknown>;

function parseDays(written: Written): DayRule {
  const rule = parseRule(written);
  assert.ok(rule && !isClockRule(rule));
  return rule;
}

function parseClock(written: Written): ClockRule {
  const rule = parseRule(written);
  assert.ok(rule && isClockRule(rule));
  return rule;
}

/** The occurrences from the first on, in UTC. */
function series(written: Written, first: string, length: number): string[] {
  const rule = parseDays(written);
  const start = Temporal.PlainDateTime.from(first);
  const found = [start.toString({ smallestUnit: 'minute' })];
  let after = new Date(`${first}Z`);
  while (found.length < length) {
    const next = nextOccurrence(rule, { first: start, zone: 'UTC' }, after);
    if (next === null) break;
    found.push(next.toISOString().slice(0, 16));
    after = next;
  }
  return found;
}

const TWICE = { freq: 'daily', by_time: ['08:00', '20:00'] };

/** The guarantee, the rule, and the series from its first moment on. */
const SERIES: [string, Written, string[]][] = [
  ['every day has each of its times', TWICE, ['2026-03-02T08:00', '2026-03-02T20:00', '2026-03-03T08:00']],
  ['the first day has only the times after the first moment', TWICE, ['2026-03-02T20:00', '2026-03-03T08:00']],
  [
    'a first moment at another time belongs to the series',
    TWICE,
    ['2026-03-02T14:00', '2026-03-02T20:00', '2026-03-03T08:00'],
  ],
  [
    'the first day has no other times if the rule does not match it',
    { freq: 'weekly', by_weekday: ['mo', 'we'], by_time: ['08:00', '20:00'] },
    ['2026-03-03T08:00', '2026-03-04T08:00', '2026-03-04T20:00', '2026-03-09T08:00'],
  ],
  [
    'every month has each time on its last day',
    { freq: 'monthly', by_month_day: -1, by_time: ['06:30', '22:00'] },
    ['2026-01-31T06:30', '2026-01-31T22:00', '2026-02-28T06:30', '2026-02-28T22:00'],
  ],
  [
    'every other year has each time',
    { freq: 'yearly', interval: 2, by_time: ['07:00', '07:01'] },
    ['2026-05-01T07:00', '2026-05-01T07:01', '2028-05-01T07:00'],
  ],
];
for (const [guarantee, written, expected] of SERIES) {
  test(guarantee, () => assert.deepEqual(series(written, expected[0] ?? '', expected.length), expected));
}

test('count counts occurrences, not days', () => {
  const expected = ['2026-03-02T08:00', '2026-03-02T20:00', '2026-03-03T08:00'];
  assert.deepEqual(series({ ...TWICE, count: 3 }, '2026-03-02T08:00', 9), expected);
});

test('until ends the series between two times of a day', () => {
  const until = '2026-03-03T12:00';
  const expected = ['2026-03-02T20:00', '2026-03-03T08:00'];
  assert.deepEqual(series({ ...TWICE, until }, '2026-03-02T20:00', 9), expected);
});

/** A zone, and the day before its clocks change. */
const CHANGES = [
  ['UTC', '2026-03-01'],
  ['America/New_York', '2026-03-07'],
  ['America/New_York', '2026-10-31'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['Pacific/Apia', '2011-12-29'],
] as const;
const clockTime = (hours: fc.Arbitrary<number>) =>
  fc.tuple(hours, fc.nat({ max: 59 })).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
/** Clocks mostly change in the first hours of the day. */
const clockTimes = fc.oneof(clockTime(fc.nat({ max: 23 })), clockTime(fc.integer({ min: 1, max: 3 })));

test('several times a day occur once each and in the order of time, also when clocks change', () => {
  const cases = fc.record({
    change: fc.constantFrom(...CHANGES),
    by_time: fc.uniqueArray(clockTimes, { minLength: 1, maxLength: 5 }),
    interval: fc.integer({ min: 1, max: 2 }),
  });
  fc.assert(
    fc.property(cases, ({ change: [zone, day], by_time, interval }) => {
      const rule = parseDays({ freq: 'daily', interval, by_time });
      const date = Temporal.PlainDate.from(day);
      const first = date.toPlainDateTime(by_time.toSorted()[0]);
      const walls = [0, 1, 2, 3].flatMap((days) =>
        by_time.map((time) => date.add({ days: days * interval }).toPlainDateTime(time)),
      );
      const instants = walls.map((wall) => wall.toZonedDateTime(zone).epochMilliseconds);
      const expected = [...new Set(instants)].sort((a, b) => a - b);
      const found: number[] = [];
      while (found.length < expected.length) {
        const after = new Date(found.at(-1) ?? Number(expected[0]) - 1);
        found.push(Number(nextOccurrence(rule, { first, zone }, after)));
      }
      assert.deepEqual(found, expected);
    }),
    { numRuns: sized(200, 3_000), seed: 5545 },
  );
});

test('the wall-clock times after a moment are ascending and end with the count', () => {
  const first = Temporal.PlainDateTime.from('2026-03-02T08:00');
  const walls = [...wallTimesAfter(parseDays({ ...TWICE, count: 4 }), first, first.add({ hours: 1 }))].map(String);
  assert.deepEqual(walls, ['2026-03-02T20:00:00', '2026-03-03T08:00:00', '2026-03-03T20:00:00']);
});

const HOUR = 3_600_000;
const at = (text: string) => new Date(text);

test('an hourly rule keeps its distance when clocks change', () => {
  const first = at('2026-03-08T05:30:00Z');
  const known = at('2026-03-08T05:30:00Z');
  const next = nextElapsed(
    parseClock({ freq: 'hourly', interval: 4 }),
    { first, known, zone: 'America/New_York' },
    known,
  );
  assert.equal(next?.toISOString(), '2026-03-08T09:30:00.000Z');
});

const ENDS: [Written, string, string | undefined][] = [
  [{ freq: 'hourly', count: 3 }, '2026-03-02T09:00Z', '2026-03-02T10:00:00.000Z'],
  [{ freq: 'hourly', count: 3 }, '2026-03-02T10:00Z', undefined],
  [{ freq: 'minutely', interval: 30, until: '2026-03-02T09:00' }, '2026-03-02T08:30Z', '2026-03-02T09:00:00.000Z'],
  [{ freq: 'minutely', interval: 30, until: '2026-03-02T09:00' }, '2026-03-02T09:00Z', undefined],
  [{ freq: 'hourly', until: '2026-03-02' }, '2026-03-02T22:10Z', '2026-03-02T23:00:00.000Z'],
  [{ freq: 'hourly', until: '2026-03-02' }, '2026-03-02T23:00Z', undefined],
  [{ freq: 'hourly', until: '2026-03-02T09:59:59Z' }, '2026-03-02T09:00Z', undefined],
  [{ freq: 'hourly' }, '9999-12-31T23:00Z', undefined],
];
for (const [written, after, expected] of ENDS) {
  test(`${JSON.stringify(written)} from 08:00: after ${after} comes ${expected ?? 'nothing'}`, () => {
    const first = at('2026-03-02T08:00Z');
    const next = nextElapsed(parseClock(written), { first, known: first, zone: 'UTC' }, at(after));
    assert.equal(next?.toISOString(), expected);
  });
}

test('the next hourly or minutely occurrence is the first after the given moment, from whichever occurrence it is counted', () => {
  const cases = fc.record({
    freq: fc.constantFrom('hourly' as const, 'minutely' as const),
    interval: fc.integer({ min: 1, max: 1000 }),
    passed: fc.nat({ max: 5000 }),
    later: fc.nat({ max: 1000 * HOUR }),
  });
  fc.assert(
    fc.property(cases, ({ freq, interval, passed, later }) => {
      const rule = parseClock({ freq, interval });
      const step = interval * (freq === 'hourly' ? HOUR : 60_000);
      const first = at('2026-03-02T08:00Z');
      const known = new Date(first.getTime() + passed * step);
      const after = new Date(known.getTime() + later);
      const next = nextElapsed(rule, { first, known, zone: 'UTC' }, after);
      assert.ok(next);
      const ahead = next.getTime() - after.getTime();
      assert.ok(ahead > 0 && ahead <= step, `${ahead} ms ahead`);
      assert.equal((next.getTime() - first.getTime()) % step, 0);
      assert.deepEqual(nextElapsed(rule, { first, known: first, zone: 'UTC' }, after), next);
    }),
    { numRuns: sized(300, 3_000), seed: 5545 },
  );
});
