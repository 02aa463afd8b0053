import type { Invariant } from '../invariant.ts';

/** Pushes about a task go only to the devices and channels of its owner. */
export const invariant: Invariant = {
  name: 'recipients',
  push: (_, { phone, channel }, task) => {
    const recipient = phone ?? channel;
    return task && recipient && recipient.owner !== task.owner
      ? `“${task.title}” was pushed to a device or a channel of somebody else.`
      : undefined;
  },
};
