import type { Invariant, Waiting } from '../invariant.ts';
import type { World } from '../world.ts';

/** A quiet account's push is sent within moments, however many others have due, and whatever the servers of others do. */
export const invariant: Invariant = {
  name: 'fairness',
  nudge: (world, { taskId }, { owner }) => {
    const { backlog } = world;
    if (!backlog) return undefined;
    if (backlog.loud.has(owner)) backlog.before += 1;
    if (taskId !== backlog.taskId) return undefined;
    world.backlog = undefined;
    return backlog.before > backlog.most
      ? `${backlog.before} nudges of loud accounts came before the one of a quiet account.`
      : undefined;
  },
  time: (world) => {
    if (world.waiting.length === 0) return undefined;
    // A database that fails delays everybody.
    world.waiting = world.waiting.filter((one) => !isSent(world, one) && one.dueMs > world.faults.recoveredMs);
    const late = world.waiting.find(({ dueMs, mostMs }) => world.elapsedMs - dueMs > mostMs);
    if (!late) return undefined;
    world.waiting = [];
    return `${late.beside} kept a quiet account waiting for ${world.elapsedMs - late.dueMs} ms.`;
  },
};

const isSent = (world: World, { taskId, channel }: Waiting): boolean =>
  world.sentOf(taskId).some((sent) => channel === undefined || sent.channel === channel);
