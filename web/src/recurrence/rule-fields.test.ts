import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRule } from '../../../src/recurrence/parse-rule.ts';
import { type Rule, RuleError } from '../../../src/recurrence/rule.ts';
import { normalRule } from '../../../src/recurrence/spell-rule.ts';
import { parseTask } from '../../../src/words/parse-task.ts';
import { sized } from '../../../test/support/size.ts';
import { storedRules } from '../../../test/support/stored-rules.ts';
import { PHRASES } from '../../../test/words/phrases.ts';
import { formatRecurrence } from './format-recurrence.ts';
import { NEW_RULE, NO_HOURS, type RuleFields, toRecurrence, toRuleFields, withFrequency } from './rule-fields.ts';

type Value = Record<string, unknown>;

function ruleOf(value: Value): Rule | undefined {
  try {
    const rule = parseRule(value);
    return rule && normalRule(rule);
  } catch (error) {
    if (error instanceof RuleError) return undefined;
    throw error;
  }
}

function assertSurvives(stored: Value): void {
  const fields = toRuleFields(stored) ?? assert.fail(JSON.stringify(stored));
  const written = toRecurrence(fields);
  const shown = `${JSON.stringify(stored)} became ${JSON.stringify(written)}`;
  assert.equal(JSON.stringify(ruleOf(written)), JSON.stringify(ruleOf(stored)), shown);
  assert.deepEqual(written.exdates, stored.exdates, 'a key that means nothing stays');
  assert.deepEqual(toRuleFields(written), fields.skipsShort ? toRuleFields(written) : fields);
  assert.doesNotMatch(formatRecurrence(stored), /[-−]\d|undefined|rule of its own/, shown);
}

test('every rule that the service can store comes out of the editor as it went in', () => {
  const valid = storedRules.filter((value) => ruleOf(value) !== undefined);
  fc.assert(fc.property(valid, assertSurvives), { numRuns: sized(400, 10_000) });
});

test('so does every rule that quick add reads', () => {
  const options = { now: Date.parse('2026-03-02T09:00:00Z'), zone: 'Europe/Amsterdam', dayFirst: true };
  const texts = Object.values(PHRASES).flatMap((phrases) => phrases.map(([text]) => text));
  for (const rule of texts.flatMap((text) => parseTask(text, options).recurrence ?? [])) assertSurvives({ ...rule });
});

const without = (fields: Partial<RuleFields>): RuleFields => ({ ...NEW_RULE, ...fields });

test('another frequency keeps what both can say, and nothing that the new one cannot', () => {
  const days = { weekdays: ['mo', '2tu', '-1fr'], monthDays: [1, -1], months: [3], setPos: [-1], times: ['08:00'] };
  const hours = { hours: ['08:00', '20:00'], perDay: 3, afterDone: true } as const;
  const rule = without({ freq: 'monthly', interval: 2, count: 5, ...days, ...hours });
  const none = { hours: NO_HOURS, perDay: null };
  assert.deepEqual(withFrequency(rule, 'yearly'), { ...rule, ...none, freq: 'yearly', weekdays: ['2tu', '-1fr'] });
  assert.deepEqual(withFrequency(rule, 'weekly'), {
    ...rule,
    ...none,
    freq: 'weekly',
    weekdays: ['mo'],
    monthDays: [],
  });
  const empty = { weekdays: [], monthDays: [], months: [], setPos: [], times: [] };
  assert.deepEqual(withFrequency(rule, 'hourly'), { ...rule, ...empty, freq: 'hourly' });
  const named = without({ freq: 'weekly', weekdays: ['mo', 'tu'], setPos: [1] });
  assert.deepEqual(withFrequency(named, 'monthly').setPos, [], 'there is no first one of no days');
});

test('hours of the day are kept only where they mean something', () => {
  const rule = { freq: 'hourly', interval: 2, from: 'completion', between: ['08:00', '20:00'], per_day: 3 };
  assert.deepEqual(toRecurrence(toRuleFields(rule) ?? NEW_RULE), rule);
  const fields = toRuleFields({ ...rule, between: ['08:00', '08:00'] }) ?? NEW_RULE;
  assert.deepEqual([fields.hours, fields.perDay], [NO_HOURS, null]);
  const written = without({ freq: 'hourly', hours: ['08:00', '20:00'], perDay: 3 });
  assert.deepEqual(toRecurrence(written), { freq: 'hourly' });
  assert.deepEqual(toRecurrence({ ...written, afterDone: true, hours: NO_HOURS }), {
    freq: 'hourly',
    from: 'completion',
  });
});
