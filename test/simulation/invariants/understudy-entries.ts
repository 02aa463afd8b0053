import { type Held, isGeneral, names, type Sounded } from '../holder.ts';
import { type Invariant, isStored } from '../invariant.ts';
import type { ModelTask } from '../model/task.ts';
import type { World } from '../world.ts';

/** The provider holds nothing for less than half a minute, and takes a moment to answer. */
const NEAR_MS = 45_000;

interface Entry {
  readonly taskId: string;
  readonly at: number;
}

/**
 * The timeline of a task says what a provider has sounded about it while the service was dead, once for each message, and
 * nothing that was not sounded. What it says is right if everything had been brought to the provider before; otherwise the
 * service knows only what it last wanted there.
 */
export const invariant: Invariant = {
  name: 'understudies in the timeline',
  end: (world) => {
    const { holder } = world;
    if (!holder) return undefined;
    const rows = world.query("select task_id, at from timeline where kind = 'understudy'");
    const entries = rows.map(({ task_id, at }) => ({ taskId: String(task_id), at: Number(at) }));
    return findInvented(world, entries, holder.all) ?? findMissing(world, entries, holder.sounded);
  },
};

function isNear(world: World, { at }: Entry, { soundsAt }: Held): boolean {
  const laterMs = soundsAt - at;
  return laterMs >= -world.clocks.taskMs(2_000) && laterMs < world.clocks.taskMs(NEAR_MS);
}

/** A message without titles does not show what it is about, and a task may have another title since. */
const mayName = (held: Held, task: ModelTask): boolean =>
  names(held, task) ||
  (held.channel.owner === task.owner && (isGeneral(held) || firstTitle(held) === firstTitle(task)));

/** Without what edits have added. */
const firstTitle = ({ title }: { readonly title: string }): string => title.replace(/['+]+$/, '');

function findInvented(world: World, entries: readonly Entry[], all: readonly Held[]): string | undefined {
  for (const entry of entries) {
    const task = world.tasks.get(entry.taskId);
    if (!task || isUnclear(world, task.owner)) continue;
    const same = entries.filter(({ taskId, at }) => taskId === entry.taskId && at === entry.at);
    const messages = all.filter((held) => isNear(world, entry, held) && mayName(held, task) && maySound(world, held));
    const count = new Set(messages.map(({ ref }) => ref)).size;
    if (same.length > count)
      return `The timeline of “${task.title}” says ${same.length} times that it was announced, and ${count} messages sounded.`;
  }
  return undefined;
}

/** An attempt failed, or something was on its way when the service died. */
const isUnclear = ({ holder }: World, owner: string): boolean =>
  !holder || holder.failedFor.has(owner) || !holder.outages.all.every(({ calm }) => calm.has(owner));

/** It sounded, or the service could not know that it would not. */
function maySound(world: World, held: Held): boolean {
  if (held.end === 'sounded' || held.takenMs <= world.clocks.jumpedMs) return true;
  if (held.end === 'replaced') {
    const next = world.holder?.all.find(({ before }) => before === held);
    return !next || !isStored(next);
  }
  return held.end !== undefined && !(held.end.answeredMs < held.soundsMs);
}

function findMissing(world: World, entries: readonly Entry[], sounded: readonly Sounded[]): string | undefined {
  for (const one of sounded) {
    if (!isKnown(world, one)) continue;
    const task = [...world.tasks.values()].find((named) => names(one, named) && isClear(world, named));
    if (task && !entries.some((entry) => entry.taskId === task.id && isNear(world, entry, one)))
      return `The timeline of “${task.title}” does not say that “${one.title}” sounded.`;
  }
  return undefined;
}

/** Sounded in an outage before which everything was brought to the provider. */
function isKnown(world: World, one: Sounded): boolean {
  const outage = world.holder?.outages.all.findLast(({ process }) => process.diedMs <= one.ms);
  const isCalm = outage?.calm.has(one.channel.owner) && one.ms < nextStartMs(world, outage.process.diedMs);
  return Boolean(isCalm) && isStored(one) && one.takenMs > world.clocks.jumpedMs;
}

const nextStartMs = ({ startsMs }: World, ms: number): number =>
  startsMs.find((startMs) => startMs >= ms) ?? Number.POSITIVE_INFINITY;

const isClear = (world: World, { id, owner }: ModelTask): boolean =>
  !world.person(owner).isGone && world.storedTask(id) !== undefined;
