/**
 * Limits how much of a file one import stores, so that a request ends within seconds. The rest is left for the next
 * import. A file full of invalid tasks is not read to its end.
 */
import type { ImportRecord } from '../tasks/task-import.service.ts';
import type { ReadItem } from './read-task.ts';

/** Measured on SQLite with two busy cores: 10,000 short tasks take 1.8 s, 7.5 million characters 2.6 s. */
const MOST_TASKS = 2_000;
const MOST_CHARACTERS = 4_000_000;
const MOST_OUTCOMES = 5_000;
/** Enough to see what is wrong with a file. */
const MOST_REFUSED = 500;
/** Finding the dates of a rule can take milliseconds, and one file at a time is read for all accounts. */
const MOST_REPEATING = 500;

export class ImportBatch {
  #size = 0;
  #outcomes = 0;
  #characters = 0;
  #refused = 0;
  #repeating = 0;

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size >= MOST_TASKS || this.#refused >= MOST_REFUSED || this.#repeating >= MOST_REPEATING;
  }

  /** Returns false if the item no longer fits. The first item always does, whatever its size. */
  add(item: ReadItem, isRepeating: boolean): boolean {
    const [outcomes, characters] = 'record' in item ? sizeOf(item.record) : [0, 0];
    const fits = this.#outcomes + outcomes <= MOST_OUTCOMES && this.#characters + characters <= MOST_CHARACTERS;
    if (!fits && this.#size > 0) return false;
    this.#size += 1;
    this.#outcomes += outcomes;
    this.#characters += characters;
    if ('reason' in item) this.#refused += 1;
    if (isRepeating) this.#repeating += 1;
    return true;
  }
}

function sizeOf({ task, outcomes }: ImportRecord): [outcomes: number, characters: number] {
  const texts = [task.title, task.notes, task.kind, task.recurrence, ...outcomes.map(({ title }) => title)];
  return [outcomes.length, texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)];
}
