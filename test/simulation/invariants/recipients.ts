import type { Invariant } from '../invariant.ts';
import { mayBeTold } from '../told.ts';

/** Pushes about a task go only to the devices and channels of its owner, and of those who stand in by now. */
export const invariant: Invariant = {
  name: 'recipients',
  push: (world, { push, phone, channel }, task) => {
    const recipient = phone ?? channel;
    if (!task || !recipient || recipient.owner === task.owner) return undefined;
    return push.kind === 'nudge' && mayBeTold(world, recipient.owner, task, phone?.platform)
      ? undefined
      : `“${task.title}” was pushed to a device or a channel of ${world.person(recipient.owner).name}.`;
  },
};
