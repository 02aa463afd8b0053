/** Which ladder a task has, why, and in what the planner departs from it. Pure. */
import { chooseLadder, type LadderBook, readBook } from '../../escalation/choose-ladder.ts';
import { hasWaitUnder, type Ladder, rungAt, shortestWait } from '../../escalation/ladder.ts';
import type { PresetName } from '../../escalation/presets.ts';
import type { Task } from '../task-state.ts';

export const FITS = [
  /** Waits are as short as the task allows. */
  'waits_lengthened',
  /** The task must not be missed, so the last rung goes on after the end. */
  'repeats_although_ended',
  /** The task notifies once, so it has the first rung only. */
  'once_only',
  /** A token that changed the task may not bring stronger nudges. */
  'stage_limited',
  /** A token that changed the task may not bring shorter waits. */
  'waits_limited_by_token',
] as const;
export type Fit = (typeof FITS)[number];

export interface ShownLadder extends Ladder {
  readonly name: string | null;
  readonly preset: PresetName | null;
  readonly ladder_id: string | null;
  readonly from: ReturnType<typeof chooseLadder>['from'];
  readonly label: string | null;
  readonly counting_label: string;
  readonly fitted: readonly Fit[];
}

/** The names that the owner gave to ladders are for the owner alone. */
export function showLadder(task: Task, storedBook: string | null, isOwner: boolean): ShownLadder {
  const { ladder, from, choice } = chooseLadder(task, storedBook);
  const counting_label = task.ladder_label ?? task.kind;
  const id = choice && 'ladder_id' in choice ? choice.ladder_id : null;
  const preset = choice === null ? 'default' : 'preset' in choice ? choice.preset : null;
  return {
    rungs: ladder.rungs,
    end: ladder.end,
    name: isOwner ? findName(readBook(storedBook), id) : null,
    preset,
    ladder_id: isOwner ? id : null,
    from,
    label: from === 'label' ? counting_label : null,
    counting_label,
    fitted: fitsOf(ladder, task),
  };
}

const findName = ({ own }: LadderBook, ladderId: string | null): string | null =>
  own.find(({ id }) => id === ladderId)?.name ?? null;

function fitsOf(ladder: Ladder, task: Task): Fit[] {
  const isOnce = task.mode !== 'escalate';
  const rungs = isOnce ? ladder.rungs.slice(0, 1) : ladder.rungs;
  const { max_stage: maxStage, break_quiet_hours: mustNotMiss } = task;
  const holds: Readonly<Record<Fit, boolean>> = {
    waits_lengthened: hasWaitUnder(rungs, shortestWait(mustNotMiss)),
    repeats_although_ended: !isOnce && mustNotMiss && hasEnd(ladder),
    once_only: isOnce && rungAt(ladder, 1) !== null,
    stage_limited: maxStage !== null && rungs.some(({ stage }) => stage > maxStage),
    waits_limited_by_token: hasWaitUnder(rungs, task.shortest_wait ?? 0),
  };
  return FITS.filter((fit) => holds[fit]);
}

const hasEnd = ({ end }: Ladder): boolean => end === null || end.times !== null;
