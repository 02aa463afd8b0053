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
import { toRecurrence, toRuleFields } from './rule-fields.ts';

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
