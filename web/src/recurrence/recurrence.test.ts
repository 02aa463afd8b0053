import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRule } from '../../../src/recurrence/parse-rule.ts';
import { RuleError } from '../../../src/recurrence/rule.ts';
import { choose } from '../time/date-customs.ts';
import { formatRecurrence } from './format-recurrence.ts';
import { isRepeating } from './recurrence.ts';

// Whatever the language of the machine.
choose('clock', '24');
choose('order', 'day');

const WORDS: readonly [object, string][] = [
  [{ freq: 'daily' }, 'every day'],
  [{ freq: 'daily', by_time: ['20:00', '08:00'] }, 'every day at 08:00 and 20:00'],
  [{ freq: 'weekly', by_weekday: 'MO', by_time: '08:00', count: 3 }, 'every Monday at 08:00, 3 times'],
  [{ every: 2, unit: 'weeks', days: ['Monday', 'thu'] }, 'every other week on Monday and Thursday'],
  [{ frequency: 'weekly', byDay: ['MO', 'TU', 'WE', 'TH', 'FR'] }, 'every weekday'],
  [{ type: 'month', byday: ['-1FRI'], end_date: '2027-01-31' }, 'on the last Friday of every month, until 31 Jan 2027'],
  [{ every: 'hour' }, 'every hour'],
  [{ freq: 'hourly', interval: 4 }, 'every 4 hours'],
  [{ unit: 'minutes', interval: 90, from: 'completion' }, 'every 90 minutes, after completion'],
];
for (const [rule, words] of WORDS) {
  test(`${JSON.stringify(rule)} reads “${words}”`, () => assert.equal(formatRecurrence(rule), words));
}

test('the app says that a task repeats exactly when the service repeats it', () => {
  const keys = ['freq', 'frequency', 'Type', 'unit', 'every', 'interval', 'days', 'rrule', 'RRULE', 'colour'];
  const words = ['daily', 'Week', 'hours', 'minutely', 'annually', 'mg', 'fortnightly', 'FREQ=DAILY', 2, null, ['mo']];
  const recurrence = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...words), { maxKeys: 4 });
  let repeating = 0;
  fc.assert(
    fc.property(recurrence, (written) => {
      const isRule = understands(written);
      // An invalid rule is refused, so the app never sees it.
      if (isRule === undefined) return;
      repeating += Number(isRule);
      assert.equal(isRepeating(written), isRule);
    }),
    { numRuns: 2_000, seed: 5545 },
  );
  assert.ok(repeating > 100, `only ${repeating} were rules`);
});

function understands(written: Record<string, unknown>): boolean | undefined {
  try {
    return parseRule(written) !== undefined;
  } catch (error) {
    assert.ok(error instanceof RuleError);
    return undefined;
  }
}
