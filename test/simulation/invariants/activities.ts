import type { Invariant } from '../world.ts';

const LIFETIME_MS = 8 * 3_600_000;

/** A Live Activity leaves the lock screen when its task is dealt with. */
export default {
  name: 'retraction',
  end: (world) => {
    for (const phone of world.phones) {
      for (const [taskId, startedMs] of phone.activities) {
        const task = world.tasks.get(taskId);
        const isOver = !task?.isOpen && !world.unsettled.has(taskId);
        const isFresh = world.elapsedMs - startedMs < LIFETIME_MS;
        if (task && isOver && isFresh && phone.deviceId !== undefined && !wasRefused(taskId))
          return `“${task.title}” is ${task.status}, and its Live Activity is still on the lock screen.`;
      }
    }
    return undefined;

    /** A provider that refused the end for good has ended it for us. */
    function wasRefused(taskId: string): boolean {
      return world
        .sentOf(taskId)
        .some(({ push, result }) => push.kind.startsWith('activity') && result?.kind !== 'accepted');
    }
  },
} satisfies Invariant;
