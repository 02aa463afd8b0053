/** Converts a task to the fields of the editor, and changed fields to an update. Pure. */

import type { Recurrence } from '../../../src/words/recurrence.ts';
import type { DayFrequency } from '../../../src/words/rule-keys.ts';
import { formatIsoDate, formatIsoTime, parseWallTime, toIsoString, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task, TaskUpdate } from '../api/client.ts';
import { NO_LABEL } from '../find/labels.ts';
import { readRecurrence } from '../recurrence/recurrence.ts';

export interface EditFields {
  readonly title: string;
  readonly notes: string;
  readonly kind: string;
  readonly date: string;
  readonly time: string;
  /** `custom`: a rule that the editor cannot show and does not change. */
  readonly freq: DayFrequency | 'never' | 'custom';
  readonly interval: number;
  readonly weekdays: readonly string[];
  readonly monthDays: string;
  readonly ends: string;
  readonly afterDone: boolean;
  readonly lead: string;
  readonly escalates: boolean;
  readonly mustNotMiss: boolean;
  readonly spaceId: string;
}

export function toFields(task: Task, zone: string): EditFields {
  const rule = readRecurrence(task.recurrence);
  const due = task.due_at === null ? undefined : toWallTime(Date.parse(task.due_at), zone);
  return {
    title: task.title,
    notes: task.notes ?? '',
    kind: task.kind === NO_LABEL ? '' : task.kind,
    date: due ? formatIsoDate(due) : '',
    time: due && task.has_time ? formatIsoTime(due) : '',
    freq: freqOf(task.recurrence, rule),
    interval: rule?.interval ?? 1,
    weekdays: rule?.by_weekday ?? [],
    monthDays: rule?.by_month_day?.join(', ') ?? '',
    ends: rule?.until?.slice(0, 10) ?? '',
    afterDone: rule?.from === 'completion',
    lead: task.lead_time_days === null ? '' : String(task.lead_time_days),
    escalates: task.mode === 'escalate',
    mustNotMiss: task.break_quiet_hours,
    spaceId: task.space_id ?? '',
  };
}

/** A rule with any other key is `custom`: saving it from these fields would lose that key. */
const EDITABLE_KEYS = ['freq', 'interval', 'by_weekday', 'by_month_day', 'until', 'from'];

function freqOf(recurrence: unknown, rule: Recurrence | undefined): EditFields['freq'] {
  if (recurrence === null) return 'never';
  if (!rule || rule.freq === 'hourly' || rule.freq === 'minutely') return 'custom';
  return Object.keys(rule).every((key) => EDITABLE_KEYS.includes(key)) ? rule.freq : 'custom';
}

/** Contains only the changed fields: sending the date again would restart the ladder. */
export function toUpdate(before: EditFields, after: EditFields, zone: string): TaskUpdate {
  const changed = (...names: readonly (keyof EditFields)[]) =>
    names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return {
    ...(changed('title') && { title: after.title.trim() }),
    ...(changed('notes') && { notes: after.notes.trim() === '' ? null : after.notes }),
    ...(changed('kind') && { kind: after.kind.trim() || NO_LABEL }),
    ...(changed('date', 'time') && dueOf(after, zone)),
    ...(changed('freq', 'interval', 'weekdays', 'monthDays', 'ends', 'afterDone') &&
      after.freq !== 'custom' && { recurrence: recurrenceOf(after) }),
    ...(changed('lead') && { lead_time_days: after.lead === '' ? null : Number(after.lead) }),
    ...(changed('escalates') && { mode: after.escalates ? 'escalate' : 'notify_once' }),
    ...(changed('mustNotMiss') && { break_quiet_hours: after.mustNotMiss }),
    ...(changed('spaceId') && { space_id: after.spaceId === '' ? null : after.spaceId }),
  };
}

function dueOf({ date, time }: EditFields, zone: string): Pick<TaskUpdate, 'due_at' | 'has_time'> {
  const wall = parseWallTime(date, time === '' ? '12:00' : time);
  return wall ? { due_at: toIsoString(wall, zone), has_time: time !== '' } : { due_at: null, has_time: false };
}

const splitDays = (text: string): string[] => text.split(/[\s,]+/).filter((day) => day !== '');

/** Days are counted from the start of the month, or with a minus sign from its end. */
export function hasBadMonthDay({ freq, monthDays }: EditFields): boolean {
  if (freq !== 'monthly') return false;
  return splitDays(monthDays).some((day) => !/^[-−]?([1-9]|[12]\d|3[01])$/.test(day));
}

/** Such a task would never come. The dates are ISO dates, which sort as text. */
export const endsBeforeStart = ({ freq, ends, date }: EditFields): boolean =>
  freq !== 'never' && freq !== 'custom' && ends !== '' && date !== '' && ends < date;

function recurrenceOf({
  freq,
  interval,
  weekdays,
  monthDays,
  ends,
  afterDone,
}: EditFields): Record<string, unknown> | null {
  if (freq === 'never' || freq === 'custom') return null;
  const days = splitDays(monthDays).map((day) => Number(day.replace('−', '-')));
  return {
    freq,
    ...(interval > 1 && { interval }),
    ...(weekdays.length > 0 &&
      (freq === 'weekly' || weekdays.some((day) => /\d/.test(day))) && { by_weekday: [...weekdays] }),
    ...(freq === 'monthly' && days.length > 0 && { by_month_day: days }),
    ...(ends !== '' && { until: ends }),
    ...(afterDone && { from: 'completion' }),
  };
}
