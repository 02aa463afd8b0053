import type { Invariant } from '../invariant.ts';

/** Two rounds of a provider that takes 0.9 s for each push. */
const BOUND_MS = 2_500;

/** A quiet account's push is sent within moments, however many a loud account has due. */
export const invariant: Invariant = {
  name: 'fairness',
  time: (world) => {
    const { waitsInStorm: waits } = world;
    if (!waits) return undefined;
    const isSent = world.sentOf(waits.taskId).length > 0;
    const lateMs = world.elapsedMs - waits.dueMs;
    if (isSent || lateMs > BOUND_MS) world.waitsInStorm = undefined;
    return !isSent && lateMs > BOUND_MS ? `A loud account kept a quiet one waiting for ${lateMs} ms.` : undefined;
  },
};
