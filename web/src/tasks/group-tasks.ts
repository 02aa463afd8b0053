/** Groups the user's open tasks under the headings of Today, Upcoming and Someday. Pure. */

import { addDays, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import { isSnoozed, momentOf } from '../time/due-moment.ts';

/** The lists, and the headings of each in their order. */
export const LISTS = {
  today: ['overdue', 'due', 'later'],
  upcoming: ['upcoming'],
  someday: ['someday'],
} as const satisfies Record<string, readonly string[]>;

export type ListName = keyof typeof LISTS;
export type Heading = (typeof LISTS)[ListName][number];
export type Groups = Readonly<Record<Heading | 'requests', readonly Task[]>>;

export function groupTasks(tasks: Iterable<Task>, userId: string, now: number, zone: string): Groups {
  const groups: Record<Heading | 'requests', { task: Task; moment: number }[]> = {
    overdue: [],
    due: [],
    later: [],
    upcoming: [],
    someday: [],
    requests: [],
  };
  const days = dayStarts(now, zone);
  for (const task of tasks) {
    if (task.owner_id !== userId || task.status !== 'open') continue;
    const moment = momentOf(task, now);
    groups[headingOf(task, moment, now, days)].push({ task, moment: moment ?? Date.parse(task.created_at) });
  }
  const inOrder = (group: (typeof groups)[Heading]) =>
    group.sort((a, b) => a.moment - b.moment || a.task.title.localeCompare(b.task.title)).map(({ task }) => task);
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, inOrder(group)])) as unknown as Groups;
}

export const countTasks = (groups: Groups, list: ListName): number =>
  LISTS[list].reduce((count, heading) => count + groups[heading].length, 0);

/** The midnights of today and tomorrow. Computed once, because zones are slow. */
function dayStarts(now: number, zone: string) {
  const today = { ...toWallTime(now, zone), hour: 0, minute: 0 };
  const start = (days: number) => toInstant(addDays(today, days), zone);
  return { today: start(0), tomorrow: start(1) };
}

function headingOf(
  task: Task,
  moment: number | undefined,
  now: number,
  days: ReturnType<typeof dayStarts>,
): Heading | 'requests' {
  if (!task.accepted_by_owner) return 'requests';
  if (moment === undefined) return 'someday';
  if (isSnoozed(task, now)) return moment < days.tomorrow ? 'later' : 'upcoming';
  const isTimed = task.has_time || task.due_at === null;
  if (moment < days.today || (isTimed && moment <= now)) return 'overdue';
  return moment < days.tomorrow ? 'due' : 'upcoming';
}
