import type { Channel } from '../channels.ts';
import { type Answered, type Invariant, isStored, type Nudge, type Sent } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';
import type { ModelTask } from '../model/task.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
/** The lease of a process that died, and the check after it. */
const BOUND_MS = 20_000;
/** The end of a hold, and a little more. */
const HOLD_ENDED_MS = 35_000;
/** How often a held push is checked, and a little more. */
const HOLD_CHECKED_MS = 16 * MINUTE_MS;

/**
 * A server that has failed gets one message first, for as long as that is remembered. What was to be sent beside it
 * follows within minutes.
 */
const SUSPECTED_MS = 61 * MINUTE_MS;
const FOLLOWED_WITHIN_MS = 5 * MINUTE_MS;

/** A nudge that must be in a channel by a moment. */
interface Awaited {
  readonly task: ModelTask;
  readonly channel: Channel;
  /** This nudge of the run, or a later one. */
  readonly from: Nudge & { readonly ms: number };
  readonly byMs: number;
}

const awaitedIn = new WeakMap<World, Set<Awaited>>();

/**
 * A tier is used if nobody has answered in the lower tiers for long enough since the first unanswered nudge of the run,
 * or if the lower tiers have failed; not earlier, not later, and not after an answer.
 */
export const invariant: Invariant = {
  name: 'fallback',
  nudge: (world, nudge, task) => {
    if (nudge.stage < 0 || world.corrections.loose.has(task.id)) return undefined;
    const present = { ...nudge, ms: world.elapsedMs };
    const first = findFirstUnanswered(world, task, present.ms);
    const awaited = awaitedIn.get(world) ?? new Set();
    awaitedIn.set(world, awaited);
    for (const channel of channelsOf(world, task)) {
      const wasUsed = sentTo(world, task, channel.tier).some(
        (sent) => sent.push.nudgedAt.getTime() < nudge.at && isStored(sent),
      );
      const from = wasUsed || !first ? present : first;
      const waitMs = wasUsed
        ? 0
        : world.clocks.realMs(rankOf(world, task, channel) * world.person(task.owner).fallbackMinutes * MINUTE_MS);
      awaited.add({ task, channel, from, byMs: from.ms + waitMs + boundMs(world, channel) });
    }
    return undefined;
  },
  push: (world, sent, task) =>
    task &&
    sent.channel?.owner === task.owner &&
    !world.corrections.loose.has(task.id) &&
    world.clocks.jumpedMs < sent.ms - 30 * MINUTE_MS
      ? findUntimely(world, sent, task, sent.channel)
      : undefined,
  time: (world) => {
    const awaited = awaitedIn.get(world);
    for (const one of awaited ?? []) {
      if (world.elapsedMs <= one.byMs) continue;
      awaited?.delete(one);
      if (isSettled(world, one) || isUnclear(world, one)) continue;
      const isMustNotMiss = world.tasks.get(one.task.id)?.isMustNotMiss ?? one.task.isMustNotMiss;
      if (isMustNotMiss !== one.task.isMustNotMiss)
        awaited?.add({ ...one, task: { ...one.task, isMustNotMiss }, byMs: world.elapsedMs + HOLD_CHECKED_MS });
      else if (isDelayed(world, one)) awaited?.add({ ...one, byMs: world.elapsedMs + BOUND_MS });
      else return `“${one.task.title}” is not answered, and has not reached tier ${one.channel.tier}.`;
    }
    return undefined;
  },
};

function boundMs({ servers, elapsedMs }: World, { server }: Channel): number {
  const failedMs = servers.get(server ?? '')?.troubledMs ?? Number.NEGATIVE_INFINITY;
  return elapsedMs - failedMs <= SUSPECTED_MS ? FOLLOWED_WITHIN_MS + BOUND_MS : BOUND_MS;
}

const channelsOf = (world: World, { owner }: ModelTask): Channel[] =>
  world.channels.filter((channel) => channel.owner === owner && channel.removedMs > world.elapsedMs);

/** When the newest nudge of that moment came. A clock that was set back shows a moment twice. */
const nudgedMs = (world: World, taskId: string, at: number): number | undefined =>
  world.nudgeLog.followed.get(taskId)?.findLast((nudge) => nudge.at === at)?.ms;

/** The due nudges of the run, up to a moment. */
const runOf = (world: World, task: ModelTask, untilMs: number) =>
  (world.nudgeLog.followed.get(task.id) ?? []).filter(
    ({ run, stage, ms }) => stage >= 0 && ms <= untilMs && run === task.run,
  );

const answersOf = (world: World, task: ModelTask): Answered[] =>
  [...(world.answers.get(task.id)?.values() ?? [])].filter(({ run }) => run === task.run);

/** The nudge at which the wait for an answer started, as of that moment: an answer is for all nudges before it. */
function findFirstUnanswered(world: World, task: ModelTask, untilMs: number) {
  const nudges = runOf(world, task, untilMs);
  const plannedMs = nudges.at(-1)?.ms ?? 0;
  const answers = answersOf(world, task).filter(({ ms }) => ms <= plannedMs);
  const answeredMs = Math.max(-1, ...answers.map(({ ms }) => ms));
  return nudges.find((nudge) => nudge.ms > answeredMs);
}

