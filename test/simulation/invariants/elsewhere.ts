import { THERE } from '../holder.ts';
import type { Invariant } from '../invariant.ts';

/** Nothing is held on the machine of the service, where it would be lost with it. */
export const invariant: Invariant = {
  name: 'held elsewhere',
  held: (_world, { title, channel }) =>
    channel.server === THERE ? undefined : `“${title}” is held on the machine of the service.`,
};
