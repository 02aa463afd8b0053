/** Reads the RRULE of another app as the recurrence of a task, or says that it means nothing here. */
import { parseRule } from '../../recurrence/parse-rule.ts';

export type ReadRule = { readonly recurrence: Readonly<Record<string, unknown>> } | { readonly says: string };

const LONGEST_RULE = 500;
const NOT_UNDERSTOOD = 'Its rule was not understood, so it does not repeat. The rule is in its notes.';
/** Keys of some apps that change nothing about the dates. */
const IGNORED = /;(?:X-[A-Z-]+|TT_[A-Z]+|FROM|WKST)=[^;]*/gi;

/** `isFromCompletion`: the other app counts from when the task was done. */
export function readRrule(text: string, isFromCompletion = false): ReadRule {
  if (text.length > LONGEST_RULE) return { says: NOT_UNDERSTOOD };
  const wantsCompletion = isFromCompletion || /;FROM=COMPLETION/i.test(text);
  const rrule = text
    .replace(/^RRULE:/i, '')
    .replaceAll(IGNORED, (key) => (/^;WKST/i.test(key) ? key : ''))
    .trim();
  for (const rule of wantsCompletion ? [{ rrule, from: 'completion' }, { rrule }] : [{ rrule }])
    if (isReadable(rule)) return { recurrence: rule };
  return { says: NOT_UNDERSTOOD };
}

function isReadable(rule: Readonly<Record<string, unknown>>): boolean {
  try {
    return parseRule(rule) !== undefined;
  } catch {
    return false;
  }
}
