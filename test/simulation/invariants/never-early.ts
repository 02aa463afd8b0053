import type { Invariant } from '../invariant.ts';
import { expectNudge } from '../model/ladder.ts';

/** No nudge comes before the moment that the model expects, and each has the stage that the ladder gives it. */
export const invariant: Invariant = {
  name: 'never early',
  nudge: (world, { at, stage }, task, settings) => {
    if (world.corrections.loose.has(task.id) || !task.isOpen || !task.isAccepted) return undefined;
    const expected = settings.map((one) =>
      expectNudge({ ...task }, { ...one, quiet: null, pause: null, planned: null }, at),
    );
    const { earlyMs, errorMs } = world.clocks;
    // What is overdue as a run begins is due by the clock of the engine, which may be a little behind that of the request.
    const due = expected.filter((one) => one && one.at <= at + (one.at === task.runFrom ? errorMs : earlyMs));
    const next = expected[0];
    if (due.length === 0)
      return next
        ? `“${task.title}” was nudged ${Math.round((next.at - at) / 60_000)} minutes early.`
        : `“${task.title}” was nudged although no nudge is left.`;
    if (due.some((one) => one?.stage === stage)) return undefined;
    // A heads-up that the holds would delay until the task is due is left out.
    if (settings.some((one) => expectNudge(task, one, at)?.stage === stage)) return undefined;
    return `“${task.title}” was nudged at stage ${stage} instead of ${due[0]?.stage}.`;
  },
};
