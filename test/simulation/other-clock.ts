/** What the engine decided while its clock was another one than that of the requests. */
import { expectNudge } from './model/ladder.ts';
import type { ModelTask } from './model/task.ts';
import type { World } from './world.ts';

/** While the engine's clock was another one, a hold had begun by it. What it then planned, it plans again when that ends. */
export function wasHeldByOtherClock(world: World, task: ModelTask): boolean {
  const { clocks, now, taskChangedMs } = world;
  const wereApart = clocks.wereApartSince(taskChangedMs.get(task.id) ?? Number.POSITIVE_INFINITY);
  return wereApart && !isDueAt(world, task, now + clocks.lastAheadMs);
}

/** Whether the nudge should have come by that moment, and no hold delays it then. */
export const isDueAt = (world: World, task: ModelTask, at: number): boolean =>
  expectNudge(task, world.settingsOf(task), at)?.at === at;
