import { CHANNEL_PROVIDER } from '../channels.ts';
import { type Invariant, isStored, type Sent } from '../invariant.ts';
import { GATEWAY } from '../phones.ts';
import type { World } from '../world.ts';

/** A lease begins before the commit that stores it, which takes some milliseconds in some worlds. */
const LEASE_MS = 8_000 - 100;
const SHORTEST_RETRY_MS = 1_000;

/** A push is sent once. It is repeated only after a crash, once its lease is over, or if an answer allows it. A stop repeats none. */
export const invariant: Invariant = {
  name: 'no duplicates',
  push: (world, sent, task) => {
    const { push, ms, process } = sent;
    if (push.kind !== 'nudge') return undefined;
    const before = world.sentOf(push.task.id).findLast((other) => other !== sent && isSame(other, sent));
    if (!before || world.clocks.jumpedMs >= before.ms) return undefined;
    if (isMomentOfTwo(world, push.task.id, push.nudgedAt.getTime())) return undefined;
    const title = task?.title ?? push.task.title;
    if (before.process !== process && mayBeUnknown(before))
      return ms - before.ms < LEASE_MS - world.clocks.errorMs
        ? `“${title}” was sent again while the lease of the dead process was running.`
        : undefined;
    if (!before.result) return `“${title}” was sent again before the provider had answered.`;
    if (before.result.kind === 'accepted') return `“${title}” was sent twice, although the first push was accepted.`;
    if (before.result.kind === 'gone' || before.result.kind === 'rejected')
      return `“${title}” was sent again, although the provider had refused it for good.`;
    const isTooSoon = ms - before.ms < SHORTEST_RETRY_MS - world.clocks.errorMs && !isAfterOutage(world, before);
    return isTooSoon ? `“${title}” was retried at once.` : undefined;
  },
};

/** The process may have died before it stored the result. */
const mayBeUnknown = (sent: Sent): boolean =>
  !sent.process.isStopped && sent.result?.kind !== 'retry' && sent.result?.kind !== 'misconfigured' && !isStored(sent);

/** The provider has accepted another push since. After an outage, no delivery waits for its back-off. */
const isAfterOutage = (world: World, { push, channel, ms }: Sent): boolean => {
  const gateway = world.gateways[channel ? CHANNEL_PROVIDER : GATEWAY[push.target.platform]];
  const servers = channel ? [...world.servers.values()] : [];
  return [gateway, ...servers].some(({ acceptedMs }) => acceptedMs > ms);
};

/** A clock that was set back shows a moment twice, and a change in the moment of a nudge begins another run. */
const isMomentOfTwo = (world: World, taskId: string, at: number): boolean =>
  (world.nudgeLog.followed.get(taskId) ?? []).filter((nudge) => nudge.at === at).length > 1;

/** The same nudge on the same device. All nudges of a task share its id as their collapse id. */
const isSame = ({ push: a }: Sent, { push: b }: Sent): boolean =>
  a.kind === 'nudge' &&
  b.kind === 'nudge' &&
  a.stage === b.stage &&
  a.target.token === b.target.token &&
  a.nudgedAt.getTime() === b.nudgedAt.getTime();
