import type { Invariant } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';

/** Quiet hours and the pause are quiet, for a nudge and for each attempt to send it. */
export const invariant: Invariant = {
  name: 'never in a hold',
  nudge: (_world, { at }, task, settings) =>
    settings.every((one) => isHeldAt(at, task.isMustNotMiss, one))
      ? `“${task.title}” was nudged in quiet hours or a pause.`
      : undefined,
  push: (world, { push, now, ms }, task) => {
    if (push.kind !== 'nudge' || !task) return undefined;
    const owner = world.person(task.owner);
    // A send that had begun when the settings, the clock or the task changed is in flight.
    if ([owner.changedMs, world.jumpedMs, world.strengthChangedMs.get(task.id)].includes(ms)) return undefined;
    return isHeldAt(now, task.isMustNotMiss, owner.settings)
      ? `“${task.title}” was pushed in quiet hours or a pause.`
      : undefined;
  },
};
