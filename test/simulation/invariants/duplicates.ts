import type { Invariant, Sent } from '../invariant.ts';
import type { World } from '../world.ts';

const LEASE_MS = 8_000;
const SHORTEST_RETRY_MS = 1_000;

/** A push is sent once. It is repeated only after a crash, once the lease is over, or after an answer that allows it. */
export const invariant: Invariant = {
  name: 'no duplicates',
  push: (world, sent, task) => {
    const { push, ms, process } = sent;
    if (push.kind !== 'nudge') return undefined;
    const before = world.sentOf(push.task.id).findLast((other) => other !== sent && isSame(other, sent));
    if (!before || world.jumpedMs >= before.ms || isOfEarlierNudge(world, before)) return undefined;
    const title = task?.title ?? push.task.title;
    if (before.process !== process && mayBeUnknown(before))
      return ms - before.ms < LEASE_MS
        ? `“${title}” was sent again while the lease of the dead process was running.`
        : undefined;
    if (!before.result) return `“${title}” was sent again before the provider had answered.`;
    if (before.result.kind === 'accepted') return `“${title}” was sent twice, although the first push was accepted.`;
    if (before.result.kind === 'gone' || before.result.kind === 'rejected')
      return `“${title}” was sent again, although the provider had refused it for good.`;
    return ms - before.ms < SHORTEST_RETRY_MS ? `“${title}” was retried at once.` : undefined;
  },
};

/** The process may have died before it stored the result. */
const mayBeUnknown = ({ result }: Sent): boolean => result?.kind !== 'retry' && result?.kind !== 'misconfigured';

/** A clock that was set back shows a moment twice, and two nudges of a task may both have it. */
function isOfEarlierNudge(world: World, { push, ms }: Sent): boolean {
  if (push.kind !== 'nudge') return false;
  const at = push.nudgedAt.getTime();
  const newest = world.nudges.get(push.task.id)?.findLast((nudge) => nudge.at === at);
  return newest !== undefined && ms < newest.ms;
}

/** The same nudge on the same device. All nudges of a task share its id as their collapse id. */
const isSame = ({ push: a }: Sent, { push: b }: Sent): boolean =>
  a.kind === 'nudge' &&
  b.kind === 'nudge' &&
  a.stage === b.stage &&
  a.target.token === b.target.token &&
  a.nudgedAt.getTime() === b.nudgedAt.getTime();
