import { daysBetween, toWallTime } from '../../../src/words/wall-time.ts';
import { strings } from '../strings.ts';
import { format } from '../time/format.ts';

/** The heading of a day or a month: "Tomorrow, 18 November", "Thursday, 19 November", "January 2027". */
export function formatHeading(instant: number, zone: string, now: number, kind: 'day' | 'month'): string {
  if (kind === 'month') return format(instant, zone, { month: 'long', year: 'numeric' });
  const [today, day] = [toWallTime(now, zone), toWallTime(instant, zone)];
  const year = today.year === day.year ? {} : { year: 'numeric' as const };
  const date = format(instant, zone, { day: 'numeric', month: 'long', ...year });
  const name = daysBetween(today, day) === 1 ? strings.time.tomorrow : format(instant, zone, { weekday: 'long' });
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}, ${date}`;
}
