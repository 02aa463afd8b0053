import type { Invariant } from '../invariant.ts';

/** How old the count may be that the service decides by, and the time of a request. */
const KNOWN_FOR_MS = 40_000;
/** A process that dies has not counted what it was just sending, and a database that fails does not. */
const UNCOUNTED = 6;

/** Nudges come first: once three quarters of a server's messages of the day are used, nothing is placed or moved there. */
export const invariant: Invariant = {
  name: 'budget of the day',
  held: ({ holder, elapsedMs, startsMs, faults }, { title }) => {
    // By a wrong clock it is another day.
    if (!holder?.isDayRight) return undefined;
    const beganMs = elapsedMs - holder.sinceDayBeganMs;
    const gaps = startsMs.filter((ms) => ms > 0 && ms >= beganMs).length + faults.countSince(beganMs);
    return holder.countedBy(elapsedMs - KNOWN_FOR_MS) > holder.mostPerDay * 0.75 + gaps * UNCOUNTED
      ? `“${title}” was placed when less than a quarter of the day's messages was left.`
      : undefined;
  },
};
