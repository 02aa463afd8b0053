/**
 * Reads the recurrence that a model wrote, in the spellings that models use, and returns it in our own. Whatever is
 * not understood is refused with how to write it: a key that was ignored would be a reminder that comes on other days
 * than its user was told.
 */
import { parseRule } from '../recurrence/parse-rule.ts';
import { isClockRule, type Rule, RuleError } from '../recurrence/rule.ts';
import { parseJson } from './plain-input.ts';
import { readClauses, weekdayOf } from './rule-clauses.ts';
import type { Recurrence } from './rule-words.ts';
import { hasDisguise } from './shown-text.ts';
import { ToolFailure } from './tool-failure.ts';

export interface ReadRecurrence {
  readonly recurrence: Recurrence;
  /** The times of the day by which it repeats, if it names any. */
  readonly times: readonly string[];
}

/** Our own key first. Without case, underscores, hyphens and spaces. */
const SPELLINGS: readonly [key: string, ...others: string[]][] = [
  ['rrule', 'ical', 'recurrencerule'],
  ['freq', 'frequency', 'type', 'unit', 'every', 'repeat', 'repeats', 'pattern', 'period', 'recurrence', 'cadence'],
  ['interval', 'every', 'repeatevery'],
  ['by_weekday', 'byday', 'weekday', 'weekdays', 'days', 'day', 'dayofweek', 'daysofweek', 'ondays', 'on'],
  ['by_month_day', 'monthday', 'dayofmonth', 'daysofmonth', 'day'],
  ['by_month', 'month', 'months', 'monthofyear'],
  ['by_set_pos', 'setpos', 'position'],
  ['by_time', 'time', 'times', 'at', 'timeofday', 'timesofday'],
  ['until', 'end', 'enddate', 'endson', 'endsat', 'endsby'],
  ['count', 'occurrences', 'times', 'repetitions', 'maxoccurrences', 'numberofoccurrences'],
  ['from'],
];

const fold = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

const KEYS = new Map<string, string[]>();
for (const [key, ...others] of SPELLINGS) {
  for (const spelling of [key, ...others].map(fold)) KEYS.set(spelling, [...(KEYS.get(spelling) ?? []), key]);
}

const WORK_WEEK = { freq: 'weekly', by_weekday: ['mo', 'tu', 'we', 'th', 'fr'] };
/** Words that stand for a whole rule. */
const RULES = new Map<string, Recurrence>([
  ...(
    [
      ['minutely', 'minute', 'minutes'],
      ['hourly', 'hour', 'hours'],
      ['daily', 'day', 'days', 'everyday'],
      ['weekly', 'week', 'weeks'],
      ['monthly', 'month', 'months'],
      ['yearly', 'year', 'years', 'annual', 'annually'],
    ] as const
  ).flatMap(([freq, ...others]) => [freq, ...others].map((word): [string, Recurrence] => [word, { freq }])),
  ...['weekdays', 'weekday', 'workdays', 'workday', 'businessdays'].map((word): [string, Recurrence] => [
    word,
    WORK_WEEK,
  ]),
  ['weekends', { freq: 'weekly', by_weekday: ['sa', 'su'] }],
  ['weekend', { freq: 'weekly', by_weekday: ['sa', 'su'] }],
  ['fortnightly', { freq: 'weekly', interval: 2 }],
  ['quarterly', { freq: 'monthly', interval: 3 }],
]);
const AMBIGUOUS: Readonly<Record<string, string>> = {
  biweekly: 'biweekly has two meanings: every two weeks is {"freq": "weekly", "interval": 2}',
  bimonthly: 'bimonthly has two meanings: every two months is {"freq": "monthly", "interval": 2}',
};
const NEVER: readonly string[] = ['none', 'never', 'once', 'no', 'norepeat', 'onetime', 'onceoff', 'oneoff', ''];
const HOW =
  'Write {"freq": "daily"}, {"freq": "weekly", "by_weekday": ["mo", "th"]}, {"freq": "monthly", "by_month_day": 15}, ' +
  '{"freq": "daily", "by_time": ["08:00", "20:00"]} or {"rrule": "FREQ=WEEKLY;BYDAY=MO"}, with interval, until or count';

