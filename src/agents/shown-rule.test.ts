import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { storedRules } from '../../test/support/stored-rules.ts';
import { PHRASES, textsWithRule } from '../../test/words/phrases.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import { type Rule, RuleError } from '../recurrence/rule.ts';
import { normalRule } from '../recurrence/spell-rule.ts';
import { parseTask } from '../words/parse-task.ts';
import { type Recurrence, readRecurrence } from './recurrence-input.ts';
import { ruleInWords, shownRecurrence } from './shown-rule.ts';

function ruleOf(recurrence: Recurrence): Rule | undefined {
  try {
    const rule = parseRule(recurrence);
    return rule && normalRule(rule);
  } catch (error) {
    if (error instanceof RuleError) return undefined;
    throw error;
  }
}

function assertSurvives(stored: Recurrence): void {
  const rule = ruleOf(stored);
  if (!rule) return;
  for (const shown of [ruleInWords(stored), shownRecurrence(stored)]) {
    assert.ok(shown !== null);
    const given = typeof shown === 'string' ? shown : JSON.stringify(shown);
    assert.ok(given.length <= 10_000, 'longer than the tools take');
    const read = readRecurrence(shown)?.recurrence ?? assert.fail(given);
    assert.equal(JSON.stringify(ruleOf(read)), JSON.stringify(rule), given);
  }
}

test('every rule that can be stored is shown so that the tools take it back and it means the same dates', () => {
  const valid = storedRules.filter((recurrence) => ruleOf(recurrence) !== undefined);
  fc.assert(fc.property(valid, assertSurvives), { numRuns: sized(300, 5_000) });
});

test('so is every rule that quick add reads', () => {
  const options = { now: Date.parse('2026-03-02T09:00:00Z'), zone: 'Europe/Amsterdam', dayFirst: true };
  const rules = textsWithRule(PHRASES).flatMap((text) => parseTask(text, options).recurrence ?? []);
  assert.ok(rules.length > 50, `${rules.length}`);
  for (const rule of rules) assertSurvives({ ...rule });
});

/** What models write beside an RRULE, what becomes of it, and the reason if nothing does. */
const BESIDE: [recurrence: Recurrence, shown: string | RegExp][] = [
  [{ rrule: 'FREQ=WEEKLY;BYDAY=MO', until: '2026-12-31' }, 'every week on Mon, until 2026-12-31'],
  [{ rrule: 'FREQ=WEEKLY', by_weekday: ['mo', 'th'], interval: 2 }, 'every 2 weeks on Mon, Thu'],
  [{ rrule: 'FREQ=DAILY', by_time: ['08:00', '20:00'] }, 'every day at 08:00, 20:00'],
  [{ rrule: 'FREQ=DAILY', count: '5', freq: 'daily' }, 'every day, 5 times'],
  [{ rrule: 'FREQ=MONTHLY', count: 5 }, 'FREQ=MONTHLY;COUNT=5'],
  [{ rrule: 'FREQ=MONTHLY;BYDAY=-1FR', by_weekday: '-1fr' }, 'every month on the last Fri'],
  [{ rrule: 'FREQ=DAILY', from: 'completion', interval: 3 }, 'every 3 days, counted from when it is done'],
  [{ rrule: 'FREQ=DAILY;COUNT=9', until: '2026-12-31' }, 'every day, until 2026-12-31, 9 times'],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=MO', freq: 'daily' }, /^recurrence\.freq: the rrule beside it says "weekly"/],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=MO', by_weekday: ['tu'] }, /^recurrence\.by_weekday: the rrule beside it says \["mo"\]/],
  [{ rrule: 'FREQ=DAILY;INTERVAL=1', interval: 2 }, /^recurrence\.interval: the rrule beside it says 1/],
  [{ rrule: 'FREQ=DAILY;UNTIL=20261231', until: '2027-01-31' }, /^recurrence\.until: .*"2026-12-31"/],
  [{ rrule: 'FREQ=MONTHLY', by_time: ['08:00'] }, /^recurrence\.rrule: it cannot stand beside the other keys/],
  [{ rrule: 'FREQ=HOURLY', by_weekday: ['mo'] }, /^recurrence\.by_weekday: .*no place in an hourly/],
  [{ rrule: 7, freq: 'daily' }, /^recurrence\.rrule: it should be a text/],
  [{ rrule: 'FREQ=DAILY', exdates: ['2026-12-24'] }, /^recurrence\.exdates: there is no such key/],
];

/** Weekdays of a month, which must not lose their sign. */
const PLACED: [by_weekday: unknown, code: string][] = [
  ['-1fr', '-1fr'],
  [['-1fr'], '-1fr'],
  ['-1 FR', '-1fr'],
  ['\u22121fr', '-1fr'],
  ['-2Mon', '-2mo'],
  ['last Friday', '-1fr'],
  ['the last fri', '-1fr'],
  ['second to last Tue', '-2tu'],
  ['+2tu', '2tu'],
  ['2nd tuesday', '2tu'],
  ['first monday', '1mo'],
  ['1MO', '1mo'],
];

test('what stands beside an rrule is combined with it or refused, never ignored', () => {
  for (const [given, shown] of BESIDE) {
    if (shown instanceof RegExp) assert.throws(() => readRecurrence(given), { message: shown });
    else assert.equal(ruleInWords(readRecurrence(given)?.recurrence ?? {}), shown, JSON.stringify(given));
  }
});

test('the last Friday stays the last Friday, however it is written', () => {
  for (const [by_weekday, code] of PLACED) {
    const { recurrence = {} } = readRecurrence({ freq: 'monthly', by_weekday }) ?? {};
    assert.deepEqual(shownRecurrence(recurrence), { freq: 'monthly', by_weekday: [code] }, JSON.stringify(by_weekday));
  }
});
