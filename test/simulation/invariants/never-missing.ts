import { isLater } from '../corrections.ts';
import type { Invariant } from '../invariant.ts';
import { expectNudge } from '../model/ladder.ts';
import type { ModelTask } from '../model/task.ts';
import type { World } from '../world.ts';

/** The engine polls every two seconds, whatever happens to its wake-ups. */
const BOUND_MS = 3_000;
const SET_BACK_BOUND_MS = 10_000;
/** What lies less far ahead is not corrected: it comes later by no more than that. */
const IGNORED_MS = 30_000;
/** What an API did that followed the clock later is corrected by then. */
const CORRECTED_AGAIN_MS = 90_000;

/** A nudge comes within seconds of its moment while the service runs, and of the service's start. */
export const invariant: Invariant = {
  name: 'never missing',
  time: (world) =>
    world.liveMs <= BOUND_MS || world.process.isDoomed ? undefined : (findLate(world) ?? findSilent(world)),
};

function findLate(world: World): string | undefined {
  // A task that was planned by old settings may come a little late.
  if (world.elapsedMs - world.followUpsDelayedUntilMs <= BOUND_MS) return undefined;
  for (const [id, expected] of world.expected) {
    const task = world.tasks.get(id);
    if (
      !expected ||
      expected.at >= world.clocks.ago(BOUND_MS + world.clocks.errorMs) ||
      !task ||
      world.corrections.loose.has(id)
    )
      continue;
    if (world.person(task.owner).isGone) continue;
    if ([world.now, world.clocks.ago(BOUND_MS + world.clocks.errorMs)].every((at) => isDueAt(world, task, at)))
      return `“${task.title}” was due at ${new Date(expected.at).toISOString()} and is not nudged.`;
    // After an outage, a heads-up may be too close to the due moment. A clock set forward may have led into a hold.
    world.learn(task);
  }
  return undefined;
}

/** Whether the nudge should have come by that moment, and no hold delays it then. */
const isDueAt = (world: World, task: ModelTask, at: number): boolean =>
  expectNudge(task, world.settingsOf(task), at)?.at === at;

function findSilent(world: World): string | undefined {
  const boundMs = world.runtime.engineClock ? CORRECTED_AGAIN_MS : SET_BACK_BOUND_MS;
  if (world.liveMs <= boundMs || world.corrections.loose.size === 0) return undefined;
  // A task that was only seconds ahead is right again without a correction.
  if (!world.settle()) return undefined;
  const latest = world.clocks.engineNow + IGNORED_MS;
  const silent = [...world.corrections.loose]
    .map((id) => world.tasks.get(id))
    .find((task) => task && isLater(task, latest));
  return silent && `The clock was set back, and “${silent.title}” is silent until the wrong time has come.`;
}