/** Undefined if the words say that it does not repeat. */
export function readRecurrence(given: Recurrence | string): ReadRecurrence | undefined {
  const read = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  const recurrence = typeof read === 'string' ? fromText(read) : fromObject(read as Recurrence);
  if (recurrence === undefined) return undefined;
  const rule = parse(recurrence);
  const times = isClockRule(rule) ? [] : rule.byTime.map((time) => time.toString().slice(0, 5));
  return { recurrence, times };
}

const MOST_SHOWN = 500;

/** A stored rule as this file accepts it back. Keys and values that mean nothing are left out: they can hold any text. */
export function shownRecurrence(stored: Recurrence): Recurrence | null {
  try {
    const known = Object.entries(stored).filter(([name]) => KEYS.has(fold(name)));
    const recurrence = readRecurrence(Object.fromEntries(known))?.recurrence;
    const text = JSON.stringify(recurrence ?? null);
    return recurrence && text.length <= MOST_SHOWN && !hasDisguise(text) ? recurrence : null;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return null;
  }
}

function parse(recurrence: Recurrence): Rule {
  try {
    const rule = parseRule(recurrence);
    if (rule) return rule;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw refusal(`.${error.key}`, error.message.replace(/\.$/, ''));
  }
  throw refusal('', 'it names no frequency');
}

const refusal = (key: string, why: string): ToolFailure =>
  new ToolFailure('invalid_input', `recurrence${key}: ${why}. ${HOW}`);

function fromObject(given: Recurrence): Recurrence | undefined {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const parts = readPart(name, value);
    if (parts === undefined) return undefined;
    for (const [key, part] of Object.entries(parts)) {
      if (key in read && JSON.stringify(read[key]) !== JSON.stringify(part)) {
        throw refusal(`.${nameOf(name)}`, `it contradicts another ${key}`);
      }
      read[key] = part;
    }
  }
  return read;
}

/** Only what looks like a key is repeated. */
const nameOf = (name: string): string => (/^[\w -]{1,30}$/.test(name) ? name : 'a key');

/** What one key says, in our own keys. Undefined if it says that the task does not repeat. */
function readPart(name: string, value: unknown): Recurrence | undefined {
  const keys = KEYS.get(fold(name)) ?? [];
  const key = keys.length > 1 ? chooseKey(keys, value) : keys[0];
  if (key === undefined) throw refusal(`.${nameOf(name)}`, unknownKey(name));
  if (key !== 'rrule' && hasLongText(value)) throw refusal(`.${nameOf(name)}`, 'it is too long');
  if (key === 'freq') return readFrequency(name, value);
  return { [key]: READERS[key]?.(value) ?? value };
}

/** As long as the words of a rule may be where they are given alone. The parser bounds an `rrule` itself. */
const LONGEST_TEXT = 200;

const hasLongText = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasLongText) : typeof value === 'string' && value.length > LONGEST_TEXT;

function unknownKey(name: string): string {
  if (/^(?:dt)?start|^first/i.test(fold(name))) return 'the first date is due_at, so leave it out';
  if (/zone|^tz/i.test(fold(name))) return "it always repeats on the user's own clock, so leave it out";
  return 'there is no such key';
}

/** `{every: "week"}` is a frequency and `{every: 2}` an interval; `{day: 15}` is a day of the month, `{day: "mo"}` not. */
function chooseKey(keys: readonly string[], value: unknown): string | undefined {
  const isNumeric = [value].flat().every((one) => typeof one === 'number' || /^-?\d+$/.test(String(one)));
  const numeric = ['interval', 'by_month_day', 'count'];
  return keys.find((key) => numeric.includes(key) === isNumeric);
}

function readFrequency(name: string, value: unknown): Recurrence | undefined {
  if (typeof value !== 'string') throw refusal(`.${nameOf(name)}`, 'it should be a word such as weekly');
  return fromText(value, `.${nameOf(name)}`);
}

const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,9}$/.test(value.trim()) ? Number(value) : value;
const toList = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(/[,;]|\band\b/) : [value].flat();

