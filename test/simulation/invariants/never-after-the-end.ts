import type { Invariant } from '../invariant.ts';

/** Nothing nags once a task is dealt with, before it is accepted, or after its device is gone. */
export const invariant: Invariant = {
  name: 'never after the end',
  nudge: (world, { taskId }, task) => {
    if (world.corrections.loose.has(taskId)) return undefined;
    if (world.person(task.owner).isGone) return `“${task.title}” was nudged after its owner deleted the account.`;
    if (!task.isOpen) return `“${task.title}” was nudged although it is ${task.status}.`;
    return task.isAccepted ? undefined : `“${task.title}” was nudged before it was accepted.`;
  },
  push: (world, { push, phone, channel, ms }, task) => {
    if (push.kind !== 'nudge') return undefined;
    // A push that was sent in the same moment was in flight.
    const isPast = (moment: number | undefined) => moment !== undefined && moment < ms;
    // The answer to what created it is still on its way.
    if (!task && world.isInStep && !world.endedMs.has(push.task.id)) return undefined;
    if (!task)
      return isPast(world.endedMs.get(push.task.id) ?? 0)
        ? `“${push.task.title}” was pushed although it does not exist any more.`
        : undefined;
    if (isPast((phone ?? channel)?.removedMs)) return `“${task.title}” was pushed to what its owner had removed.`;
    if (!task.isOpen && isPast(world.endedMs.get(task.id)))
      return `“${task.title}” was pushed although it is ${task.status}.`;
    // A new run has cancelled the nudges of the run before.
    const isOldRun = push.nudgedAt.getTime() < task.runFrom && !world.corrections.loose.has(task.id);
    return isOldRun && isPast(world.endedMs.get(task.id)) && world.clocks.jumpedMs < ms - 3_600_000
      ? `“${task.title}” was pushed for a run that is over.`
      : undefined;
  },
};
