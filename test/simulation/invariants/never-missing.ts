import { expect } from '../model/task.ts';
import type { Invariant } from '../world.ts';

/** The engine polls every two seconds, whatever happens to its wake-ups. */
const BOUND_MS = 3_000;

/** A nudge comes within seconds of its moment while the service runs, and of the service's start. */
export default {
  name: 'never missing',
  turn: (world) => {
    if (world.liveMs <= BOUND_MS || world.process.isDoomed) return undefined;
    // A task that was planned by old settings may come a little late.
    if (world.elapsedMs - world.followUpsHeldUntilMs <= BOUND_MS) return undefined;
    for (const [id, expected] of world.expected) {
      if (!expected || world.now - expected.at <= BOUND_MS || world.loose.has(id)) continue;
      const task = world.tasks.get(id);
      if (!task || world.person(task.owner).isGone) continue;
      // After an outage, a heads-up may be too close to the due moment.
      if ((expect(task, world.settingsOf(task), world.now)?.at ?? 0) !== world.now) {
        world.learn(task);
        continue;
      }
      return `“${task.title}” was due at ${new Date(expected.at).toISOString()} and is not nudged.`;
    }
    for (const id of world.loose)
      if (world.liveMs > 10_000 && world.tasks.get(id)?.isOpen)
        return `The clock was set back, and “${world.tasks.get(id)?.title}” is silent until the wrong time has come.`;
    return undefined;
  },
} satisfies Invariant;
