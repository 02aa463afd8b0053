/**
 * How much of a file one import takes. What goes beyond is left for the next: on SQLite everybody who
 * writes waits while an import is stored, and whoever sends nothing but nonsense is read no further.
 */
import type { ReadItem } from './read-item.ts';

/** Measured on SQLite, two busy cores: others wait 1.8 s for 10,000 short tasks, 2.6 s for 7.5 million characters. */
const MOST_TASKS = 5_000;
const MOST_CHARACTERS = 4_000_000;
const MOST_OUTCOMES = 10_000;
/** Enough to see what is wrong with a file. To find that a rule never falls takes milliseconds each. */
const MOST_REFUSED = 500;

export class Part {
  #taken = 0;
  #outcomes = 0;
  #characters = 0;
  #refused = 0;

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= MOST_TASKS || this.#refused >= MOST_REFUSED;
  }

  /** False where it no longer fits. The first always does, however large it is. */
  add(item: ReadItem): boolean {
    const [outcomes, characters] = 'arrival' in item ? sizeOf(item) : [0, 0];
    const fits = this.#outcomes + outcomes <= MOST_OUTCOMES && this.#characters + characters <= MOST_CHARACTERS;
    if (!fits && this.#taken > 0) return false;
    this.#taken += 1;
    this.#outcomes += outcomes;
    this.#characters += characters;
    if ('reason' in item) this.#refused += 1;
    return true;
  }
}

function sizeOf({ arrival: { task, outcomes } }: Extract<ReadItem, { arrival: unknown }>): [number, number] {
  const texts = [task.title, task.notes, task.kind, task.recurrence, ...outcomes.map(({ title }) => title)];
  return [outcomes.length, texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)];
}
