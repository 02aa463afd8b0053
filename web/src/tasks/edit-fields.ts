/** Converts a task to the fields of the editor, and changed fields to an update. Pure. */

import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import {
  type Day,
  formatIsoDate,
  formatIsoTime,
  lastDayIn,
  parseWallTime,
  toIsoString,
  toWallTime,
  weekdayOf,
} from '../../../src/words/wall-time.ts';
import type { MoveRequest, Task, TaskUpdate } from '../api/client.ts';
import { NO_LABEL } from '../find/labels.ts';
import { isClock, isTextImpossible, type RuleFields, toRecurrence, toRuleFields } from '../recurrence/rule-fields.ts';

export interface EditFields {
  readonly title: string;
  readonly notes: string;
  readonly kind: string;
  readonly date: string;
  readonly time: string;
  /** Null without one; `kept` for an object that is not a rule, by which the task does not repeat. */
  readonly rule: RuleFields | 'kept' | null;
  readonly lead: string;
  readonly escalates: boolean;
  readonly mustNotMiss: boolean;
  readonly spaceId: string;
}

export function toFields(task: Task, zone: string): EditFields {
  const due = task.due_at === null ? undefined : toWallTime(Date.parse(task.due_at), zone);
  return {
    title: task.title,
    notes: task.notes ?? '',
    kind: task.kind === NO_LABEL ? '' : task.kind,
    date: due ? formatIsoDate(due) : '',
    time: due && task.has_time ? formatIsoTime(due) : '',
    rule: task.recurrence === null ? null : (toRuleFields(task.recurrence) ?? 'kept'),
    lead: task.lead_time_days === null ? '' : String(task.lead_time_days),
    escalates: task.mode === 'escalate',
    mustNotMiss: task.break_quiet_hours,
    spaceId: task.space_id ?? '',
  };
}

const differ = (before: EditFields, after: EditFields, ...names: readonly (keyof EditFields)[]): boolean =>
  names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

/** Contains only the changed fields: sending the date again would restart the ladder. */
export function toUpdate(before: EditFields, after: EditFields, zone: string): TaskUpdate {
  const changed = (...names: readonly (keyof EditFields)[]) => differ(before, after, ...names);
  const { rule } = after;
  return {
    ...(changed('title') && { title: after.title.trim() }),
    ...(changed('notes') && { notes: after.notes.trim() === '' ? null : after.notes }),
    ...(changed('kind') && { kind: after.kind.trim() || NO_LABEL }),
    ...(changed('date', 'time') && dueOf(after, zone)),
    ...(changed('rule') && rule !== 'kept' && { recurrence: rule && toRecurrence(rule) }),
    ...(changed('lead') && { lead_time_days: after.lead === '' ? null : Number(after.lead) }),
    ...(changed('escalates') && { mode: after.escalates ? 'escalate' : 'notify_once' }),
    ...(changed('mustNotMiss') && { break_quiet_hours: after.mustNotMiss }),
    ...(changed('spaceId') && { space_id: after.spaceId === '' ? null : after.spaceId }),
  };
}

function dueOf({ date, time }: EditFields, zone: string) {
  const wall = parseWallTime(date, time === '' ? '12:00' : time);
  return wall ? { due_at: toIsoString(wall, zone), has_time: time !== '' } : { due_at: null, has_time: false };
}

/** Whether the edit can mean this occurrence alone: a series gets another date or time and keeps its rule. */
export const canMoveOne = (before: EditFields, after: EditFields): boolean =>
  before.rule !== null &&
  before.rule !== 'kept' &&
  before.date !== '' &&
  after.date !== '' &&
  (before.time === '') === (after.time === '') &&
  differ(before, after, 'date', 'time') &&
  !differ(before, after, 'rule');

/** The move of this occurrence, and what else the edit changes. */
export function toMove(task: Task, before: EditFields, after: EditFields, zone: string) {
  const { due_at } = dueOf(after, zone);
  const move: MoveRequest = { due_at: due_at ?? '', date_only: after.time === '', occurrence_due_at: task.due_at };
  return { move, rest: toUpdate(before, { ...after, date: before.date, time: before.time }, zone) };
}

/**
 * The fields with a rule that follows the new date and time: a Monday becomes a Tuesday, 08:00 one of two times 09:00.
 * Otherwise the next date would fall back to the old one.
 */
export function withMovedRule(before: EditFields, after: EditFields): EditFields {
  const { rule } = after;
  if (!canMoveOne(before, after) || rule === null || rule === 'kept') return after;
  const [old, day] = [parseWallTime(before.date, '12:00'), parseWallTime(after.date, '12:00')];
  if (!old || !day) return after;
  const times = rule.times.map((time) => (time === before.time ? after.time : time));
  const moved = before.date === after.date ? rule : { ...rule, ...movedDays(rule, old, day) };
  return { ...after, rule: { ...moved, times: [...new Set(times)].sort() } };
}

function movedDays({ weekdays, monthDays, months }: RuleFields, old: Day, day: Day): Partial<RuleFields> {
  const fromEnd = ({ year, month, day }: Day) => day - lastDayIn(year, month) - 1;
  const replace = <T>(list: readonly T[], pairs: readonly (readonly [T, T])[]): T[] => [
    ...new Set(list.map((entry) => pairs.find(([from]) => from === entry)?.[1] ?? entry)),
  ];
  const code = (of: Day) => WEEKDAY_CODES[weekdayOf(of) - 1] ?? '';
  const nth = (of: Day) => `${Math.ceil(of.day / 7)}${code(of)}`;
  const nthFromEnd = (of: Day) => `${-Math.ceil(-fromEnd(of) / 7)}${code(of)}`;
  return {
    weekdays: replace<string>(weekdays, [
      [code(old), code(day)],
      [nth(old), nth(day)],
      [nthFromEnd(old), nthFromEnd(day)],
    ]),
    monthDays: replace(monthDays, [
      [old.day, day.day],
      [fromEnd(old), fromEnd(day)],
    ]),
    months: replace(months, [[old.month, day.month]]),
  };
}

export type RuleProblem = 'needsDate' | 'needsTime' | 'endsTooEarly' | 'oneHour' | 'hoursUnused' | 'notTogether';

/** Why the rule cannot be saved as it is. Dates are ISO dates, which sort as text. */
export function ruleProblem({ rule, date, time }: EditFields): RuleProblem | undefined {
  if (rule === null || rule === 'kept') return undefined;
  if (date === '') return 'needsDate';
  if (time === '' && (isClock(rule.freq) || rule.times.length > 0)) return 'needsTime';
  if (rule.until !== '' && rule.until.slice(0, 10) < date) return 'endsTooEarly';
  const [start, end] = rule.hours;
  if (start === end ? start !== '' : start === '' || end === '') return 'oneHour';
  if (start !== '' && !rule.afterDone) return 'hoursUnused';
  return isTextImpossible(rule) ? 'notTogether' : undefined;
}
