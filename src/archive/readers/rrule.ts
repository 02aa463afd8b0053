/** Reads the RRULE of another app as the recurrence of a task, or says that it means nothing here. */
import { parseRule } from '../../recurrence/parse-rule.ts';
import type { ForeignFields } from './foreign-task.ts';

export interface ReadRule {
  readonly recurrence?: ForeignFields['recurrence'];
  /** Why there is none. */
  readonly says?: string;
  /** The rule as it is written, for the notes. */
  readonly note?: string;
}

const LONGEST_RULE = 500;
const NOT_UNDERSTOOD = 'Its rule was not understood, so it does not repeat. The rule is in its notes.';
/** Keys of some apps that change nothing about the dates. */
const IGNORED = /;(?:X-[A-Z-]+|TT_[A-Z]+|FROM)=[^;]*/gi;

/** An empty text is no rule. `isFromCompletion`: the other app counts from when the task was done. */
export function readRrule(text: string, isFromCompletion = false): ReadRule {
  if (text === '') return {};
  if (text.length > LONGEST_RULE) return notUnderstood(text);
  const rrule = text
    .replace(/^RRULE:/i, '')
    .replaceAll(IGNORED, '')
    .trim();
  const fromCompletion = { rrule, from: 'completion' };
  if (isFromCompletion && isReadable(fromCompletion)) return { recurrence: fromCompletion };
  return isReadable({ rrule }) ? { recurrence: { rrule } } : notUnderstood(text);
}

const notUnderstood = (text: string): ReadRule => ({
  says: NOT_UNDERSTOOD,
  note: `Repeats: ${text.slice(0, LONGEST_RULE)}`,
});

function isReadable(rule: Readonly<Record<string, unknown>>): boolean {
  try {
    return parseRule(rule) !== undefined;
  } catch {
    return false;
  }
}
