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

const isWaiting = ({ owner_id, status, accepted_by_owner }: Task, userId: string | undefined): boolean =>
  owner_id === userId && status === 'open' && accepted_by_owner;

/** Another nudge, occurrence, date or snooze makes another key, so what was announced ends with each of them. */
export const nudgeKey = ({ id, last_nudge_at, due_at, deferred_until }: Task): string =>
  [id, last_nudge_at, due_at, deferred_until].join(' ');

const momentOfNudge = ({ last_nudge_at }: Task): number => Date.parse(last_nudge_at ?? '');

export const newestOf = (nudged: readonly Task[]): number => Math.max(...nudged.map(momentOfNudge));

/** The strongest first, and of equals the newest. */
const byStrength = (a: Task, b: Task): number =>
  b.escalation_stage - a.escalation_stage || momentOfNudge(b) - momentOfNudge(a);

/** What was announced and nobody has answered, or closed since: `seen` is the newest nudge that was. */
export const stillAnnounced = (
  tasks: readonly Task[],
  announced: ReadonlySet<string>,
  userId: string | undefined,
  seen: number,
): readonly Task[] =>
  tasks
    .filter((task) => announced.has(nudgeKey(task)) && isWaiting(task, userId) && momentOfNudge(task) > seen)
    .sort(byStrength);
