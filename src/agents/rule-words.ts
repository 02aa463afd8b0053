/** A recurrence in words, short enough for a list of many tasks. */
import { parseRule } from '../recurrence/parse-rule.ts';
import { type ByWeekday, type DayRule, isClockRule, type Rule, type Until } from '../recurrence/rule.ts';

export type Recurrence = Readonly<Record<string, unknown>>;

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const UNITS = { minutely: 'minute', hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' };
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

/** `every 2 weeks on Mon, Thu at 08:00`. Null for a stored object that is no rule: the task does not repeat. */
export function ruleInWords(recurrence: Recurrence): string | null {
  try {
    const rule = parseRule(recurrence);
    return rule ? describe(rule) : null;
  } catch {
    return null;
  }
}

function describe(rule: Rule): string {
  const unit = UNITS[rule.freq];
  const every = rule.interval === 1 ? `every ${unit}` : `every ${rule.interval} ${unit}s`;
  const days = isClockRule(rule) ? [] : daysInWords(rule);
  const end = [
    ...(rule.until ? [`until ${untilInWords(rule.until)}`] : []),
    ...(rule.count === null ? [] : [`${rule.count} times`]),
    ...(rule.from === 'completion' ? ['counted from when it is done'] : []),
  ];
  return [[every, ...days].join(' '), ...end].join(', ');
}

function daysInWords({ byWeekday, byMonthDay, byMonth, bySetPos, byTime }: DayRule): string[] {
  const on = [...byWeekday.map(weekdayInWords), ...byMonthDay.map(monthDayInWords)];
  return [
    ...(on.length === 0 ? [] : [`on ${isWorkWeek(byWeekday) ? 'Mon to Fri' : on.join(', ')}`]),
    ...(bySetPos.length === 0 ? [] : [`(only the ${bySetPos.map(ordinal).join(', ')} of these)`]),
    ...(byMonth.length === 0 ? [] : [`in ${byMonth.map((month) => MONTHS[month - 1]).join(', ')}`]),
    ...(byTime.length === 0 ? [] : [`at ${byTime.map((time) => time.toString().slice(0, 5)).join(', ')}`]),
  ];
}

const isWorkWeek = (days: readonly ByWeekday[]): boolean =>
  days.length === 5 && days.every(({ day, nth }) => day <= 5 && nth === null);

function weekdayInWords({ day, nth }: ByWeekday): string {
  const name = WEEKDAYS[day - 1] ?? '';
  return nth === null ? name : `the ${ordinal(nth)} ${name}`;
}

const monthDayInWords = (day: number): string => (day > 0 ? `day ${day}` : `the ${ordinal(day)} day`);

/** `first`, `last`, `second to last`, `12th`. */
function ordinal(nth: number): string {
  const name = ORDINALS[Math.abs(nth)] ?? `${Math.abs(nth)}th`;
  if (nth > 0) return name;
  return nth === -1 ? 'last' : `${name} to last`;
}

function untilInWords(until: Until): string {
  if (until.kind === 'date') return until.date.toString();
  return until.kind === 'wall' ? until.wall.toString() : until.instant.toString();
}
