/** A recurrence rule after parsing. Every part is valid, and the object form and the string form share this shape. */
export type Rule = DayRule | ClockRule;

export type DayFrequency = 'daily' | 'weekly' | 'monthly' | 'yearly';
export type ClockFrequency = 'hourly' | 'minutely';
export type Frequency = DayFrequency | ClockFrequency;

/** Numbered as in ISO 8601: Monday is 1. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface ByWeekday {
  readonly day: Weekday;
  /** 2 is the second such weekday, -1 the last; null means every one. */
  readonly nth: number | null;
}

/** The last moment that belongs to the series. A date includes its whole day. */
export type Until =
  | { readonly kind: 'date'; readonly date: Temporal.PlainDate }
  | { readonly kind: 'wall'; readonly wall: Temporal.PlainDateTime }
  | { readonly kind: 'instant'; readonly instant: Temporal.Instant };

interface AnyRule {
  readonly interval: number;
  readonly until: Until | null;
  readonly count: number | null;
  readonly from: 'due' | 'completion';
}

/** Repeats after a fixed time, counted in elapsed hours or minutes. A change of clocks does not move it. */
export interface ClockRule extends AnyRule {
  readonly freq: ClockFrequency;
  /** Only of a rule that counts from completion: others name their times of the day. */
  readonly hours: Hours | null;
}

/** The hours of the day in which a rule may ask, both ends included. They may pass midnight. */
export interface Hours {
  readonly start: Temporal.PlainTime;
  readonly end: Temporal.PlainTime;
  /** How often a day, however early the last one was closed; null without a limit. */
  readonly most: number | null;
}

/** Repeats on days of the calendar, on the user's wall clock. */
export interface DayRule extends AnyRule {
  readonly freq: DayFrequency;
  readonly byWeekday: readonly ByWeekday[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** The times of each day, ascending; empty means the time of the first date. */
  readonly byTime: readonly Temporal.PlainTime[];
  readonly weekStart: Weekday;
  /**
   * Whether a month that is too short gets its last day instead of being skipped. RFC 5545 skips it
   * (there is no 31 April). The object form without a named day does not: a reminder must not be lost
   * because its first date happened to be late in a long month.
   */
  readonly clampToMonthEnd: boolean;
}

export function isClockRule(rule: Rule): rule is ClockRule {
  return rule.freq === 'hourly' || rule.freq === 'minutely';
}

/** Whether only a task with a time can repeat by the rule. */
export function needsTime(rule: Rule): boolean {
  return isClockRule(rule) || rule.byTime.length > 0;
}

/** Whether the rule names no days, so that its days follow from the first date of the series. */
export function namesNoDay({ byWeekday, byMonthDay }: Pick<DayRule, 'byWeekday' | 'byMonthDay'>): boolean {
  return byWeekday.length === 0 && byMonthDay.length === 0;
}

export class RuleError extends Error {
  override readonly name = 'RuleError';
  /** The wrong key of the recurrence object; `rrule` for anything inside the string form. */
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}
