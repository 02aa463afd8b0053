/**
 * Reads the clauses after `every week` in a recurrence that was written in words: on which days, in which months, until
 * when. It understands what `rule-words.ts` writes, so that a rule can be sent back as it was shown, and the usual other
 * ways to say the same. Pure.
 */
import type { Recurrence } from './rule-words.ts';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

/** From the end of the text to its beginning. `5 times` needs its comma: without it, it could be five times a day. */
const CLAUSES: readonly [pattern: RegExp, read: (text: string) => Recurrence | undefined][] = [
  [/, counted from when it is done$/i, () => ({ from: 'completion' })],
  [/, (\d{1,4}) times$/i, (count) => ({ count: Number(count) })],
  [/,? until (\d{4}-\d\d-\d\d\S{0,20})$/i, (until) => ({ until })],
  [/ at ([\d:apmnd, ]{1,80})$/i, (times) => ({ by_time: times })],
  [/ in ([a-z, ]{3,120})$/i, readMonths],
  [/ \(only the ([a-z\d, ]{1,80}) of these\)$/i, readPositions],
  [/ on ([a-z\d, ]{2,160})$/i, readDays],
];

interface Clauses {
  /** What is left: `every 2 weeks`. */
  readonly head: string;
  readonly parts: Recurrence;
}

/** Undefined if a clause is not understood. */
export function readClauses(words: string): Clauses | undefined {
  let head = words;
  let parts: Recurrence = {};
  for (const [pattern, read] of CLAUSES) {
    const found = pattern.exec(head);
    if (!found) continue;
    const part = read(found[1] ?? '');
    if (!part) return undefined;
    parts = { ...parts, ...part };
    head = head.slice(0, found.index);
  }
  return { head, parts };
}

const itemsOf = (text: string): string[] => text.split(/, and |, | and |,/).map((item) => item.trim().toLowerCase());

/** All of them, or undefined. */
function readAll<T>(items: readonly string[], read: (item: string) => T | undefined): T[] | undefined {
  const values = items.map(read);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function readMonths(text: string): Recurrence | undefined {
  const by_month = readAll(itemsOf(text), (name) => {
    const index = name.length < 3 ? -1 : MONTHS.indexOf(name.slice(0, 3));
    return index < 0 ? undefined : index + 1;
  });
  return by_month && { by_month };
}

function readPositions(text: string): Recurrence | undefined {
  const by_set_pos = readAll(itemsOf(text), readOrdinal);
  return by_set_pos && { by_set_pos };
}

/** `first`, `1st`, `12th`, `last`, `second to last`. */
function readOrdinal(word: string): number | undefined {
  if (word === 'last') return -1;
  const [, name = '', fromEnd] = /^(\S+)( to last)?$/.exec(word) ?? [];
  const [, digits] = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(name) ?? [];
  const nth = digits === undefined ? ORDINALS.indexOf(name) : Number(digits);
  if (nth < 1) return undefined;
  return fromEnd === undefined ? nth : -nth;
}

function readDays(text: string): Recurrence | undefined {
  if (/^mon(day)? to fri(day)?$/i.test(text)) return { by_weekday: ['mo', 'tu', 'we', 'th', 'fr'] };
  const days = readAll(itemsOf(text), readDay);
  if (!days) return undefined;
  const by_weekday = days.filter((day) => typeof day === 'string');
  const by_month_day = days.filter((day) => typeof day === 'number');
  return { ...(by_weekday.length > 0 && { by_weekday }), ...(by_month_day.length > 0 && { by_month_day }) };
}

/** `Mon`, `the last Fri`; `day 15`, `the 1st`, `the second to last day`. A number is a day of the month. */
function readDay(item: string): string | number | undefined {
  const [, number] = /^day (\d{1,2})$/.exec(item) ?? [];
  if (number !== undefined) return Number(number);
  const words = item.replace(/^the /, '');
  const monthDay = readOrdinal(words.replace(/ day$/, ''));
  // `first` alone could be the first of anything; `1st` cannot.
  if (monthDay !== undefined && (/ day$/.test(words) || /^\d/.test(words))) return monthDay;
  const [, nth, name = ''] = /^(?:(.+) )?(\S+)$/.exec(words) ?? [];
  const weekday = weekdayOf(name);
  if (weekday === undefined || nth === undefined) return weekday;
  const ordinal = readOrdinal(nth);
  return ordinal === undefined ? undefined : `${ordinal}${weekday}`;
}

/** `mo`, `mon`, `monday`, `mondays`. */
export function weekdayOf(name: string): string | undefined {
  const day = name.toLowerCase().replace(/s$/, '');
  // A single letter could be two days.
  const full = day.length < 2 ? undefined : WEEKDAYS.find((one) => one.startsWith(day));
  return full?.slice(0, 2);
}
