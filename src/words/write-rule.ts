/**
 * Writes a rule in words, short enough for a list of many tasks; `read-rule.ts` reads them back. The web app writes rules
 * from its own catalogue, so that they can be translated.
 */
import { ORDINALS } from './lexicon.ts';
import { MONTH_NAMES, shortName, WEEKDAY_NAMES } from './names.ts';
import type { Frequency } from './rule-keys.ts';

/** Numbered as in ISO 8601: Monday is 1. With `nth` the second such weekday, or with -1 the last. */
interface WrittenWeekday {
  readonly day: number;
  readonly nth: number | null;
}

/** A parsed rule of the service. An hourly or minutely one has no days. */
interface WrittenRule {
  readonly freq: Frequency;
  readonly interval: number;
  readonly byWeekday?: readonly WrittenWeekday[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  /** Texts or objects that begin with `08:00` when they are written. */
  readonly byTime?: readonly { toString(): string }[];
  readonly until: string | null;
  readonly count: number | null;
  readonly from: 'due' | 'completion';
  readonly hours?: WrittenHours | null;
}

interface WrittenHours {
  readonly start: { toString(): string };
  readonly end: { toString(): string };
  readonly most: number | null;
}

const UNITS = { minutely: 'minute', hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' };

/** `every 2 weeks on Mon, Thu at 08:00`. */
export function writeRule(rule: WrittenRule): string {
  const unit = UNITS[rule.freq];
  const every = rule.interval === 1 ? `every ${unit}` : `every ${rule.interval} ${unit}s`;
  const end = [
    ...(rule.until === null ? [] : [`until ${rule.until}`]),
    ...(rule.count === null ? [] : [`${rule.count} times`]),
    ...(rule.hours ? hoursInWords(rule.hours) : []),
    ...(rule.from === 'completion' ? ['counted from when it is done'] : []),
  ];
  return [[every, ...daysInWords(rule)].join(' '), ...end].join(', ');
}

const hoursInWords = ({ start, end, most }: WrittenHours): string[] => [
  `between ${start.toString().slice(0, 5)} and ${end.toString().slice(0, 5)}`,
  ...(most === null ? [] : [`at most ${most} a day`]),
];

function daysInWords({ byWeekday = [], byMonthDay = [], byMonth = [], bySetPos = [], byTime = [] }: WrittenRule) {
  const on = [...byWeekday.map(weekdayInWords), ...byMonthDay.map(monthDayInWords)];
  return [
    ...(on.length === 0 ? [] : [`on ${isWorkWeek(byWeekday) ? 'Mon to Fri' : on.join(', ')}`]),
    ...(bySetPos.length === 0 ? [] : [`(only the ${bySetPos.map(ordinal).join(', ')} of these)`]),
    ...(byMonth.length === 0 ? [] : [`in ${byMonth.map((month) => shortName(MONTH_NAMES[month - 1])).join(', ')}`]),
    ...(byTime.length === 0 ? [] : [`at ${byTime.map((time) => time.toString().slice(0, 5)).join(', ')}`]),
  ];
}

const isWorkWeek = (days: readonly WrittenWeekday[]): boolean =>
  days.length === 5 && days.every(({ day, nth }) => day <= 5 && nth === null);

function weekdayInWords({ day, nth }: WrittenWeekday): string {
  const name = shortName(WEEKDAY_NAMES[day - 1]);
  return nth === null ? name : `the ${ordinal(nth)} ${name}`;
}

const monthDayInWords = (day: number): string => (day > 0 ? `day ${day}` : `the ${ordinal(day)} day`);

/** `first`, `last`, `second to last`, `12th`. */
function ordinal(nth: number): string {
  const name = ORDINALS[Math.abs(nth) - 1] ?? `${Math.abs(nth)}th`;
  if (nth > 0) return name;
  return nth === -1 ? 'last' : `${name} to last`;
}
