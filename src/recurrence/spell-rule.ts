/**
 * Writes a parsed rule back in the forms that `parse-rule.ts` reads. Each form can hold what the other cannot: the object
 * times of the day, two ends and "the 31st, or the last day of a shorter month"; the RRULE a first day of the week, and
 * months that are skipped because they are too short. Every rule that can be parsed has at least one of the two.
 */
import { WEEKDAY_CODES } from '../words/names.ts';
import { type DayRule, type Hours, isClockRule, namesNoDay, type Rule, type Until } from './rule.ts';

type RuleObject = Readonly<Record<string, unknown>>;

/** Rules with the same dates are equal, apart from the order of weekdays. */
export function normalRule(rule: Rule): Rule {
  const until = rule.until && withinYears(rule.until);
  if (isClockRule(rule)) return { ...rule, until };
  // Otherwise the first day of the week decides nothing.
  const hasWeeks = rule.freq === 'weekly' && (rule.interval > 1 || rule.bySetPos.length > 0);
  return { ...rule, until, weekStart: hasWeeks ? rule.weekStart : 1 };
}

const EARLIEST = Temporal.Instant.from('0000-01-01T00:00:00Z');
const LATEST = Temporal.Instant.from('9999-12-31T23:59:59Z');

/** An offset can carry the instant of a date-time over the years that have four digits, where no occurrence is. */
function withinYears(until: Until): Until {
  if (until.kind !== 'instant') return until;
  if (Temporal.Instant.compare(until.instant, EARLIEST) < 0) return { ...until, instant: EARLIEST };
  return Temporal.Instant.compare(until.instant, LATEST) > 0 ? { ...until, instant: LATEST } : until;
}

/** Undefined if the object form means other dates. */
export function ruleAsObject(given: Rule): RuleObject | undefined {
  const rule = normalRule(given);
  if (isClockRule(rule)) return partsOfRule(rule);
  const isClamped = (rule.freq === 'monthly' || rule.freq === 'yearly') && namesNoDay(rule);
  return rule.weekStart === 1 && rule.clampToMonthEnd === isClamped ? partsOfRule(rule) : undefined;
}

/** All that both forms can say, in the keys of the object form. */
export const partsOfRule = (rule: Rule): RuleObject => ({
  freq: rule.freq,
  ...(rule.interval !== 1 && { interval: rule.interval }),
  ...(!isClockRule(rule) && daysAsObject(rule)),
  ...(rule.until !== null && { until: untilAsText(rule.until) }),
  ...(rule.count !== null && { count: rule.count }),
  ...(rule.from === 'completion' && { from: rule.from }),
  ...(isClockRule(rule) && rule.hours && hoursAsObject(rule.hours)),
});

const hoursAsObject = ({ start, end, most }: Hours): RuleObject => ({
  between: [start, end].map((time) => time.toString().slice(0, 5)),
  ...(most !== null && { per_day: most }),
});

function daysAsObject({ byWeekday, byMonthDay, byMonth, bySetPos, byTime }: DayRule): RuleObject {
  const lists = {
    by_weekday: byWeekday.map(({ day, nth }) => `${nth ?? ''}${WEEKDAY_CODES[day - 1]}`),
    by_month_day: byMonthDay,
    by_month: byMonth,
    by_set_pos: bySetPos,
    by_time: byTime.map((time) => time.toString().slice(0, 5)),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** Without `from`, which no RRULE has. Undefined if an RRULE means other dates. */
export function ruleAsRrule(given: Rule): string | undefined {
  const rule = normalRule(given);
  const until = rule.until === null ? '' : untilAsRrule(rule.until);
  if (until === undefined || (rule.until !== null && rule.count !== null)) return undefined;
  if (isClockRule(rule) ? rule.hours : rule.clampToMonthEnd || rule.byTime.length > 0) return undefined;
  return [
    `FREQ=${rule.freq.toUpperCase()}`,
    ...(rule.interval === 1 ? [] : [`INTERVAL=${rule.interval}`]),
    ...(isClockRule(rule) ? [] : daysAsRrule(rule)),
    ...(rule.count === null ? [] : [`COUNT=${rule.count}`]),
    ...(until === '' ? [] : [`UNTIL=${until}`]),
  ].join(';');
}

function daysAsRrule({ byWeekday, byMonthDay, byMonth, bySetPos, weekStart }: DayRule): string[] {
  const code = (day: number) => (WEEKDAY_CODES[day - 1] ?? '').toUpperCase();
  const lists = {
    BYMONTH: byMonth,
    BYMONTHDAY: byMonthDay,
    BYDAY: byWeekday.map(({ day, nth }) => `${nth ?? ''}${code(day)}`),
    BYSETPOS: bySetPos,
    WKST: weekStart === 1 ? [] : [code(weekStart)],
  };
  return Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [`${name}=${list.join(',')}`]));
}

export function untilAsText(until: Until): string {
  if (until.kind === 'date') return until.date.toString();
  return until.kind === 'wall' ? until.wall.toString() : until.instant.toString();
}

/** Undefined for a fraction of a second. */
function untilAsRrule(until: Until): string | undefined {
  const text = untilAsText(until).replaceAll(/[-:]/g, '');
  return text.includes('.') ? undefined : text;
}
