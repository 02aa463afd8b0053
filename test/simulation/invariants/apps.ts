import { fetchAll, giveUpChanges } from '../app-copies.ts';
import type { Invariant } from '../invariant.ts';

/** What an app was told is stored is in the task, and both apps of a person show what the service has. */
export const invariant: Invariant = {
  name: 'apps',
  end: async (world) => {
    const present = [...world.apps].filter(([owner]) => !world.person(owner).isGone);
    for (const app of present.flatMap(([, apps]) => apps)) {
      giveUpChanges(app);
      if (!(await fetchAll(world, app))) return `${app.name} got no answer.`;
    }
    return undefined;
  },
};
