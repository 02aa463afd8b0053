import { hasRetried, type Invariant, RETRIED_WITHIN_MS } from '../invariant.ts';
import type { Phone } from '../phones.ts';
import type { World } from '../world.ts';

/** iOS ends a Live Activity itself after this long. */
const LIFETIME_MS = 8 * 3_600_000;

/** A Live Activity leaves the lock screen when the run of its task is over. */
export const invariant: Invariant = {
  name: 'retraction',
  time: (world) => {
    if (!hasRetried(world)) return undefined;
    for (const phone of world.phones) {
      for (const [taskId, startedMs] of phone.activities) {
        const task = world.tasks.get(taskId);
        const endedMs = world.endedMs.get(taskId) ?? 0;
        if (!task || endedMs <= startedMs || world.elapsedMs - endedMs <= RETRIED_WITHIN_MS) continue;
        if (isExcused(world, phone, taskId, startedMs)) phone.activities.delete(taskId);
        else return `The run of “${task.title}” is over, and its Live Activity is still on the lock screen.`;
      }
    }
    return undefined;
  },
};

/** It has ended by itself, its phone is gone, or the provider has not accepted its pushes. */
function isExcused(world: World, phone: Phone, taskId: string, startedMs: number): boolean {
  if (
    phone.deviceId === undefined ||
    world.elapsedMs - startedMs > LIFETIME_MS ||
    world.corrections.unsettled.has(taskId)
  )
    return true;
  return world
    .sentOf(taskId)
    .some(({ push, ms, result }) => ms >= startedMs && push.kind.startsWith('activity') && result?.kind !== 'accepted');
}
