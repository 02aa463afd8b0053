/** Reads the recurrence of a stored task, which the service returns as it was sent. */
import type { Recurrence } from '../../../src/words/recurrence.ts';
import { foldKey, frequencyOf, isAmbiguousKey, KEY_SPELLINGS } from '../../../src/words/rule-keys.ts';

const { freq, ...OTHER_KEYS } = KEY_SPELLINGS;
const FREQUENCY_KEYS: readonly string[] = freq;
const ownKey = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const KEYS = new Map(
  Object.entries(OTHER_KEYS).flatMap(([name, spellings]) =>
    spellings.map((spelling): [string, string] => [spelling, ownKey(name)]),
  ),
);
const LISTS: readonly string[] = ['by_weekday', 'by_month_day', 'by_month', 'by_time'];

const isPresent = (value: unknown) => value !== undefined && value !== null;

/**
 * Returns the rule in our own words, or undefined if the app cannot show it. Keys that the app does not
 * know stay in it, so that the editor does not drop them.
 */
export function readRecurrence(value: unknown): Recurrence | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  let freq: Recurrence['freq'] | undefined;
  const rule: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const spelling = foldKey(key);
    const canBeFrequency = FREQUENCY_KEYS.includes(spelling);
    const named = canBeFrequency ? frequencyOf(part) : undefined;
    if (named) freq = named;
    else if (canBeFrequency && !isAmbiguousKey(key) && isPresent(part)) return undefined;
    else if (isPresent(part)) rule[KEYS.get(spelling) ?? key] = readPart(KEYS.get(spelling), part);
  }
  return freq && ({ freq, ...rule } as Recurrence);
}

function readPart(key: string | undefined, value: unknown): unknown {
  if (key === undefined || !LISTS.includes(key)) return value;
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return key === 'by_weekday' ? entries.map((entry) => shortWeekday(String(entry))) : entries;
}

/** "Monday" and "MO" are `mo`, "-1FRI" is `-1fr`. */
const shortWeekday = (name: string) => name.toLowerCase().replace(/^\+?(-?\d+)?([a-z]{2})[a-z]*$/, '$1$2');

/** Whether the service repeats a task by this recurrence. It keeps any other object, but the task does not repeat. */
export function isRepeating(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const hasText = Object.entries(value).some(([key, part]) => foldKey(key) === 'rrule' && typeof part === 'string');
  return hasText || readRecurrence(value) !== undefined;
}
