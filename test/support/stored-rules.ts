/** Everything that the service can store as a rule, and some that it refuses. */
import fc from 'fast-check';
import { KEY_SPELLINGS } from '../../src/words/rule-keys.ts';

const DAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'];
const some = <T>(values: fc.Arbitrary<T>, maxLength = 4) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.uniqueArray(values, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.uniqueArray(values, { minLength: 1, maxLength, size: 'max' }) },
  );
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((number) => number !== 0);
const oneToSeven = fc.constantFrom(...DAYS, 'Mon', 'TUESDAY', 'thu');
const weekday = fc.oneof(
  oneToSeven,
  fc.tuple(signed(5), oneToSeven).map(([nth, day]) => `${nth}${day}`),
  fc.tuple(signed(53), oneToSeven).map(([nth, day]) => `${nth > 0 ? '+' : ''}${nth}${day}`),
);
const clockTime = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const UNTILS = [
  '2027-02-28',
  '2027-02-28T18:30',
  '2027-02-28T18:30:15.5',
  '2027-02-28T18:30:00Z',
  '2027-02-28t18:30:00.25+05:30',
  '9999-12-31T23:00:00-10:00',
  '0000-01-01T00:00+10:00',
];

/** Everything that the API stores as a rule in its object form, in any spelling of the keys. */
const objects = fc
  .record({
    freq: fc.constantFrom('daily', 'Weekly', 'monthly', 'YEARLY', 'hourly', 'minutely', 'annually', 'weeks'),
    interval: maybe(fc.integer({ min: 1, max: 1_000 })),
    byWeekday: maybe(some(weekday, 80)),
    byMonthDay: maybe(some(signed(31), 62)),
    byMonth: maybe(some(fc.integer({ min: 1, max: 12 }), 12)),
    bySetPos: maybe(some(signed(366), 366)),
    byTime: maybe(some(clockTime, 24)),
    until: maybe(fc.constantFrom(...UNTILS)),
    count: maybe(fc.integer({ min: 1, max: 10_000 })),
    from: maybe(fc.constantFrom('due', 'completion')),
    between: maybe(fc.tuple(clockTime, clockTime)),
    perDay: maybe(fc.integer({ min: 1, max: 24 })),
  })
  .chain((fields) =>
    fc.array(fc.nat(), { minLength: 12, maxLength: 12 }).map((picks) => {
      const named = Object.entries(fields).map(([key, value], index) => {
        const spellings = KEY_SPELLINGS[key as keyof typeof KEY_SPELLINGS];
        return [spellings[(picks[index] ?? 0) % spellings.length], value] as const;
      });
      return JSON.parse(JSON.stringify({ ...Object.fromEntries(named), exdates: ['2026-12-24'] }));
    }),
  );

/** The same as a text, as calendars and imports have it. */
const strings = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'HOURLY', 'MINUTELY'),
    INTERVAL: maybe(fc.integer({ min: 1, max: 1_000 })),
    BYDAY: maybe(
      some(weekday, 80).map((days) => days.map((day) => day.replace(/[a-z]+/i, (name) => name.slice(0, 2)))),
    ),
    BYMONTHDAY: maybe(some(signed(31), 62)),
    BYMONTH: maybe(some(fc.integer({ min: 1, max: 12 }), 12)),
    BYSETPOS: maybe(some(signed(366), 366)),
    WKST: maybe(fc.constantFrom(...DAYS)),
    COUNT: maybe(fc.integer({ min: 1, max: 10_000 })),
    UNTIL: maybe(fc.constantFrom('20270228', '20270228T183000', '20270228T183000Z')),
    from: maybe(fc.constantFrom('due', 'completion')),
    isPrefixed: fc.boolean(),
  })
  .map(({ from, isPrefixed, ...parts }) => {
    const text = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    const rrule = `${isPrefixed ? 'RRULE:' : ''}${text.join(';')}`;
    // The service ignores keys beside an RRULE.
    return from === undefined ? { rrule, freq: 'yearly' } : { rrule, from };
  });

export const storedRules = fc.oneof(objects, strings);