const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  interval: toNumber,
  count: toNumber,
  by_month_day: (value) => toList(value).map(toNumber),
  by_month: (value) => toList(value).map(readMonth),
  by_set_pos: (value) => toList(value).map(toNumber),
  by_weekday: (value) => toList(value).flatMap(readWeekday),
  by_time: (value) => toList(value).map(readTime),
};

function readWeekday(value: unknown): unknown[] {
  if (typeof value !== 'string')
    throw refusal('.by_weekday', 'numbers are ambiguous; write weekdays as mo, tu or monday');
  const day = fold(value);
  const group = RULES.get(day)?.by_weekday;
  return Array.isArray(group) ? group : [day.replace(/days$/, 'day')];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function readMonth(value: unknown): unknown {
  const index = typeof value === 'string' ? MONTHS.indexOf(fold(value).slice(0, 3)) : -1;
  return index < 0 ? toNumber(value) : index + 1;
}

/** `9:00`, `9am`, `9:30 pm` → `09:00`, `09:00`, `21:30`. */
export function readTime(value: unknown): unknown {
  const [, hours, minutes = '00', half] =
    /^(\d{1,2})(?::(\d{2}))?(?::00)?\s*([ap]m)?$/i.exec(String(value).trim()) ?? [];
  if (hours === undefined || (half === undefined && !String(value).includes(':'))) return value;
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12)) return value;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

const COUNTS: Readonly<Record<string, number>> = { other: 2, second: 2, third: 3, fourth: 4 };
const EVERY = /^(?:(?:every|each) )?(?:(\d{1,4}|other|second|third|fourth) )?([a-z, ]+)$/i;

/** `daily`, `every 2 weeks on Mon`, `every Monday and Thursday at 9:00`, `FREQ=WEEKLY;BYDAY=MO`. */
function fromText(text: string, key = ''): Recurrence | undefined {
  // A run of spaces would match EVERY in as many ways as it is long.
  const words = text.trim().replaceAll(/\s+/g, ' ');
  if (NEVER.includes(fold(words))) return undefined;
  if (/^(?:rrule:)?freq=/i.test(words)) return { rrule: words };
  const ambiguous = AMBIGUOUS[fold(words)];
  if (ambiguous) throw refusal(key, ambiguous);
  const clauses = readClauses(words);
  const rule = clauses && everyOf(clauses.head);
  if (!rule || ('by_weekday' in rule && 'by_weekday' in clauses.parts)) throw refusal(key, 'it is not understood');
  const { by_time, ...parts } = clauses.parts;
  const read = { ...rule, ...parts, ...(by_time !== undefined && { by_time: toList(by_time).map(readTime) }) };
  if (isAnyWeekday(read)) throw refusal(key, WHICH_WEEK);
  return read;
}

/** `every 2 weeks`, `every Monday and Thursday`. */
function everyOf(head: string): Recurrence | undefined {
  const [, count, unit = head] = EVERY.exec(head) ?? [];
  const rule = RULES.get(fold(unit)) ?? weekdaysOf(unit);
  if (!rule || count === undefined) return rule;
  const interval = COUNTS[count.toLowerCase()] ?? Number(count);
  if ('interval' in rule) return undefined;
  return interval === 1 ? rule : { ...rule, interval };
}

const WHICH_WEEK =
  'a weekday of a month has two meanings: every Monday is {"freq": "weekly", "by_weekday": ["mo"]}, the first one of a ' +
  'month {"freq": "monthly", "by_weekday": ["1mo"]}';

/** `monthly on Monday`, which says neither every one nor which one. */
const isAnyWeekday = ({ freq, by_weekday, by_set_pos, by_month_day }: Recurrence): boolean =>
  (freq === 'monthly' || freq === 'yearly') &&
  !by_set_pos &&
  !by_month_day &&
  Array.isArray(by_weekday) &&
  by_weekday.some((day) => !/\d/.test(day));

function weekdaysOf(text: string): Recurrence | undefined {
  const days = toList(text).map((day) => weekdayOf(fold(String(day))));
  return days.includes(undefined) ? undefined : { freq: 'weekly', by_weekday: days };
}
