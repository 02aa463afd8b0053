import type { Invariant } from '../invariant.ts';

/**
 * While the service is dead, the provider announces each must-not-miss task by its name within ten minutes of its planned
 * nudge, if the service had the time and the budget to place that (`outages.ts`).
 */
export const invariant: Invariant = {
  name: 'announced in an outage',
  time: (world) => {
    const missed = world.holder?.outages.findMissed();
    return missed && `The service is dead, “${missed.task.title}” was due, and nothing has announced it.`;
  },
};
