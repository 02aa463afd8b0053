/** What the words of a task leave open. Each guess has another reading, which the person can choose instead. */
import type { Correction } from './spelling.ts';

/**
 * - `spelling`: a misspelt name; otherwise the words stay, or mean the other name that is as near
 * - `half`: morning or evening
 * - `year`: a date that has passed this year
 * - `week`: "next friday" is in the next week, otherwise the first one; "monday in 2 weeks" is in that week, otherwise
 *   later; "monday 6pm", written on a Monday, is today while 18:00 is ahead, otherwise in a week
 * - `order`: day and month of 3/12
 * - `days`: "mon wed fri" repeats; otherwise once each
 * - `until`: "until october" ends before October; otherwise with it
 * - `part`: the hour of "tonight"; otherwise the whole day
 * - `amount`: "a few hours"; otherwise more of them
 * - `words`: words that were read and may belong to the title; otherwise they stay
 * - `name`: words that stay and may name a moment ("The 5 AM Club", "pay 5.30 friday"); otherwise they are read
 * - `before`: "an hour before the train at 6"; otherwise at 6
 * - `by`: "before friday" is on Friday; otherwise the day before
 * - `choice`: the first of "mon or tue"; otherwise the second
 * - `zone`: "9am EST" on the person's clock; otherwise at nine on that clock
 * - `once`: "first tuesday of the month" is one day; otherwise every month
 * - `rhythm`: "biweekly" is every two weeks, and "every second tuesday" the second of a month; otherwise twice a week, and
 *   every other Tuesday
 * - `weekday`: "fri 14 march" is that date, which is no Friday; otherwise the next Friday
 * - `left`: words that stay may say when; otherwise nothing is read
 * - `ladder`: "rent friday, gently" says how to remind; otherwise the words are read as if nothing could
 * - `wait`: five minutes instead of fewer; otherwise fewer, and the task must not be missed
 * - `begin`: "nag every 10 minutes" begins in ten minutes; otherwise there is no date
 */
export type GuessKind =
  | 'spelling'
  | 'half'
  | 'year'
  | 'week'
  | 'order'
  | 'days'
  | 'until'
  | 'part'
  | 'amount'
  | 'words'
  | 'name'
  | 'before'
  | 'by'
  | 'choice'
  | 'zone'
  | 'once'
  | 'rhythm'
  | 'weekday'
  | 'left'
  | 'ladder'
  | 'wait'
  | 'begin';

export interface Guess {
  readonly kind: GuessKind;
  /** The part of the result that the guess decides. */
  readonly part: 'due' | 'recurrence' | 'ladder';
  /** The name that a misspelt word was taken for. */
  readonly correction?: Correction;
  /** The words that stay. */
  readonly left?: string;
}

/** The guesses for which the person chose the other reading. */
export type Choices = ReadonlySet<GuessKind>;

const RULE_GUESSES: ReadonlySet<GuessKind> = new Set(['days', 'until', 'rhythm']);
export const guessOf = (kind: GuessKind): Guess => ({ kind, part: RULE_GUESSES.has(kind) ? 'recurrence' : 'due' });
