/** Shows a stored rule so that it is accepted back as it is shown, and means the same dates. */
import { parseRule } from '../recurrence/parse-rule.ts';
import type { Rule } from '../recurrence/rule.ts';
import { normalRule, ruleAsObject, ruleAsRrule, untilAsText } from '../recurrence/spell-rule.ts';
import { writeRule } from '../words/write-rule.ts';
import { type Recurrence, readRecurrence } from './recurrence-input.ts';
import { ToolFailure } from './tool-failure.ts';

/** Longer ones are shorter as an RRULE. */
const MOST_IN_WORDS = 120;

/**
 * In words if they say all of it, otherwise as an RRULE, and as JSON if there is none. Null if the stored object is not
 * a rule: the task does not repeat.
 */
export function ruleInWords(stored: Recurrence): string | null {
  const rule = ruleOf(stored);
  if (!rule) return null;
  const words = writeRule({ ...rule, until: rule.until && untilAsText(rule.until) });
  if (words.length <= MOST_IN_WORDS && isReadAs(words, rule)) return words;
  const rrule = ruleAsRrule(rule);
  if (rrule === undefined) return JSON.stringify(ruleAsObject(rule));
  return rule.from === 'completion' ? `${rrule}, counted from when it is done` : rrule;
}

/** Built from the rule as it is understood: stored keys and values can be any text. */
export function shownRecurrence(stored: Recurrence): Recurrence | null {
  const rule = ruleOf(stored);
  if (!rule) return null;
  const counted = rule.from === 'completion' ? { from: rule.from } : {};
  return ruleAsObject(rule) ?? { rrule: ruleAsRrule(rule), ...counted };
}

function ruleOf(stored: Recurrence): Rule | undefined {
  try {
    const rule = parseRule(stored);
    return rule && normalRule(rule);
  } catch {
    return undefined;
  }
}

function isReadAs(words: string, rule: Rule): boolean {
  try {
    const read = readRecurrence(words);
    return read !== undefined && sameDates(read.recurrence, rule);
  } catch (error) {
    if (error instanceof ToolFailure) return false;
    throw error;
  }
}

const sameDates = (recurrence: Recurrence, rule: Rule): boolean =>
  JSON.stringify(ruleOf(recurrence)) === JSON.stringify(rule);
