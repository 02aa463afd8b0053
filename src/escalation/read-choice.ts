/** Reads the ladder that a request names or describes. Throws `InvalidInput` with a sentence. Pure. */
import { InvalidInput } from '../lib/errors.ts';
import { findLadderProblem } from './check-ladder.ts';
import { findLadder, type LadderBook, type LadderChoice, type NamedChoice } from './choose-ladder.ts';
import type { Ladder } from './ladder.ts';
import type { PresetName } from './presets.ts';

export interface GivenLadder {
  readonly rungs: Ladder['rungs'];
  readonly end?: Ladder['end'];
}

export interface GivenName {
  readonly preset?: PresetName;
  readonly ladder_id?: string;
}

export type GivenChoice = GivenName & Partial<GivenLadder>;

/** Keeps the fields of a ladder alone: what else a request has inside of it is not stored. */
export function readLadder({ rungs, end }: GivenLadder): Ladder {
  const given = end === undefined && rungs.length > 1 ? { repeat_last: 1, times: null } : (end ?? null);
  return {
    rungs: rungs.map(({ after, stage }) => ({ after, stage })),
    end: given && { repeat_last: given.repeat_last, times: given.times },
  };
}

export function readNamedChoice({ preset, ladder_id }: GivenName): NamedChoice {
  if ((preset === undefined) === (ladder_id === undefined)) throw invalid('Send either preset or ladder_id');
  return preset === undefined ? { ladder_id: ladder_id as string } : { preset };
}

export function readChoice({ rungs, end, ...name }: GivenChoice): LadderChoice {
  const given = [rungs, name.preset, name.ladder_id].filter((one) => one !== undefined);
  if (given.length !== 1) throw invalid('Send one of preset, ladder_id and rungs');
  if (rungs !== undefined) return readLadder({ rungs, ...(end !== undefined && { end }) });
  if (end !== undefined) throw invalid('The end belongs to rungs: leave it out, or send the rungs too', 'end');
  return readNamedChoice(name);
}

/** The ladder that may be chosen so. A definition may be meant for tasks that must not be missed, a choice is for one. */
export function requireFit(choice: LadderChoice, book: LadderBook, mustNotMiss: boolean): Ladder {
  const ladder = findLadder(choice, book);
  if (!ladder) throw invalid('You have no ladder with this id', 'ladder_id');
  return requireLadder(ladder, mustNotMiss, 'ladder_id' in choice ? 'ladder_id' : 'rungs');
}

export function requireLadder(ladder: Ladder, mustNotMiss: boolean, field = 'rungs'): Ladder {
  const problem = findLadderProblem(ladder, mustNotMiss);
  if (problem !== undefined) throw invalid(problem, field);
  return ladder;
}

/** Of an imported task. No ladder is stored that could not be chosen for any task. */
export function readArchivedChoice(given: GivenChoice): LadderChoice {
  const choice = readChoice(given);
  return 'rungs' in choice ? requireLadder(choice, true) : choice;
}

const invalid = (msg: string, ...field: string[]) =>
  new InvalidInput({ type: 'value_error', loc: ['body', ...field], msg });
