/** Groups the user's open tasks under the headings of Today. Pure. */
import type { Task } from '../api/client.ts';
import { daysBetween, toWallTime } from '../time/wall-time.ts';

export const HEADINGS = ['overdue', 'due', 'coming', 'snoozed', 'someday'] as const;
type Heading = (typeof HEADINGS)[number];

export type Groups = Readonly<Record<Heading | 'requests', readonly Task[]>>;

export function groupTasks(tasks: Iterable<Task>, userId: string, now: number, zone: string): Groups {
  const groups: Record<Heading | 'requests', Task[]> = {
    overdue: [],
    due: [],
    coming: [],
    snoozed: [],
    someday: [],
    requests: [],
  };
  for (const task of tasks) {
    if (task.owner_id === userId && task.status === 'open') groups[headingOf(task, now, zone)].push(task);
  }
  for (const group of Object.values(groups)) group.sort(byMoment(now));
  return groups;
}

function headingOf(task: Task, now: number, zone: string): Heading | 'requests' {
  if (!task.accepted_by_owner) return 'requests';
  if (task.deferred_until !== null && Date.parse(task.deferred_until) > now) return 'snoozed';
  if (task.due_at === null) return 'someday';
  const due = Date.parse(task.due_at);
  if (task.has_time && due <= now) return 'overdue';
  const distance = daysBetween(toWallTime(now, zone), toWallTime(due, zone));
  if (distance < 0) return 'overdue';
  return distance === 0 ? 'due' : 'coming';
}

/** A snooze that is over says nothing about where the task belongs. */
const byMoment = (now: number) => (a: Task, b: Task) =>
  momentOf(a, now) - momentOf(b, now) || a.title.localeCompare(b.title);

function momentOf({ deferred_until, due_at, created_at }: Task, now: number): number {
  const snoozedUntil = Date.parse(deferred_until ?? '');
  return snoozedUntil > now ? snoozedUntil : Date.parse(due_at ?? created_at);
}
