import type { Channel } from '../channels.ts';
import { hasRetried, type Invariant, RETRIED_WITHIN_MS, type Sent } from '../invariant.ts';
import type { ModelTask } from '../model/task.ts';
import type { World } from '../world.ts';

/** A channel shows the newest nudge of a task alone, and nothing once the task is dealt with. */
export const invariant: Invariant = {
  name: 'messages',
  push: (_world, { push, channel, refs, ms }, task) => {
    if (!channel || !task || push.kind === 'test') return undefined;
    const left = channel.known(task.id, ms).find((ref) => !refs.includes(ref));
    return left && `A nudge of “${task.title}” did not replace the message before it.`;
  },
  taken: (world, sent, task) =>
    task?.isOpen && isToOwner(sent, task) && isNeeded(world, sent, task)
      ? `A message of “${task.title}” was taken back in the midst of its run.`
      : undefined,
  time: (world) => {
    if (!hasRetried(world)) return undefined;
    const channels = world.channels.filter(
      (channel) => channel.removedMs > world.elapsedMs && channel.shown.size > 0 && world.reaches(channel),
    );
    const left = channels.flatMap((channel) => findLeft(world, channel))[0];
    return left && `“${left.title}” is dealt with, and a message about it is still shown.`;
  },
};

/** What a stand-in was told goes when they silence it, stop, or are left out. */
const isToOwner = ({ channel }: Sent, { owner }: ModelTask): boolean => channel?.owner === owner;

/** Tasks that the channel still shows although their run ended long ago, or its person has long stopped to stand in. */
function findLeft(world: World, channel: Channel): ModelTask[] {
  return [...channel.shown].flatMap(([ref, { taskId, sent }]) => {
    const task = world.tasks.get(taskId);
    const endedMs = world.endedMs.get(taskId) ?? 0;
    if (!task || world.corrections.unsettled.has(taskId)) return [];
    const isLongAgo = (ms: number) => ms > sent.ms && world.elapsedMs - ms > RETRIED_WITHIN_MS;
    const { standIns } = world;
    const isStopped = !isToOwner(sent, task) && !standIns.mayHave(channel.owner, task);
    const isOver = isLongAgo(endedMs) || (isStopped && isLongAgo(Math.max(endedMs, standIns.changedMs(task.owner))));
    return isOver && channel.known(taskId, world.elapsedMs).includes(ref) ? [task] : [];
  });
}

/** Its run goes on, and nobody has answered since. */
function isNeeded(world: World, { push, ms }: Sent, { id, runFrom }: ModelTask): boolean {
  if (push.kind !== 'nudge' || world.corrections.loose.has(id) || world.corrections.unsettled.has(id)) return false;
  const at = push.nudgedAt.getTime();
  // A nudge in the moment in which a run begins may belong to the one before it.
  const isOfRun =
    at > runFrom + world.clocks.errorMs && ms > (world.endedMs.get(id) ?? 0) && !world.clocks.isShownTwice(at);
  return isOfRun && ![...(world.answers.get(id)?.values() ?? [])].some(({ now }) => now >= at - world.clocks.errorMs);
}
