import type { Invariant } from '../invariant.ts';

const MINUTE_MS = 60_000;

/** Between two due nudges of a run there are 5 minutes, or 1 for a task that must not be missed, whatever its ladder. */
export const invariant: Invariant = {
  name: 'waits',
  nudge: (world, { at, run, stage, entryId }, task) => {
    if (stage < 0 || world.corrections.loose.has(task.id)) return undefined;
    const isBefore = (nudge: { run: number; stage: number; entryId: string }) =>
      nudge.run === run && nudge.stage >= 0 && nudge.entryId !== entryId;
    const before = (world.nudgeLog.followed.get(task.id) ?? []).findLast(isBefore);
    if (!before || world.clocks.jumpedMs >= before.ms) return undefined;
    const changedMs = world.strengthChangedMs.get(task.id) ?? -1;
    const least = task.isMustNotMiss || changedMs >= before.ms ? 1 : 5;
    return at - before.at >= least * MINUTE_MS
      ? undefined
      : `“${task.title}” was nudged ${Math.round((at - before.at) / 1_000)} seconds after the nudge before.`;
  },
};
