/** How a task is moved to another day. Pure. */

import {
  formatIsoDate,
  formatIsoTime,
  parseWallTime,
  toInstant,
  toIsoString,
  toWallTime,
} from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import type { TaskChange } from '../data/task-actions.ts';
import { isRepeating } from '../recurrence/recurrence.ts';

const HOUR_MS = 3_600_000;

/**
 * The task keeps its time of day. If that time has passed already, the task is due on that day without a time.
 * A repeating task is snoozed instead: a new date would move all its later occurrences too.
 */
export function redate(task: Task, date: string, now: number, zone: string): TaskChange {
  const due = task.due_at !== null && task.has_time ? toWallTime(Date.parse(task.due_at), zone) : undefined;
  const wall = parseWallTime(date, due ? formatIsoTime(due) : '12:00');
  if (!wall) throw new RangeError(`${date} is not a date.`);
  const moment = toInstant(wall, zone);
  const isAhead = moment > now;
  if (!isRepeating(task.recurrence)) {
    const body = { due_at: toIsoString(wall, zone), has_time: due !== undefined && isAhead };
    return { kind: 'edit', task, body };
  }
  const until = new Date(isAhead ? moment : now + HOUR_MS).toISOString();
  return { kind: 'snooze', task, body: { occurrence_due_at: task.due_at, until } };
}

export const todayIn = (zone: string, now: number): string => formatIsoDate(toWallTime(now, zone));
