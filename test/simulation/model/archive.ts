/** What the documents say an import brings back. */
import type { LadderBook } from './ladders.ts';
import type { ModelTask } from './task.ts';

/**
 * A task of an export in another account. Neither its space nor its assigner comes along, and nobody takes back what was
 * done to it before. What a wrong clock dated later than now has happened now.
 */
export function restoredTask(task: ModelTask, id: string, owner: string, now: number): ModelTask {
  const past = (at: number): number => Math.min(at, now);
  const { lastNudge, headsUpsDone, runFrom, occurrenceFrom } = task;
  return {
    ...task,
    id,
    owner,
    assigner: null,
    space: null,
    undo: null,
    runFrom: past(runFrom),
    occurrenceFrom: past(occurrenceFrom),
    lastNudge: lastNudge === null ? null : past(lastNudge),
    headsUpsDone: headsUpsDone === null ? null : past(headsUpsDone),
  };
}

/** Ladders are added to what is there, and what was chosen stays. */
export const addLadders = (book: LadderBook, { own, labels, account }: LadderBook): LadderBook => ({
  own: new Map([...own, ...book.own]),
  labels: new Map([...labels, ...book.labels]),
  account: book.account ?? account,
});
