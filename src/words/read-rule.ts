/**
 * Reads a text that must be nothing but a rule: `daily`, `every 2 weeks on Mon, Thu at 9:00, 5 times`. It understands what
 * `write-rule.ts` writes, so that a rule can be sent back as it was shown, and the usual other ways to say the same.
 * `find-rule.ts` finds a rule among the words of a title, which is written in more ways and confirmed by a person.
 */
import { monthOf, numberOf, ordinalOf, weekdayCode } from './lexicon.ts';
import { readExactTime } from './read-time.ts';
import type { Recurrence } from './recurrence.ts';
import { rhythmOf, WORK_WEEK } from './rhythms.ts';

type Parts = Omit<Recurrence, 'freq'>;

/** From the end of the text to its beginning. `5 times` needs its comma: without it, it could be five times a day. */
const CLAUSES: readonly [pattern: RegExp, read: (text: string) => Parts | undefined][] = [
  [/, counted from when it is done$/i, () => ({ from: 'completion' })],
  [/,? at most (\d{1,2}) (?:a|per) day$/i, (most) => ({ per_day: Number(most) })],
  [/,? between (\d\d:\d\d and \d\d:\d\d)$/i, (hours) => ({ between: hours.split(' and ') })],
  [/, (\d{1,5}) times$/i, (count) => ({ count: Number(count) })],
  [/,? until (\d{4}-\d\d-\d\d\S{0,20})$/i, (until) => ({ until })],
  [/ at ([\d:apmnd, ]{1,80})$/i, (times) => ({ by_time: itemsOf(times).map((time) => readExactTime(time) ?? time) })],
  [/ in ([a-z, ]{3,120})$/i, (months) => withAll('by_month', months, (name) => monthOf(name) || undefined)],
  [/ \(only the ([a-z\d, ]{1,80}) of these\)$/i, (places) => withAll('by_set_pos', places, ordinalOf)],
  [/ on ([a-z\d, ]{2,160})$/i, readDays],
];

/** Undefined if any part of the text is not understood. A time that is not understood stays as it was written. */
export function readRule(text: string): Recurrence | undefined {
  // A run of spaces would match EVERY in as many ways as it is long.
  let head = text.trim().replaceAll(/\s+/g, ' ');
  let parts: Parts = {};
  for (const [pattern, read] of CLAUSES) {
    const found = pattern.exec(head);
    if (!found) continue;
    const part = read(found[1] ?? '');
    if (!part) return undefined;
    parts = { ...parts, ...part };
    head = head.slice(0, found.index);
  }
  const rule = readEvery(head);
  return rule?.by_weekday && parts.by_weekday ? undefined : rule && { ...rule, ...parts };
}

const EVERY = /^(?:(?:every|each) )?(?:(\d{1,4}|other|second|third|fourth) )?([a-z, ]+)$/i;

/** `every 2 weeks`, `every Monday and Thursday`. */
function readEvery(head: string): Recurrence | undefined {
  const [, count, unit = head] = EVERY.exec(head) ?? [];
  const rule = rhythmOf(unit) ?? weeklyOn(unit);
  if (!rule || count === undefined) return rule;
  if (rule.interval !== undefined) return undefined;
  const interval = numberOf(count);
  return interval === 1 ? rule : { ...rule, interval };
}

function weeklyOn(text: string): Recurrence | undefined {
  const by_weekday = readAll(text, weekdayCode);
  return by_weekday && { freq: 'weekly', by_weekday };
}

const itemsOf = (text: string): string[] =>
  text.split(/, ?and\b|[,;]|\band\b/).map((item) => item.trim().toLowerCase());

/** Every item of a list, or undefined. */
function readAll<T>(text: string, read: (item: string) => T | undefined): T[] | undefined {
  const values = itemsOf(text).map(read);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function withAll(key: keyof Parts, text: string, read: (item: string) => number | undefined): Parts | undefined {
  const values = readAll(text, read);
  return values && { [key]: values };
}

function readDays(text: string): Parts | undefined {
  if (/^mon(day)? to fri(day)?$/i.test(text)) return { by_weekday: WORK_WEEK };
  const days = readAll(text, readDay);
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
  const monthDay = ordinalOf(words.replace(/ day$/, ''));
  // `first` alone could be the first of anything; `1st` cannot.
  if (monthDay !== undefined && (/ day$/.test(words) || /^\d/.test(words))) return monthDay;
  const [, nth, name = ''] = /^(?:(.+) )?(\S+)$/.exec(words) ?? [];
  const weekday = weekdayCode(name);
  if (weekday === undefined || nth === undefined) return weekday;
  const place = ordinalOf(nth);
  return place === undefined ? undefined : `${place}${weekday}`;
}
