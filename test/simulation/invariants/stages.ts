import type { Invariant, Sent } from '../invariant.ts';
import type { World } from '../world.ts';

/** On a device, the stages of a run never fall, and an older nudge never follows a newer one. */
export const invariant: Invariant = {
  name: 'stages never fall',
  push: (world, sent, task) => {
    const { push, ms } = sent;
    if (push.kind !== 'nudge' || !task || world.corrections.loose.has(task.id)) return undefined;
    const before = previousPush(world, sent);
    if (before?.push.kind !== 'nudge' || before.ms === ms) return undefined;
    // Between two clocks that differ by hours nobody can say what a run is.
    if (world.clocks.wereApartSince(before.ms)) return undefined;
    // A gentler ladder holds from the next nudge on.
    const nudgedAt = before.push.nudgedAt.getTime();
    const nudgedMs = world.nudgeLog.followed.get(task.id)?.findLast(({ at }) => at === nudgedAt)?.ms ?? before.ms;
    if ((world.ladderChangedMs.get(task.id) ?? -1) >= Math.min(nudgedMs, before.ms)) return undefined;
    // Nudges of hours that the clock shows twice are in no order.
    if ([push, before.push].some(({ nudgedAt }) => world.clocks.isShownTwice(nudgedAt.getTime()))) return undefined;
    const isSameRun = before.push.nudgedAt.getTime() > task.runFrom + world.clocks.errorMs;
    if (push.nudgedAt < before.push.nudgedAt) return `“${task.title}” was pushed after a newer nudge had replaced it.`;
    return isSameRun && push.stage < before.push.stage
      ? `“${task.title}” fell from stage ${before.push.stage} to ${push.stage} within a run.`
      : undefined;
  },
};

function previousPush(world: World, sent: Sent): Sent | undefined {
  const { push } = sent;
  if (push.kind !== 'nudge') return undefined;
  const isBefore = (other: Sent) =>
    other !== sent && other.push.kind === 'nudge' && other.push.target.token === push.target.token;
  return world.sentOf(push.task.id).findLast(isBefore);
}
