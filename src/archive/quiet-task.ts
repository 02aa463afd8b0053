/**
 * A list that comes from another program may hold years of things that were never ticked off. To nudge
 * of all of them at once would make their owner turn nudges off, so what is long overdue comes in
 * quietly: it is shown as overdue, and its one nudge counts as given.
 */
import { derive } from '../tasks/plan-task.ts';
import type { Arrival } from '../tasks/restoration.service.ts';
import type { Reader } from './read-task.ts';

const LONG_MS = 86_400_000;

export const isLongOverdue = ({ status, overdue_at }: Arrival['task'], now: Date): boolean =>
  status === 'open' && overdue_at !== null && now.getTime() - overdue_at.getTime() > LONG_MS;

export function hushed({ task, ...arrival }: Arrival, { owner, now }: Reader): Arrival {
  const given = { mode: 'notify_once', step: 1, last_nudge_at: now, run_started_at: now };
  const quiet = { ...task, ...given };
  return { ...arrival, task: { ...quiet, ...derive(quiet, owner, now) } };
}
