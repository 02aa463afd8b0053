/** A rule that words name, with what they leave open. */
import type { GuessKind } from './guess.ts';
import type { PartOfDay } from './lexicon.ts';
import type { Recurrence } from './recurrence.ts';

export interface FoundRule {
  readonly rule: Recurrence;
  /** The parts of the day of "every morning and evening". */
  readonly parts?: readonly PartOfDay[];
  /** The times of "three times a day", for a text that names none. */
  readonly times?: readonly string[];
  readonly guesses?: readonly GuessKind[];
  /** What the same words may mean instead: "biweekly" is every two weeks, or twice a week. */
  readonly other?: Recurrence;
  /** How many days a list without "every" names: it repeats, or has each of them once. */
  readonly listed?: number;
}
