import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRule } from '../recurrence/parse-rule.ts';
import { type Recurrence, readRecurrence, ruleInWords } from './recurrence-input.ts';

const few = <T>(values: fc.Arbitrary<T>) => fc.uniqueArray(values, { minLength: 1, maxLength: 3 });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const weekday = fc.constantFrom('mo', 'tu', 'we', 'th', 'fr', 'sa', 'su');
const nth = fc.constantFrom(-3, -2, -1, 1, 2, 3, 4, 5);
const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })).map(clockTime);
const end = fc.oneof(
  fc.constant({}),
  fc.record({ until: fc.constantFrom('2027-02-28', '2027-02-28T18:30', '2027-02-28T18:30:00Z') }),
  fc.record({ count: fc.integer({ min: 1, max: 999 }) }),
);
const common = fc.record({ interval: fc.integer({ min: 1, max: 12 }), by_time: maybe(few(time)) });

/** Every part that the words of a rule can have. */
const rules: fc.Arbitrary<Recurrence> = fc
  .tuple(
    common,
    end,
    fc.oneof(
      fc.record({ freq: fc.constant('daily') }),
      fc.record({ freq: fc.constant('weekly'), by_weekday: maybe(few(weekday)) }),
      fc.record({
        freq: fc.constantFrom('monthly', 'yearly'),
        by_weekday: maybe(few(fc.tuple(nth, weekday).map(([count, day]) => `${count}${day}`))),
        by_month: maybe(few(fc.integer({ min: 1, max: 12 }))),
      }),
      fc.record({
        freq: fc.constantFrom('monthly', 'yearly'),
        by_month_day: few(fc.constantFrom(-12, -2, -1, 1, 2, 15, 28)),
        by_month: maybe(few(fc.integer({ min: 1, max: 12 }))),
      }),
      fc.record({ freq: fc.constant('monthly'), by_weekday: few(weekday), by_set_pos: few(nth) }),
    ),
  )
  .map(([one, two, three]) => JSON.parse(JSON.stringify({ ...one, ...two, ...three })));

function clockTime([hour, minute]: [number, number]): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

test('a rule in the words that tools show is read back as the same rule', () => {
  fc.assert(
    fc.property(rules, fc.boolean(), (written, isFromCompletion) => {
      const rule = isFromCompletion ? { ...written, from: 'completion' } : written;
      fc.pre(isRule(rule));
      const words = ruleInWords(rule) ?? assert.fail('no words');
      const read = readRecurrence(words)?.recurrence ?? assert.fail(words);
      assert.equal(ruleInWords(read), words);
      // The words keep the order in which the days were written.
      assert.deepEqual(parseRule(read), parseRule(rule), words);
    }),
    { numRuns: 500 },
  );
});

function isRule(rule: Recurrence): boolean {
  try {
    return parseRule(rule) !== null;
  } catch {
    return false;
  }
}
