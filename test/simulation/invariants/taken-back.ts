import { type Held, isGeneral, LOOK_EVERY_MS, names, THERE } from '../holder.ts';
import type { Invariant } from '../invariant.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
/** Changes are announced, and messages are brought one after another. */
const BOUND_MS = 1.5 * MINUTE_MS;

/**
 * Once the service has reached the provider for a while, nothing is held about what is dealt with, nor for an account
 * that is gone or suspended, nor in a channel that was removed, nor strongly about a task that may be missed.
 */
export const invariant: Invariant = {
  name: 'taken back',
  time: (world) => {
    const { holder } = world;
    if (!holder || holder.held.size === 0 || !holder.isServed(BOUND_MS)) return undefined;
    for (const held of holder.held.values()) {
      const reason = findReason(world, held);
      // An announcement dies with its process. Then the change is found at the next look.
      const isAnnounced = reason && reason.isAnnounced !== false && reason.sinceMs > world.process.startedMs;
      if (reason && holder.isServed(isAnnounced ? BOUND_MS : LOOK_EVERY_MS + BOUND_MS, reason.sinceMs))
        return `${reason.text}, and “${held.title}” is still held.`;
    }
    return undefined;
  },
};

interface Reason {
  readonly text: string;
  readonly sinceMs: number;
  readonly isAnnounced?: boolean;
}

function findReason(world: World, held: Held): Reason | undefined {
  const { channel } = held;
  const owner = world.person(channel.owner);
  if (owner.isGone) return { text: 'The account is gone', sinceMs: owner.changedMs };
  if (owner.settings.isSuspended) return { text: 'The account is suspended', sinceMs: owner.changedMs };
  if (channel.removedMs <= world.elapsedMs || channel.server !== THERE)
    return { text: 'The channel is gone', sinceMs: channel.removedMs, isAnnounced: false };
  const named = [...world.tasks.values()].filter((task) => names(held, task));
  const changedMs = Math.max(0, ...named.map(({ id }) => world.taskChangedMs.get(id) ?? 0));
  const [first] = named;
  if (first && named.every(({ isOpen }) => !isOpen)) return { text: `“${first.title}” is over`, sinceMs: changedMs };
  if (!isGeneral(held) && first && named.every(({ isMustNotMiss }) => !isMustNotMiss))
    return { text: `“${first.title}” may be missed`, sinceMs: changedMs };
  return undefined;
}
