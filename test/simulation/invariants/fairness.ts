import type { Invariant } from '../world.ts';

/** While providers accept in time and have room, no account waits for another one. */
export default {
  name: 'fairness',
} satisfies Invariant;
