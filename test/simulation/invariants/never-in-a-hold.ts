import type { Invariant } from '../invariant.ts';
import { isHeldAt, isNamedMoment, type Settings } from '../model/ladder.ts';
import type { ModelTask } from '../model/task.ts';

const isWrongAt = (at: number, task: ModelTask, settings: Settings): boolean =>
  isHeldAt(at, task.isMustNotMiss, settings) && (settings.isSuspended || !isNamedMoment(task, at));

/** Quiet hours and the pause are quiet, for a nudge and for each attempt to send it, but for a moment that was named. */
export const invariant: Invariant = {
  name: 'never in a hold',
  nudge: (_world, { at }, task, settings) =>
    settings.every((one) => isWrongAt(at, task, one))
      ? `“${task.title}” was nudged in quiet hours or a pause.`
      : undefined,
  push: (world, { push, now, ms }, task) => {
    if (push.kind !== 'nudge' || !task) return undefined;
    const owner = world.person(task.owner);
    // A send that had begun when the settings, the clock or the task changed is in flight.
    if ([owner.changedMs, world.jumpedMs, world.strengthChangedMs.get(task.id)].includes(ms)) return undefined;
    return isWrongAt(now, task, owner.settings) ? `“${task.title}” was pushed in quiet hours or a pause.` : undefined;
  },
};
