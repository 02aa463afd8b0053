/**
 * Reads the recurrence that a model wrote, in the spellings that models use, and returns it in our own. A key that is
 * not understood is refused, with advice how to write it: if it were ignored, the reminder would come on other days
 * than the user was told.
 */
import { hasUnreadKeys, parseRule } from '../recurrence/parse-rule.ts';
import { type DayRule, isClockRule, type Rule, RuleError } from '../recurrence/rule.ts';
import { partsOfRule, ruleAsObject, ruleAsRrule } from '../recurrence/spell-rule.ts';
import { monthOf, ordinalOf, weekdayCode } from '../words/lexicon.ts';
import { readRule } from '../words/read-rule.ts';
import { readExactTime } from '../words/read-time.ts';
import { rhythmOf } from '../words/rhythms.ts';
import { parseJson } from './plain-input.ts';
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
  ['between', 'window'],
  ['per_day', 'maxperday', 'atmostperday'],
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

const WHICH_HOURS =
  'the hours of the day are two times, with per_day from 1 to 24, of an hourly or minutely rule from completion: ' +
  '{"freq": "hourly", "interval": 6, "from": "completion", "between": ["08:00", "22:00"], "per_day": 3}; otherwise list by_time';

/** Undefined if the words say that it does not repeat. */
export function readRecurrence(given: Recurrence | string): ReadRecurrence | undefined {
  const read = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  const recurrence = typeof read === 'string' ? fromText(read) : fromObject(read as Recurrence);
  if (recurrence === undefined) return undefined;
  const rule = parse(recurrence);
  if (hasUnreadKeys(recurrence)) throw refusal('.between', WHICH_HOURS);
  const times = isClockRule(rule) ? [] : rule.byTime.map((time) => time.toString().slice(0, 5));
  return { recurrence, times };
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
  return 'rrule' in read ? combine(read) : read;
}

/**
 * An RRULE together with what stands beside it. The parser reads the RRULE alone and ignores the rest, so both become
 * one rule here, or are refused.
 */
function combine({ rrule, from, ...beside }: Recurrence): Recurrence {
  if (typeof rrule !== 'string') throw refusal('.rrule', 'it should be a text such as FREQ=WEEKLY;BYDAY=MO');
  const counted = from === undefined ? {} : { from };
  if (Object.keys(beside).length === 0) return { rrule, ...counted };
  const rule = parse({ rrule });
  const merged = parse({ ...partsOfRule(rule), ...beside, ...counted });
  for (const key of Object.keys(beside)) refuseContradiction(key, rrule, rule, merged);
  // An RRULE skips months that are too short, and may begin the week on another day.
  const whole = isClockRule(merged) || isClockRule(rule) ? merged : { ...merged, ...dialectOf(rule) };
  const text = ruleAsRrule(whole);
  if (text !== undefined) return { rrule: text, ...counted };
  const recurrence = ruleAsObject(whole);
  if (!recurrence) throw refusal('.rrule', 'it cannot stand beside the other keys; write all of it without rrule');
  return recurrence;
}

const dialectOf = ({ weekStart, clampToMonthEnd }: DayRule) => ({ weekStart, clampToMonthEnd });

function refuseContradiction(key: string, rrule: string, rule: Rule, merged: Rule): void {
  const valueIn = (one: Rule) => {
    const value = { interval: 1, ...partsOfRule(one) }[key as 'interval'] as unknown;
    return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  };
  const isSaid = key === 'interval' ? /INTERVAL=/i.test(rrule) : valueIn(rule) !== undefined;
  if (!isSaid || valueIn(rule) === valueIn(merged)) return;
  throw refusal(`.${key}`, `the rrule beside it says ${valueIn(rule)}; say it once`);
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
  per_day: toNumber,
  between: (value) => toList(value).map((time) => readExactTime(String(time)) ?? time),
  by_time: (value) => toList(value).map((time) => readExactTime(String(time)) ?? time),
};

const NUMBERED = /^(?:the )?([+-]?\d{1,2}|[a-z\d]+(?: to last)?) ?([a-z]+)$/;

/** `mo`, `Mondays`, `weekdays`; of a month `-1fr`, `-1 FR`, `last Friday`, `the 2nd Tue`. */
function readWeekday(value: unknown): unknown[] {
  if (typeof value !== 'string')
    throw refusal('.by_weekday', 'numbers are ambiguous; write weekdays as mo, tu or monday, the last Friday as -1fr');
  // The other minus sign is what texts are set with.
  const words = value.trim().toLowerCase().replace('\u2212', '-').replaceAll(/\s+/g, ' ');
  const [, nth = '', name = ''] = NUMBERED.exec(words) ?? [];
  const day = weekdayCode(name);
  const place = ordinalOf(nth) ?? (/^[+-]?\d+$/.test(nth) ? Number(nth) : undefined);
  if (day !== undefined && place !== undefined) return [`${place}${day}`];
  return [...(rhythmOf(words)?.by_weekday ?? [weekdayCode(words) ?? words])];
}

const readMonth = (value: unknown): unknown => (typeof value === 'string' && monthOf(fold(value))) || toNumber(value);

/** `daily`, `every 2 weeks on Mon`, `every Monday and Thursday at 9:00`, `FREQ=WEEKLY;BYDAY=MO`. */
function fromText(text: string, key = ''): Recurrence | undefined {
  const words = text.trim();
  if (NEVER.includes(fold(words))) return undefined;
  if (/^(?:rrule:)?freq=/i.test(words)) return fromRrule(words);
  if (words.length > LONGEST_TEXT) throw refusal(key, 'it is too long');
  const ambiguous = AMBIGUOUS[fold(words)];
  if (ambiguous) throw refusal(key, ambiguous);
  const rule: Recurrence = { ...readRule(words) };
  if (!rule.freq) throw refusal(key, 'it is not understood');
  if (isAnyWeekday(rule)) throw refusal(key, WHICH_WEEK);
  return rule;
}

/** The words after a comma are ours, of a rule that `shown-rule.ts` wrote. */
function fromRrule(text: string): Recurrence {
  const rrule = text.replace(COUNTED_FROM_DONE, '');
  return rrule === text ? { rrule } : { rrule, from: 'completion' };
}

const COUNTED_FROM_DONE = /, counted from when it is done$/i;

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
