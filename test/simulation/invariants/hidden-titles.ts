import { type Held, PUT_OFF_MS } from '../holder.ts';
import type { Invariant } from '../invariant.ts';
import type { World } from '../world.ts';

/** What is held in a channel without titles names no task; what was placed before they were hidden is replaced in minutes. */
export const invariant: Invariant = {
  name: 'hidden titles',
  held: (world, held) =>
    held.channel.privacyChangedMs < held.takenMs - PUT_OFF_MS ? findShown(world, held) : undefined,
  time: (world) => {
    const { holder } = world;
    if (!holder || holder.held.size === 0 || !holder.isServed(PUT_OFF_MS)) return undefined;
    for (const held of holder.held.values()) {
      const shown = holder.isServed(PUT_OFF_MS, held.channel.privacyChangedMs) ? findShown(world, held) : undefined;
      if (shown !== undefined) return shown;
    }
    return undefined;
  },
};

function findShown(world: World, { channel, title, body }: Held): string | undefined {
  if (!channel.isPrivate) return undefined;
  const shown = [...world.tasks.values()].find(
    (task) => task.owner === channel.owner && `${title} ${body}`.includes(task.title),
  );
  return shown && `The channel hides titles, and a held message shows “${shown.title}”.`;
}
