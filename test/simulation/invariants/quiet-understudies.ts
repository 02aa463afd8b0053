import { type Held, isGeneral, PUT_OFF_MS } from '../holder.ts';
import type { Invariant } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';
import type { World } from '../world.ts';

/** The provider holds nothing for less than half a minute, and takes a moment to answer. */
const LATE_MS = [0, 2_000, 35_000];

/**
 * Quiet hours and pauses hold what the provider sounds as they hold nudges, by the settings that the service had when it
 * placed the message. What they change is moved in minutes.
 */
export const invariant: Invariant = {
  name: 'no understudy in a hold',
  held: findHeld,
  time: (world) => {
    const { holder } = world;
    if (!holder || holder.held.size === 0 || !holder.isServed(PUT_OFF_MS)) return undefined;
    for (const held of holder.held.values()) {
      const { changedMs } = world.person(held.channel.owner);
      if (held.takenMs > changedMs || !holder.isServed(PUT_OFF_MS, changedMs) || held.takenMs <= world.clocks.jumpedMs)
        continue;
      const problem = findHeld(world, held);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

function findHeld(world: World, held: Held): string | undefined {
  const { settings, settingsBefore, changedMs } = world.person(held.channel.owner);
  // A process that has just started first brings what the one before it wished.
  const isKnown = world.elapsedMs - Math.max(changedMs, world.aliveSinceMs) > PUT_OFF_MS;
  const possible = isKnown ? [settings] : [settings, settingsBefore];
  const isHeld = possible.every((one) =>
    LATE_MS.every((lateMs) => isHeldAt(held.soundsAt - world.clocks.taskMs(lateMs), !isGeneral(held), one)),
  );
  return isHeld ? `“${held.title}” is to sound in quiet hours, in a pause or in a suspension.` : undefined;
}