/** The messages of the run to channels of this tier and of higher ones. */
const sentTo = (world: World, task: ModelTask, tier: number) =>
  world
    .sentOf(task.id)
    .filter((sent): sent is Sent & { push: { kind: 'nudge' } } => sent.push.kind === 'nudge')
    .filter(
      ({ push, channel, run }) =>
        push.stage >= 0 &&
        (channel?.owner ?? task.owner) === task.owner &&
        run === task.run &&
        (channel?.tier ?? -1) >= tier,
    );

/** How many lower tiers there are. */
function rankOf(world: World, task: ModelTask, { tier }: Channel): number {
  // The devices are read from the rows: a phone cannot know whether a registration without an answer was stored.
  const hasDevice = world.query('select id from devices where user_id = ? and valid = 1', task.owner).length > 0;
  const tiers = [...(hasDevice ? [0] : []), ...channelsOf(world, task).map((channel) => channel.tier)];
  return new Set(tiers.filter((lower) => lower < tier)).size;
}

function findUntimely(world: World, sent: Sent, task: ModelTask, channel: Channel): string | undefined {
  const { push, ms, run } = sent;
  if (push.kind !== 'nudge' || run !== task.run) return undefined;
  const at = push.nudgedAt.getTime();
  const sinceMs = nudgedMs(world, task.id, at) ?? 0;
  const answer = answersOf(world, task).find(
    (one) => one.ms < ms && one.ms > sinceMs && one.tier < channel.tier && at <= one.now,
  );
  if (answer) return `“${task.title}” fell to tier ${channel.tier} after somebody had answered in tier ${answer.tier}.`;
  return findEarly(world, sent, task, channel, at);
}

function findEarly(world: World, sent: Sent, task: ModelTask, channel: Channel, at: number): string | undefined {
  const { push, ms, now } = sent;
  const rank = rankOf(world, task, channel);
  const owner = world.person(task.owner);
  const plannedMs = nudgedMs(world, task.id, at) ?? ms;
  const since = findFirstUnanswered(world, task, plannedMs);
  // An answer in the moment of the nudge may have come after it.
  if (answersOf(world, task).some((answer) => answer.ms === plannedMs)) return undefined;
  if (push.kind !== 'nudge' || rank === 0 || owner.reachChangedMs >= ms - 60 * MINUTE_MS) return undefined;
  if (push.stage < 0) return `The heads-up of “${task.title}” was sent to tier ${channel.tier}.`;
  const wasUsed = sentTo(world, task, channel.tier).some((one) => one !== sent && one.ms < ms);
  const hasFailed = world
    .sentOf(task.id)
    .some(
      (one) =>
        isSameNudge(one, at) &&
        ((one.phone ?? one.channel)?.owner ?? task.owner) === task.owner &&
        (one.channel?.tier ?? 0) < channel.tier &&
        isFailure(one),
    );
  const waitMs = rank * owner.fallbackMinutes * MINUTE_MS;
  // A clock that was set back shows less time than has passed.
  const passedMs = Math.max(now - (since?.at ?? at), since ? ms - since.ms : 0);
  const earlyMs = waitMs - passedMs - world.clocks.errorMs;
  return wasUsed || hasFailed || earlyMs <= 0
    ? undefined
    : `“${task.title}” fell to tier ${channel.tier} ${Math.ceil(earlyMs / 1_000)} seconds early.`;
}

const isSameNudge = ({ push }: Sent, at: number): boolean => push.kind === 'nudge' && push.nudgedAt.getTime() === at;

const isFailure = ({ result, isUndelivered }: Sent): boolean =>
  isUndelivered || result?.kind === 'rejected' || result?.kind === 'gone';

/** It came, somebody answered, or the run is over. */
function isSettled(world: World, { task, channel, from }: Awaited): boolean {
  const current = world.tasks.get(task.id);
  // A run that begins in the moment of the nudge differs only in that it has had none.
  const isSameRun = current?.isOpen && current.run === task.run && current.step > task.step;
  if (!isSameRun || channel.removedMs <= world.elapsedMs) return true;
  if (answersOf(world, current).some(({ ms }) => ms >= from.ms)) return true;
  return world
    .sentOf(task.id)
    .some(({ push, channel: to }) => to === channel && push.kind === 'nudge' && push.nudgedAt.getTime() >= from.at);
}

/** A change by the person, or of the clock, may have moved the nudge. */
function isUnclear(world: World, { task, from }: Awaited): boolean {
  const owner = world.person(task.owner);
  const changedMs = Math.max(owner.changedMs, owner.reachChangedMs, world.clocks.jumpedMs + 60 * MINUTE_MS);
  return (
    changedMs >= from.ms ||
    owner.isGone ||
    world.corrections.loose.has(task.id) ||
    world.corrections.unsettled.has(task.id)
  );
}

/** A provider, a crash or a hold delays the nudge. */
function isDelayed(world: World, { task, channel }: Awaited): boolean {
  const { settings } = world.person(task.owner);
  const isHeld = [world.now, world.clocks.ago(HOLD_ENDED_MS)].some((at) => isHeldAt(at, task.isMustNotMiss, settings));
  const isFailing = !world.reaches(channel) || world.process.isDoomed || world.liveMs <= BOUND_MS;
  return isHeld || isFailing;
}
