import { tryAccess } from '../access.ts';
import type { Invariant } from '../invariant.ts';

/** What was ended opens nothing, also after a crash; what was given and has not ended opens what was given. */
export const invariant: Invariant = {
  name: 'access',
  end: async (world) => {
    for (const access of world.doors.access) await tryAccess(world, access);
    return undefined;
  },
};
