import type { Holder } from '../holder.ts';
import type { Invariant } from '../invariant.ts';
import type { World } from '../world.ts';

/** How old the count may be that the service decides by, and the time of a request. */
const KNOWN_FOR_MS = 40_000;

/** Nudges come first: once three quarters of a server's messages of the day are used, nothing is placed or moved there. */
export const invariant: Invariant = {
  name: 'budget of the day',
  held: (world, { title }) => {
    const { holder } = world;
    const spentMs = holder?.spentMs;
    if (!holder || spentMs === undefined || !isCounted(world, holder)) return undefined;
    return world.elapsedMs - spentMs > KNOWN_FOR_MS
      ? `“${title}” was placed when less than a quarter of the day's messages was left.`
      : undefined;
  },
};

/** A process that died has not counted all that it sent, and a wrong clock shows another day. */
function isCounted({ startsMs, elapsedMs }: World, { isDayRight, sinceDayBeganMs }: Holder): boolean {
  return isDayRight && startsMs.every((ms) => ms === 0 || ms < elapsedMs - sinceDayBeganMs);
}
