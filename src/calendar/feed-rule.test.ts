import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { sized } from '../../test/support/size.ts';
import { canRecur, datesAfter, isPastUntil } from '../recurrence/occurrences.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import { type DayRule, isClockRule } from '../recurrence/rule.ts';
import { repeatsOf } from './feed-rule.ts';

const rules = fc.record(
  {
    freq: fc.constantFrom('daily', 'weekly', 'monthly', 'yearly'),
    interval: fc.integer({ min: 1, max: 4 }),
    by_weekday: fc.uniqueArray(fc.constantFrom('mo', 'tu', 'fr', 'su'), { minLength: 1, maxLength: 3 }),
    by_month: fc.uniqueArray(fc.constantFrom(1, 2, 6, 12), { minLength: 1, maxLength: 3 }),
    count: fc.integer({ min: 1, max: 40 }),
    until: fc.constantFrom('2026-12-31', '2028-02-29', '2027-06-01T09:00:00', '2027-06-01T08:59:59Z'),
  },
  { requiredKeys: ['freq', 'interval'] },
);

function ourDates(
  rule: DayRule,
  first: Temporal.PlainDateTime,
  current: Temporal.PlainDateTime,
  zone: string,
): string[] {
  const dates = [current.toPlainDate().toString()];
  for (const date of datesAfter(rule, first.toPlainDate(), current.toPlainDate()).take(12)) {
    if (rule.until && isPastUntil(rule.until, date.toPlainDateTime(first.toPlainTime()), zone)) break;
    dates.push(date.toString());
  }
  return dates;
}

test('an independent RRULE library finds the same dates, from any occurrence on', () => {
  const checked = fc.property(rules, fc.nat(700), fc.nat(5), fc.boolean(), (written, later, skip, hasTime) => {
    const rule = parseRule(written);
    const first = Temporal.PlainDateTime.from('2026-01-01T09:00').add({ days: later });
    const zone = 'Europe/Berlin';
    fc.pre(rule !== undefined && !isClockRule(rule) && canRecur(rule, first.toPlainDate()));
    const dates = [first.toPlainDate(), ...datesAfter(rule, first.toPlainDate(), first.toPlainDate()).take(skip)];
    const current = (dates.at(-1) ?? first.toPlainDate()).toPlainDateTime(first.toPlainTime());
    const repeats = repeatsOf({ rule, first, current, hasTime, zone, isRepeatedHour: false });
    fc.pre(repeats.kind === 'rule');
    const begins = current.toPlainDate().toString().replaceAll('-', '');
    const start = hasTime ? `DTSTART;TZID=${zone}:${begins}T090000` : `DTSTART;VALUE=DATE:${begins}`;
    const theirs = new RRuleTemporal({ rruleString: `${start}\nRRULE:${repeats.rrule}` }).all((_, index) => index < 12);
    const ours = ourDates(rule, first, current, zone);
    assert.deepEqual(
      theirs.map((at) => at.toPlainDate().toString()),
      ours.slice(0, theirs.length),
      repeats.rrule,
    );
    assert.ok(theirs.length === 12 || theirs.length === ours.length, repeats.rrule);
  });
  fc.assert(checked, { numRuns: sized(120, 300) });
});

test('a series without times ends with the day on which the rule ends, and a rule that ends before its time a day earlier', () => {
  const first = Temporal.PlainDateTime.from('2026-01-01T09:00');
  const endOf = (until: string, hasTime = false) => {
    const rule = parseRule({ freq: 'daily', until });
    assert.ok(rule);
    const repeats = repeatsOf({ rule, first, current: first, hasTime, zone: 'Europe/Berlin', isRepeatedHour: false });
    return repeats.kind === 'rule' ? repeats.rrule : repeats.kind;
  };
  assert.equal(endOf('2026-01-05T09:00:00'), 'FREQ=DAILY;UNTIL=20260105');
  assert.equal(endOf('2026-01-05T08:59:59'), 'FREQ=DAILY;UNTIL=20260104');
  assert.equal(endOf('2026-01-05'), 'FREQ=DAILY;UNTIL=20260105');
  assert.equal(endOf('2026-01-05T09:00:00', true), 'FREQ=DAILY;UNTIL=20260105T080000Z');
});
