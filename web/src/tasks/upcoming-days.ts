/** Puts what is to come under days, and beyond some weeks under months. Pure. */
import { addDays, daysBetween, formatIsoDate, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { AgendaEntry, Task } from '../api/client.ts';
import { isRepeating } from '../recurrence/recurrence.ts';
import { momentOf } from '../time/due-moment.ts';

/** Days have headings of their own as far as this. */
const DAYS_SHOWN = 35;

export type UpcomingRow = {
  readonly key: string;
  readonly at: number;
  /** The rows that follow have the same. */
  readonly heading?: { readonly kind: 'day' | 'month'; readonly at: number };
} & ({ readonly task: Task } | { readonly occurrence: AgendaEntry });

/**
 * The tasks at their next moment, and the later dates of those that repeat. A date that the task has passed meanwhile,
 * because it was moved or done here, is left out.
 */
export function upcomingRows(
  tasks: readonly Task[],
  occurrences: readonly AgendaEntry[],
  repeating: ReadonlyMap<string, Task>,
  now: number,
  zone: string,
): UpcomingRow[] {
  const rows: UpcomingRow[] = tasks.map((task) => ({ key: task.id, at: momentOf(task, now) ?? now, task }));
  for (const occurrence of occurrences) {
    const task = repeating.get(occurrence.task_id);
    const at = Date.parse(occurrence.at);
    if (!task || (task.due_at !== null && at <= Date.parse(task.due_at))) continue;
    rows.push({ key: `${occurrence.task_id} ${occurrence.at}`, at, occurrence });
  }
  const titleOf = (row: UpcomingRow) => ('task' in row ? row.task : row.occurrence).title;
  rows.sort((a, b) => a.at - b.at || titleOf(a).localeCompare(titleOf(b)));
  return withHeadings(rows, now, zone);
}

/** Asks for the day of the first row of each group alone: a zone is slow, and there can be thousands of rows. */
function withHeadings(rows: readonly UpcomingRow[], now: number, zone: string): UpcomingRow[] {
  const today = toWallTime(now, zone);
  let end = Number.NEGATIVE_INFINITY;
  return rows.map((row) => {
    if (row.at < end) return row;
    const day = { ...toWallTime(row.at, zone), hour: 0, minute: 0 };
    const kind = daysBetween(today, day) <= DAYS_SHOWN ? 'day' : 'month';
    end = toInstant(kind === 'day' ? addDays(day, 1) : nextMonth(day), zone);
    return { ...row, heading: { kind, at: row.at } };
  });
}

const nextMonth = <T extends { year: number; month: number }>(day: T): T =>
  day.month === 12 ? { ...day, year: day.year + 1, month: 1, day: 1 } : { ...day, month: day.month + 1, day: 1 };

/** The tasks that have later dates. */
export const seriesOf = (tasks: readonly Task[]): ReadonlyMap<string, Task> =>
  new Map(tasks.filter(isSeries).map((task) => [task.id, task]));

const isSeries = ({ status, accepted_by_owner, recurrence }: Task): boolean =>
  status === 'open' && accepted_by_owner && isRepeating(recurrence);

/** Another one whenever a repeating task was added, changed or closed. */
export function versionOf(repeating: ReadonlyMap<string, Task>): string {
  let latest = '';
  for (const { updated_at } of repeating.values()) if (updated_at > latest) latest = updated_at;
  return `${repeating.size} ${latest}`;
}

/** The first row on the day or after it. Undefined if nothing is that late. */
export function firstRowFrom(rows: readonly UpcomingRow[], day: string, zone: string): number | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = toInstant({ year, month, day: date, hour: 0, minute: 0 }, zone);
  const index = rows.findIndex(({ at }) => at >= start);
  return index === -1 ? undefined : index;
}

/** The date so many days after today, as forms and the service write it. */
export const isoDayAfter = (now: number, zone: string, days: number): string =>
  formatIsoDate(addDays(toWallTime(now, zone), days));
