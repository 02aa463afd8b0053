/** The parts of a rule as the editor shows them, and back. Every rule of the service has its fields here. */
import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import type { Frequency } from '../../../src/words/rule-keys.ts';
import { readRecurrence, readRrule } from './recurrence.ts';

export interface RuleFields {
  readonly freq: Frequency;
  readonly interval: number;
  /** "mo", or "2mo" for the second and "-1mo" for the last one. */
  readonly weekdays: readonly string[];
  readonly monthDays: readonly number[];
  readonly months: readonly number[];
  readonly setPos: readonly number[];
  readonly times: readonly string[];
  /** As it is stored: a date, or a date-time. Empty without one. */
  readonly until: string;
  readonly count: number | null;
  readonly afterDone: boolean;
  /** Both empty without hours. */
  readonly hours: readonly [start: string, end: string];
  readonly perDay: number | null;
  readonly weekStart: string;
  /** A month without the day of the first date is left out, instead of using its last day. */
  readonly skipsShort: boolean;
  /** Keys that mean nothing here and must not be lost. */
  readonly rest: Readonly<Record<string, unknown>>;
}

type Value = Readonly<Record<string, unknown>>;
export const NO_HOURS = ['', ''] as const;
export const NEW_RULE: RuleFields = {
  freq: 'daily',
  interval: 1,
  weekdays: [],
  monthDays: [],
  months: [],
  setPos: [],
  times: [],
  until: '',
  count: null,
  afterDone: false,
  hours: NO_HOURS,
  perDay: null,
  weekStart: 'mo',
  skipsShort: false,
  rest: {},
};

export const isClock = (freq: Frequency): boolean => freq === 'hourly' || freq === 'minutely';
const isLong = (freq: Frequency): boolean => freq === 'monthly' || freq === 'yearly';
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Undefined if the task does not repeat by this value. */
export function toRuleFields(value: unknown): RuleFields | undefined {
  const read = readRecurrence(value) as (Value & { freq: Frequency }) | undefined;
  if (!read) return undefined;
  const text = readRrule(value);
  const { freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, ...others } = read;
  const { until, count, from, between, per_day, week_start, ...rest } = others;
  const list = <T>(part: unknown): readonly T[] => (Array.isArray(part) ? part : []);
  const hours = list<string>(between);
  const hasHours =
    isClock(freq) &&
    from === 'completion' &&
    hours.length === 2 &&
    hours[0] !== hours[1] &&
    hours.every((time) => typeof time === 'string' && TIME.test(time));
  const hasMost = hasHours && Number.isInteger(per_day) && Number(per_day) >= 1 && Number(per_day) <= 24;
  return {
    freq,
    interval: (interval as number | undefined) ?? 1,
    weekdays: list(by_weekday),
    monthDays: list(by_month_day),
    months: list(by_month),
    setPos: list(by_set_pos),
    times: list<string>(by_time).toSorted(),
    until: (until as string | undefined) ?? '',
    count: (count as number | undefined) ?? null,
    afterDone: from === 'completion',
    hours: hasHours ? [hours[0] ?? '', hours[1] ?? ''] : NO_HOURS,
    perDay: hasMost ? Number(per_day) : null,
    weekStart: text ? ((week_start as string | undefined) ?? 'mo') : 'mo',
    skipsShort: text !== undefined,
    rest: {
      ...rest,
      ...(!hasHours && between !== undefined && { between }),
      ...(!hasMost && per_day !== undefined && { per_day }),
      ...(!text && week_start !== undefined && { week_start }),
    },
  };
}

/** Only an RRULE can leave out short months, or begin the week on another day. */
const needsText = ({ freq, interval, setPos, weekStart, skipsShort, weekdays, monthDays }: RuleFields): boolean =>
  (freq === 'weekly' && weekStart !== 'mo' && (interval > 1 || setPos.length > 0)) ||
  (isLong(freq) && skipsShort && weekdays.length + monthDays.length === 0);

/** What an RRULE cannot say in turn. */
export const isTextImpossible = (rule: RuleFields): boolean =>
  needsText(rule) && (rule.times.length > 0 || (rule.until !== '' && rule.count !== null));

export function toRecurrence(rule: RuleFields): Record<string, unknown> {
  const from = rule.afterDone && { from: 'completion' };
  if (needsText(rule) && !isTextImpossible(rule)) return { ...rule.rest, rrule: textOf(rule), ...from };
  const { freq, interval, until, count, hours, perDay } = rule;
  const isWithinHours = isClock(freq) && rule.afterDone && hours[0] !== '' && hours[1] !== '';
  return {
    ...rule.rest,
    freq,
    ...(interval > 1 && { interval }),
    ...(!isClock(freq) && daysOf(rule)),
    ...(until !== '' && { until }),
    ...(count !== null && { count }),
    ...from,
    ...(isWithinHours && { between: [...hours] }),
    ...(isWithinHours && perDay !== null && { per_day: perDay }),
  };
}

function daysOf({ weekdays, monthDays, months, setPos, times }: RuleFields): Value {
  const lists = { by_weekday: weekdays, by_month_day: monthDays, by_month: months, by_set_pos: setPos, by_time: times };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function textOf(rule: RuleFields): string {
  const parts: readonly [name: string, value: unknown][] = [
    ['FREQ', rule.freq],
    ['INTERVAL', rule.interval > 1 ? rule.interval : ''],
    ['BYDAY', rule.weekdays],
    ['BYMONTHDAY', rule.monthDays],
    ['BYMONTH', rule.months],
    ['BYSETPOS', rule.setPos],
    ['WKST', rule.weekStart === 'mo' ? '' : rule.weekStart],
    ['COUNT', rule.count ?? ''],
    ['UNTIL', rule.until.replaceAll(/[-:]/g, '')],
  ];
  const written = parts.filter(([, value]) => String(value) !== '').map(([name, value]) => `${name}=${value}`);
  return written.join(';').toUpperCase();
}

/** Another frequency keeps what both can say. */
export function withFrequency(rule: RuleFields, freq: Frequency): RuleFields {
  if (isClock(freq)) return { ...rule, freq, weekdays: [], monthDays: [], months: [], setPos: [], times: [] };
  const weekdays = isLong(freq)
    ? rule.weekdays.filter((day) => /\d/.test(day))
    : rule.weekdays.filter((day) => WEEKDAY_CODES.includes(day as (typeof WEEKDAY_CODES)[number]));
  const monthDays = isLong(freq) ? rule.monthDays : [];
  const hasDays = weekdays.length + monthDays.length + rule.months.length > 0;
  return { ...rule, freq, weekdays, monthDays, setPos: hasDays ? rule.setPos : [], hours: NO_HOURS, perDay: null };
}
