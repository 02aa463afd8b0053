/** A date that words name, and what its patterns are given. */
import type { Choices, GuessKind } from './guess.ts';
import type { PartOfDay } from './lexicon.ts';
import type { Groups } from './remaining-text.ts';
import type { Day } from './wall-time.ts';

export interface DateContext {
  readonly today: Day;
  /** 3/12 is the third of December. */
  readonly dayFirst: boolean;
  readonly choices: Choices;
  /** Told of words that stay because they look like a name. */
  readonly onName: () => void;
}

export interface FoundDate {
  readonly date: Day;
  /** "tomorrow evening". */
  readonly part?: PartOfDay;
  /** "tonight", which lasts longer than an evening. */
  readonly isNight?: boolean;
  /** "from friday": a series goes on after it. */
  readonly isStart?: boolean;
  /** The weekday is today's, and may mean today or this day in a week, which is its `date`. */
  readonly orToday?: boolean;
  readonly guesses?: readonly GuessKind[];
}

/** Several ways to say the same, and what they mean. */
export type DatePattern = readonly [
  sources: readonly string[],
  read: (groups: Groups, context: DateContext) => Day | FoundDate | undefined,
];

export const PART = '(?: (?<part>morning|afternoon|evening|night|am|pm|first thing))?';

export const withPart = (date: Day, part: string | undefined): FoundDate =>
  part === undefined ? { date } : { date, part: partOf(part) };

function partOf(word: string): PartOfDay {
  if (word === 'am' || /^(?:first|early)/.test(word)) return 'morning';
  return word === 'pm' ? 'afternoon' : (word as PartOfDay);
}
