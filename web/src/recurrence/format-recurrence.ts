import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import type { Recurrence } from '../../../src/words/recurrence.ts';
import { strings } from '../strings.ts';
import { formatClock, formatPlainDate } from '../time/format.ts';
import { readRecurrence } from './recurrence.ts';

const { repeat } = strings;

/** "every weekday", "on the 1st of every month, 3 times". */
export function formatRecurrence(value: unknown): string {
  const rule = readRecurrence(value);
  if (!rule) return repeat.custom;
  const times = rule.by_time?.length ? ` ${repeat.atTimes(list([...rule.by_time].sort().map(formatClock)))}` : '';
  return [`${formatRhythm(rule)}${times}`, formatEnd(rule)].filter(Boolean).join(', ');
}

function formatRhythm(rule: Recurrence): string {
  const { freq, interval = 1, by_month_day: dates = [], by_month = [], by_set_pos = [] } = rule;
  const every = repeat.every[freq](interval);
  const days = rule.by_weekday?.map(formatWeekday) ?? [];
  const months = list(by_month.map((month) => repeat.months[month - 1] ?? ''));
  const isPlain = by_set_pos.length === 0 && (dates.length === 0 || days.length === 0);
  if (isPlain && months === '' && freq === 'weekly' && isWorkWeek(rule)) return repeat.everyWeekday;
  if (isPlain && dates.length > 0 && months !== '') {
    return repeat.onDatesOf(list(dates.map(repeat.monthDay)), months, every);
  }
  const places = list(by_set_pos.map(repeat.ordinal));
  const on =
    by_set_pos.length === 1 && freq === 'monthly' && dates.length === 0 && isWorkWeek(rule)
      ? repeat.onThe(`${places} ${repeat.workingDay}`, every)
      : `${formatDays(rule, dates, days, every)}${places && ` ${repeat.onlyThe(places)}`}`;
  return `${on}${months === '' ? '' : ` ${repeat.inMonths(months)}`}`;
}

function formatDays({ freq, interval = 1 }: Recurrence, dates: readonly number[], days: string[], every: string) {
  if (dates.length > 0) {
    const on = repeat.onThe(list(dates.map(repeat.monthDay)), every);
    return days.length === 0 ? on : `${on} ${repeat.ifOn(list(days))}`;
  }
  if (days.length === 0) return every;
  return freq === 'weekly' || freq === 'daily'
    ? repeat.onDays(list(days), every, freq === 'weekly' ? interval : 2)
    : repeat.onThe(list(days), every);
}

const isWorkWeek = ({ by_weekday = [], interval = 1 }: Recurrence) =>
  interval === 1 && [...by_weekday].sort().join() === WEEKDAY_CODES.slice(0, 5).sort().join();

function formatWeekday(entry: string): string {
  const [, nth, day = ''] = /^(-?\d+)?([a-z]{2})/i.exec(entry) ?? [];
  const name = repeat.weekdays[WEEKDAY_CODES.indexOf(day.toLowerCase())] ?? entry;
  return nth === undefined ? name : `${repeat.ordinal(Number(nth))} ${name}`;
}

function formatEnd({ count, until, from, between, per_day }: Recurrence): string {
  const hasHours = from === 'completion' && between?.length === 2;
  const parts = [
    hasHours ? repeat.between(String(between[0]), String(between[1])) : '',
    hasHours && per_day !== undefined ? repeat.perDay(per_day) : '',
    count === undefined ? '' : repeat.times(count),
    until === undefined ? '' : repeat.until(formatPlainDate(until.slice(0, 10))),
    from === 'completion' ? repeat.afterDone : '',
  ];
  return parts.filter(Boolean).join(', ');
}

const list = (words: readonly string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(words);
