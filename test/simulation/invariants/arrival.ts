import type { Invariant, Nudge } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';
import { dueAt, type ModelTask } from '../model/task.ts';
import { GATEWAY, type Phone } from '../phones.ts';
import type { World } from '../world.ts';

/** The lease of a process that died, and the check after it. */
const BOUND_MS = 20_000;
/** The end of a hold, and a little more. */
const HOLD_ENDED_MS = 35_000;
/** How often a held or suspended push is checked, and a little more. */
const HOLD_CHECKED_MS = 16 * 60_000;

/** A nudge that a device must have by a moment. */
interface Awaited {
  readonly task: ModelTask;
  readonly nudge: Nudge;
  readonly phone: Phone;
  readonly fromMs: number;
  readonly byMs: number;
}

const awaitedIn = new WeakMap<World, Set<Awaited>>();

/** A nudge is not only planned: it reaches every device of its owner, with the occurrence that its buttons act on. */
export const invariant: Invariant = {
  name: 'arrival',
  nudge: (world, nudge, task) => {
    const awaited = awaitedIn.get(world) ?? new Set();
    awaitedIn.set(world, awaited);
    const fromMs = world.elapsedMs;
    for (const phone of world.phones)
      if (phone.owner === task.owner && phone.deviceId !== undefined && !phone.isTokenDead)
        awaited.add({ task, nudge, phone, fromMs, byMs: fromMs + BOUND_MS });
    return undefined;
  },
  push: (world, { push, ms }, task) => {
    if (push.kind !== 'nudge' || !task?.isOpen || isLoose(world, task.id)) return undefined;
    // The push may still show a state from before a change in the same moment.
    if (world.endedMs.get(task.id) === ms || world.person(task.owner).changedMs === ms) return undefined;
    const due = dueAt(task, world.settingsOf(task));
    if (push.task.occurrenceDueAt?.getTime() === (due ?? undefined) || isReplanning(world, task.owner))
      return undefined;
    return `A push of “${task.title}” is about another occurrence than the one that is due.`;
  },
  time: (world) => {
    const awaited = awaitedIn.get(world);
    for (const one of awaited ?? []) {
      if (world.elapsedMs <= one.byMs) continue;
      awaited?.delete(one);
      if (isOver(world, one) || hasArrived(world, one) || isUnclear(world, one)) continue;
      if (!isDelayed(world, one)) return `“${one.task.title}” has not reached a device of its owner.`;
      awaited?.add({ ...one, byMs: world.elapsedMs + BOUND_MS });
    }
    return undefined;
  },
};

/** In another zone, the day of a task without a time begins at another moment. Its row changes when its slice runs. */
const isReplanning = (world: World, owner: string): boolean =>
  world.query("select user_id from follow_ups where kind = 'replan' and user_id = ?", owner).length > 0;

const isLoose = (world: World, id: string) => world.corrections.loose.has(id) || world.corrections.unsettled.has(id);

/** The task was dealt with, a new run has begun, or a newer nudge has superseded this one. */
function isOver(world: World, { task, nudge, fromMs }: Awaited): boolean {
  const isEnded = (world.endedMs.get(task.id) ?? 0) >= fromMs;
  const isNewest = world.nudgeLog.followed.get(task.id)?.at(-1)?.entryId === nudge.entryId;
  return !world.tasks.get(task.id)?.isOpen || isEnded || !isNewest;
}

/** The provider has accepted the push, or will never accept it. */
const hasArrived = (world: World, { task, nudge, phone }: Awaited): boolean =>
  world.sentOf(task.id).some((sent) => {
    const isThis = sent.phone === phone && sent.push.kind === 'nudge' && sent.push.nudgedAt.getTime() === nudge.at;
    return isThis && /accepted|rejected|gone/.test(sent.result?.kind ?? '');
  });

/** A change by the person, or of the clock, may have moved or cancelled the nudge. */
function isUnclear(world: World, { task, fromMs }: Awaited): boolean {
  const owner = world.person(task.owner);
  const current = world.tasks.get(task.id);
  const isCancelled = current?.mode === 'escalate' && owner.changedMs >= fromMs;
  const isChanged = current?.isMustNotMiss !== task.isMustNotMiss || owner.reachChangedMs >= fromMs;
  return isCancelled || isChanged || owner.isGone || world.clocks.jumpedMs >= fromMs || isLoose(world, task.id);
}

/** A provider, a crash or a hold delays the nudge. */
function isDelayed(world: World, { task, phone }: Awaited): boolean {
  const { settings, changedMs } = world.person(task.owner);
  const isHeld = [world.now, world.clocks.ago(HOLD_ENDED_MS)].some((at) => isHeldAt(at, task.isMustNotMiss, settings));
  const isFailing = !world.gateways[GATEWAY[phone.platform]].isReliable;
  const isDown = world.process.isDoomed || world.liveMs <= BOUND_MS;
  return isHeld || isFailing || isDown || settings.isSuspended || world.elapsedMs - changedMs <= HOLD_CHECKED_MS;
}
