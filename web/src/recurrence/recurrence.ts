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
const LISTS: readonly string[] = ['by_weekday', 'by_month_day', 'by_month', 'by_set_pos', 'by_time'];

const isPresent = (value: unknown) => value !== undefined && value !== null;

/**
 * Returns the rule in our own words, or undefined if the app cannot show it. Keys that the app does not
 * know stay in it, so that the editor does not drop them.
 */
export function readRecurrence(value: unknown): Recurrence | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const text = readRrule(value);
  if (text) return text;
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

const TEXT_KEYS: Readonly<Record<string, string>> = {
  INTERVAL: 'interval',
  COUNT: 'count',
  UNTIL: 'until',
  BYDAY: 'by_weekday',
  BYMONTHDAY: 'by_month_day',
  BYMONTH: 'by_month',
  BYSETPOS: 'by_set_pos',
  WKST: 'week_start',
};

/** A rule in the form of calendars, RFC 5545: undefined if the value has none. The service has checked its parts. */
export function readRrule(value: unknown): Recurrence | undefined {
  const entries = Object.entries(value ?? {});
  const [, text] = entries.find(([key, part]) => foldKey(key) === 'rrule' && typeof part === 'string') ?? [];
  if (typeof text !== 'string') return undefined;
  const parts = new Map(
    text
      .trim()
      .toUpperCase()
      .replace(/^RRULE:/, '')
      .split(';')
      .map((part) => part.split('=') as [string, string]),
  );
  const freq = frequencyOf(parts.get('FREQ'));
  const rule: Record<string, unknown> = {};
  for (const [key, part] of entries) {
    const name = KEYS.get(foldKey(key));
    if (name === 'from' || (name === undefined && !FREQUENCY_KEYS.includes(foldKey(key)))) rule[name ?? key] = part;
  }
  for (const [name, part] of parts) {
    const key = TEXT_KEYS[name];
    if (key !== undefined) rule[key] = readTextPart(key, part);
  }
  return freq && ({ freq, ...rule } as Recurrence);
}

function readTextPart(key: string, part: string): unknown {
  if (key === 'until')
    return part.replace(/^(....)(..)(..)(?:T(..)(..)(..))?/, (_, y, m, d, ...time) => dateOf(y, m, d, time));
  if (key === 'week_start') return part.toLowerCase();
  const entries = part.split(',');
  if (key === 'by_weekday') return entries.map(shortWeekday);
  return LISTS.includes(key) ? entries.map(Number) : Number(part);
}

const dateOf = (year: string, month: string, day: string, [hour, minute, second]: readonly string[]) =>
  `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}:${minute}:${second}`}`;

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
  return readRecurrence(value) !== undefined;
}
