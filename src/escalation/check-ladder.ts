/** Whether somebody may choose a ladder. What is already stored is never refused: the planner fits it to its task. Pure. */
import type { Ladder, Rung } from './ladder.ts';
import { hasWaitUnder, rungAt, shortestWait } from './ladder.ts';

export const MOST_RUNGS = 20;
const MOST_A_DAY = 300;
const DAY = 1_440;
/** Two moments of a day can be much closer than a day, if a run begins late in the evening. */
const HALF_DAY = DAY / 2;

/** The first thing that is wrong with it, as a sentence; undefined for a ladder that may be chosen. */
export function findLadderProblem(ladder: Ladder, mustNotMiss: boolean): string | undefined {
  const { rungs, end } = ladder;
  if (rungs[0]?.after !== 0) return 'The first rung is the nudge at the due moment, so its after is 0.';
  const shortest = shortestWait(mustNotMiss);
  if (hasWaitUnder(rungs, shortest))
    return mustNotMiss
      ? `Later rungs come at least ${shortest} minute after the previous nudge.`
      : `Later rungs come at least ${shortest} minutes after the previous nudge, and at least ${shortestWait(true)} minute for a task that must not be missed.`;
  if (rungs.some(({ stage }, index) => stage < (rungs[index - 1]?.stage ?? 0)))
    return 'A rung has a lower stage than the one before it. Stages only rise.';
  if (end && rungs.length === 1) return 'A ladder that repeats needs a second rung, which says how long to wait.';
  if (end && end.repeat_last >= rungs.length)
    return 'The rung at the due moment cannot be repeated: repeat_last is smaller than the number of rungs.';
  if (mostPerDay(ladder) > MOST_A_DAY) return `This ladder has more than ${MOST_A_DAY} nudges a day.`;
  return undefined;
}

/** The most nudges within 24 hours. The end of the ladder repeats, so two days and all rungs show every window. */
function mostPerDay(ladder: Ladder): number {
  const times: number[] = [];
  let [time, most, from] = [0, 0, 0];
  for (let step = 0; time < 2 * DAY + totalWait(ladder.rungs); step += 1) {
    const rung = rungAt(ladder, step);
    if (!rung) break;
    time += waitOf(rung);
    times.push(time);
    while ((times[from] ?? 0) <= time - DAY) from += 1;
    most = Math.max(most, times.length - from);
    if (most > MOST_A_DAY) return most;
  }
  return most;
}

const waitOf = ({ after }: Rung): number => (typeof after === 'number' ? after : HALF_DAY);

const totalWait = (rungs: readonly Rung[]): number => rungs.reduce((sum, rung) => sum + waitOf(rung), 0);
