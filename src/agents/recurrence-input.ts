/**
 * Reads the recurrence that a model wrote, in the spellings that models use, and returns it in our own. A key that is
 * not understood is refused, with advice how to write it: if it were ignored, the reminder would come on other days
 * than the user was told.
 */
import { parseRule } from '../recurrence/parse-rule.ts';
import { isClockRule, type Rule, RuleError, type Until } from '../recurrence/rule.ts';
import { monthOf } from '../words/lexicon.ts';
import { readRule } from '../words/read-rule.ts';
import { readExactTime } from '../words/read-time.ts';
import { rhythmOf } from '../words/rhythms.ts';
import { writeRule } from '../words/write-rule.ts';
import { parseJson } from './plain-input.ts';
import { hasDisguise } from './shown-text.ts';
import { ToolFailure } from './tool-failure.ts';

export type Recurrence = Readonly<Record<string, unknown>>;

export interface ReadRecurrence {
  readonly recurrence: Recurrence;
  /** The times of the day at which it repeats, if it names any. */
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

/** As `readRecurrence` accepts it back. Null if the stored object is not a rule: the task does not repeat. */
export function ruleInWords(stored: Recurrence): string | null {
  try {
    const rule = parseRule(stored);
    return rule ? writeRule({ ...rule, until: rule.until && untilText(rule.until) }) : null;
  } catch {
    return null;
  }
}

function untilText(until: Until): string {
  if (until.kind === 'date') return until.date.toString();
  return until.kind === 'wall' ? until.wall.toString() : until.instant.toString();
}

const MOST_SHOWN = 500;

/** A stored rule as this file accepts it back. Unknown keys and values are left out: they can be any text. */
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

/** Repeats a key only if it looks like one, because a model may send any text. */
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

/** The longest words of a rule, as in a recurrence that is given as text. The parser limits an `rrule` itself. */
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
  by_time: (value) => toList(value).map((time) => readExactTime(String(time)) ?? time),
};

function readWeekday(value: unknown): unknown[] {
  if (typeof value !== 'string')
    throw refusal('.by_weekday', 'numbers are ambiguous; write weekdays as mo, tu or monday');
  const day = fold(value);
  return [...(rhythmOf(day)?.by_weekday ?? [day.replace(/days$/, 'day')])];
}

const readMonth = (value: unknown): unknown => (typeof value === 'string' && monthOf(fold(value))) || toNumber(value);

/** `daily`, `every 2 weeks on Mon`, `every Monday and Thursday at 9:00`, `FREQ=WEEKLY;BYDAY=MO`. */
function fromText(text: string, key = ''): Recurrence | undefined {
  const words = text.trim();
  if (NEVER.includes(fold(words))) return undefined;
  if (/^(?:rrule:)?freq=/i.test(words)) return { rrule: words };
  const ambiguous = AMBIGUOUS[fold(words)];
  if (ambiguous) throw refusal(key, ambiguous);
  const rule: Recurrence = { ...readRule(words) };
  if (!rule.freq) throw refusal(key, 'it is not understood');
  if (isAnyWeekday(rule)) throw refusal(key, WHICH_WEEK);
  return rule;
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
