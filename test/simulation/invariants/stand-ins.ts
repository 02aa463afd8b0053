import type { Channel } from '../channels.ts';
import type { Invariant, Nudge, Told } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';
import type { StandIn } from '../model/stand-ins.ts';
import type { ModelTask } from '../model/task.ts';
import { DAY_MS } from '../model/zone.ts';
import type { Person } from '../person.ts';
import { GATEWAY, Phone } from '../phones.ts';
import { canRead, forStandIn } from '../told.ts';
import type { World } from '../world.ts';

const BOUND_MS = 60_000;
/** The end of a hold, and a little more. */
const HOLD_ENDED_MS = 35_000;
/** How often a held push is checked, and a little more. */
const HOLD_CHECKED_MS = 16 * 60_000;

/** A nudge that a stand-in must have by a moment. */
interface Awaited {
  readonly task: ModelTask;
  readonly nudge: Nudge;
  readonly standIn: StandIn;
  readonly target: Phone | Channel;
  readonly fromMs: number;
  readonly byMs: number;
}

const awaitedIn = new WeakMap<World, Set<Awaited>>();

/**
 * Whoever has agreed is told within a minute of their rung, unless they are held themselves. They see what has reached
 * them and nothing else. Messages about it go only to those whom they are about.
 */
export const invariant: Invariant = {
  name: 'stand-ins',
  nudge: (world, nudge, task) => {
    if (world.corrections.loose.has(task.id)) return undefined;
    const fromMs = world.elapsedMs;
    for (const standIn of world.standIns.toldBy(task, nudge)) {
      const awaited = awaitedIn.get(world) ?? new Set();
      awaitedIn.set(world, awaited);
      for (const target of targetsOf(world, standIn.person, task))
        awaited.add({ task, nudge, standIn, target, fromMs, byMs: fromMs + BOUND_MS });
    }
    return undefined;
  },
  told: (world, told, task) => {
    if (!told.kind.startsWith('stand_in') || told.recipient === undefined) return undefined;
    return isTrue(world, told, told.recipient, task)
      ? undefined
      : `${world.person(told.recipient).name} was told “${told.kind}” about “${told.title}”, which is not so.`;
  },
  time: (world) => {
    const awaited = awaitedIn.get(world);
    for (const one of awaited ?? []) {
      if (world.elapsedMs <= one.byMs) continue;
      awaited?.delete(one);
      if (isOver(world, one) || isUnclear(world, one)) continue;
      if (!isDelayed(world, one)) return `“${one.task.title}” has not reached its stand-in.`;
      awaited?.add({ ...one, byMs: world.elapsedMs + BOUND_MS });
    }
    return undefined;
  },
  end: async (world) => {
    for (const person of world.standIns.isUsed ? world.people.values() : []) {
      const problem = person.isGone ? undefined : await findUnseen(world, person);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

/** Devices, and without one the channels that are used first. */
function targetsOf(world: World, person: string, task: ModelTask): (Phone | Channel)[] {
  const own = world.phones.filter(({ owner, deviceId }) => owner === person && deviceId !== undefined);
  const phones = own.filter((phone) => !phone.isTokenDead && canRead(world, person, task, phone.platform));
  const hasDevice = world.query('select id from devices where user_id = ? and valid = 1', person).length > 0;
  if (hasDevice) return phones;
  const channels = world.channels.filter(({ owner, removedMs }) => owner === person && removedMs > world.elapsedMs);
  const first = Math.min(...channels.map(({ tier }) => tier));
  return channels.filter(({ tier }) => tier === first);
}

/** It came or never will, the task was dealt with, or a newer nudge has replaced this one. */
function isOver(world: World, { task, nudge, target, fromMs }: Awaited): boolean {
  const isEnded = (world.endedMs.get(task.id) ?? 0) >= fromMs;
  const isNewest = world.nudgeLog.followed.get(task.id)?.at(-1)?.entryId === nudge.entryId;
  if (isEnded || !isNewest || !world.tasks.get(task.id)?.isOpen || target.removedMs <= world.elapsedMs) return true;
  return world.sentOf(task.id).some(({ push, phone, channel, result }) => {
    const isThis = (phone ?? channel) === target && push.kind === 'nudge' && push.nudgedAt.getTime() === nudge.at;
    return isThis && /accepted|rejected|gone/.test(result?.kind ?? '');
  });
}

/** A change by one of the two, or of the clock, may have moved or cancelled the nudge. */
function isUnclear(world: World, { task, standIn, target, fromMs }: Awaited): boolean {
  const [owner, person] = [world.person(task.owner), world.person(standIn.person)];
  const changes = [owner.changedMs, person.reachChangedMs, world.clocks.jumpedMs, world.standIns.changedMs(task.owner)];
  const isUnreadable = target instanceof Phone && !canRead(world, person.id, task, target.platform);
  const isLoose = world.corrections.loose.has(task.id) || world.corrections.unsettled.has(task.id);
  const current = world.tasks.get(task.id);
  const isOtherTask =
    current?.isMustNotMiss !== task.isMustNotMiss || current.label !== task.label || current.space !== task.space;
  return changes.some((ms) => ms >= fromMs) || person.isGone || isUnreadable || isLoose || isOtherTask;
}

/** A provider, a crash, a hold of the stand-in or their budget delays it. */
function isDelayed(world: World, { task, standIn, target }: Awaited): boolean {
  const { id, settings, changedMs } = world.person(standIn.person);
  const { isMustNotMiss } = forStandIn(task, standIn);
  const isHeld = [world.now, world.clocks.ago(HOLD_ENDED_MS)].some((at) => isHeldAt(at, isMustNotMiss, settings));
  const isReached =
    target instanceof Phone ? world.gateways[GATEWAY[target.platform]].isReliable : world.reaches(target);
  const isFailing = !isReached || world.process.isDoomed || world.liveMs <= BOUND_MS;
  if (isHeld || isFailing || world.elapsedMs - changedMs <= HOLD_CHECKED_MS) return true;
  const waiting = "select 1 from deliveries where recipient_id = ? and status = 'pending' and waits_for = 'budget'";
  return world.query(waiting, id).length > 0;
}

/** Who is asked has not answered, who asked hears of the answer, and who was told hears that it is done. */
function isTrue(world: World, { kind, taskId, ms }: Told, recipient: string, task: ModelTask | undefined): boolean {
  const { standIns } = world;
  if (kind === 'stand_in_done') {
    if (!task || task.owner === recipient || world.endedMs.get(task.id) === ms) return true;
    return standIns.seenBy(recipient, task) !== undefined || standIns.isChanging(task.owner);
  }
  const standIn = standIns.get(taskId);
  if (!standIn) return standIns.inFlight.size > 0 || world.placesChangedMs === ms || standIns.hasChanged(ms);
  if (standIns.isChanging(standIn.owner)) return true;
  return kind === 'stand_in_asked'
    ? standIn.person === recipient && !standIn.hasAgreed && standIn.fromRung !== null
    : standIn.owner === recipient && standIn.hasAgreed;
}

/** Compares what the person is shown as a stand-in with the model. */
export async function findUnseen(world: World, person: Person): Promise<string | undefined> {
  const answer = await world.call(({ reachedTasks }) => reachedTasks.list(person.id));
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return `The tasks of a stand-in were refused: ${answer.refusal}.`;
  world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
  const shown = new Set(answer.value.map(({ task_id }) => task_id));
  const problems = [...world.tasks.values()].map((task) => findWrong(world, person, task, shown.has(task.id)));
  return problems.find((problem) => problem !== undefined);
}

function findWrong(world: World, person: Person, task: ModelTask, isShown: boolean): string | undefined {
  if (world.corrections.loose.has(task.id) || world.corrections.unsettled.has(task.id)) return undefined;
  const reached = task.owner === person.id ? undefined : world.standIns.seenBy(person.id, task);
  if (!reached) return isShown ? `${person.name} is shown “${task.title}”, which has not reached them.` : undefined;
  // For a day it is shown who settled a task. A clock that was set shows another time than the one of that moment.
  const isLong = reached.settledAt !== null && world.now - reached.settledAt >= DAY_MS;
  if (isShown !== isLong || (reached.settledAt !== null && Number.isFinite(world.clocks.jumpedMs))) return undefined;
  return `${person.name} is ${isShown ? 'still' : 'not'} shown “${task.title}”.`;
}
