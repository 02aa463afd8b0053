import type { Invariant } from '../invariant.ts';

/** A process that starts has to move what would sound next: what a dead one was sending is free after half a minute. */
const STARTED_MS = 60_000;

/**
 * Nothing that is held sounds while the service lives and reaches the provider. What was placed before the clock was set
 * sounds by the old clock, which the service cannot know.
 */
export const invariant: Invariant = {
  name: 'silent while the service lives',
  sounded: (world, { title, takenMs }) =>
    world.holder?.isServed(STARTED_MS) && takenMs > world.clocks.jumpedMs
      ? `The service lives and reaches the provider, and “${title}” sounded.`
      : undefined,
};
