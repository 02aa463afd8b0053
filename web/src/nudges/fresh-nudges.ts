/**
 * Which nudges an open page announces. Pure. The service says only that something changed; that a nudge was sent is in the
 * task itself. A page that was closed or asleep for longer announces nothing of that time: Today shows it.
 */
import type { Task } from '../api/client.ts';
import { shownStage } from '../ladder/shown-stage.ts';

const FRESH_MS = 5 * 60_000;

/** `speed` is how much faster than the browser's clock the service's clock runs. */
export function isFresh(task: Task, userId: string | undefined, now: number, speed: number): boolean {
  const { last_nudge_at: at } = task;
  // An imported task has a moment of its last nudge without ever having had one here.
  if (at === null || task.nudge_count === 0 || now - Date.parse(at) > FRESH_MS * speed) return false;
  return isWaiting(task, userId) && shownStage(task, now) !== undefined;
}

export const isWaiting = ({ owner_id, status, accepted_by_owner }: Task, userId: string | undefined): boolean =>
  owner_id === userId && status === 'open' && accepted_by_owner;

/** Another nudge, occurrence, date or snooze makes another key, so what was announced ends with each of them. */
export const nudgeKey = ({ id, last_nudge_at, due_at, deferred_until }: Task): string =>
  [id, last_nudge_at, due_at, deferred_until].join(' ');

/** The strongest first, and of equals the newest. */
export const byStrength = (a: Task, b: Task): number =>
  b.escalation_stage - a.escalation_stage || Date.parse(b.last_nudge_at ?? '') - Date.parse(a.last_nudge_at ?? '');
