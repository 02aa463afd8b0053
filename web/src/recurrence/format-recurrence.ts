import { WEEKDAY_CODES } from '../../../src/words/names.ts';
import type { Recurrence } from '../../../src/words/recurrence.ts';
import { strings } from '../strings.ts';
import { formatPlainDate } from '../time/format.ts';
import { readRecurrence } from './recurrence.ts';

const { repeat } = strings;

/** "every weekday", "on the 1st of every month, 3 times". */
export function formatRecurrence(value: unknown): string {
  const rule = readRecurrence(value);
  if (!rule) return repeat.custom;
  const times = rule.by_time?.length ? ` ${repeat.atTimes(list([...rule.by_time].sort()))}` : '';
  return [`${formatRhythm(rule)}${times}`, formatEnd(rule)].filter(Boolean).join(', ');
}

function formatRhythm(rule: Recurrence): string {
  const every = repeat.every[rule.freq](rule.interval ?? 1);
  const days = rule.by_weekday?.map(formatWeekday) ?? [];
  if (rule.freq === 'weekly' && isWorkWeek(rule)) return repeat.everyWeekday;
  if (rule.by_month_day?.length && rule.by_month?.length) {
    const months = rule.by_month.map((month) => repeat.months[month - 1] ?? '');
    return repeat.onDatesOf(list(rule.by_month_day.map(repeat.ordinal)), list(months), every);
  }
  if (rule.by_month_day?.length) return repeat.onThe(list(rule.by_month_day.map(repeat.ordinal)), every);
  if (days.length > 0) {
    return rule.freq === 'weekly'
      ? repeat.onDays(list(days), every, rule.interval ?? 1)
      : repeat.onThe(list(days), every);
  }
  return every;
}

const isWorkWeek = ({ by_weekday = [], interval = 1 }: Recurrence) =>
  interval === 1 && [...by_weekday].sort().join() === WEEKDAY_CODES.slice(0, 5).sort().join();

function formatWeekday(entry: string): string {
  const [, nth, day = ''] = /^(-?\d+)?([a-z]{2})/i.exec(entry) ?? [];
  const name = repeat.weekdays[WEEKDAY_CODES.indexOf(day.toLowerCase())] ?? entry;
  return nth === undefined ? name : `${repeat.ordinal(Number(nth))} ${name}`;
}

function formatEnd({ count, until, from }: Recurrence): string {
  const parts = [
    count === undefined ? '' : repeat.times(count),
    until === undefined ? '' : repeat.until(formatPlainDate(until.slice(0, 10))),
    from === 'completion' ? repeat.afterDone : '',
  ];
  return parts.filter(Boolean).join(', ');
}

const list = (words: readonly string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(words);
