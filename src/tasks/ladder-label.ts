/**
 * The label that chooses a task's ladder. Somebody else than the owner may change the label of a task in a space, and
 * how hard a task insists is for its owner to say: the ladder then stays that of the label before. Pure.
 */
import type { TaskCaller } from '../lib/caller.ts';
import type { Task } from './task-state.ts';

/** Null: the label itself counts. */
export function ladderLabelAfter(before: Task, after: Task, caller: TaskCaller): string | null {
  if (caller.userId !== after.owner_id) {
    const isFrozen = before.accepted_by_owner && before.kind !== after.kind;
    return isFrozen ? (before.ladder_label ?? before.kind) : before.ladder_label;
  }
  const isOwnersWord = before.kind !== after.kind || (!before.accepted_by_owner && after.accepted_by_owner);
  return isOwnersWord ? null : before.ladder_label;
}
