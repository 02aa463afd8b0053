import type { Invariant } from '../invariant.ts';
import { isHeldAt, isNamedMoment, type Settings } from '../model/ladder.ts';
import type { ModelTask } from '../model/task.ts';
import { holdsOf } from '../told.ts';

const isWrongAt = (at: number, task: ModelTask, settings: Settings): boolean =>
  isHeldAt(at, task.isMustNotMiss, settings) && (settings.isSuspended || !isNamedMoment(task, at));

/** Quiet hours and the pause are quiet, for a nudge and for each attempt to send it, but for a moment that was named. */
export const invariant: Invariant = {
  name: 'never in a hold',
  nudge: (_world, { at }, task, settings) =>
    settings.every((one) => isWrongAt(at, task, one))
      ? `“${task.title}” was nudged in quiet hours or a pause.`
      : undefined,
  push: (world, { push, phone, channel, now, ms }, task) => {
    const recipient = phone ?? channel;
    // Nobody hears what goes to a token that a phone has no more.
    if (push.kind !== 'nudge' || !task || !recipient) return undefined;
    const { person, asTold } = holdsOf(world, recipient.owner, task);
    // A send that had begun when the settings, the agreement, the clock or the task changed is in flight.
    if ([person.changedMs, world.clocks.jumpedMs, world.strengthChangedMs.get(task.id)].includes(ms)) return undefined;
    if (person.id !== task.owner && world.standIns.isChanging(task.owner)) return undefined;
    // A nudge whose storing failed at first was decided before that, and is sent once it is stored.
    const decidedAt = now - world.clocks.taskMs(ms - world.faults.heldUpSince(ms));
    return isWrongAt(now, asTold, person.settings) && isWrongAt(decidedAt, asTold, person.settings)
      ? `“${task.title}” was pushed in quiet hours or a pause.`
      : undefined;
  },
};
