/** Finds how far a moment is from another: "in 20 minutes", "30 minutes before 6pm", "an hour before the train at 6". */
import { HOUR, MINUTE, NOON, SURE } from './clock-patterns.ts';
import { COUNT, COUNT_WORD, MONTH, numberOf, TOMORROW, WEEKDAY } from './lexicon.ts';
import { type Groups, type Reader, wholeWords } from './remaining-text.ts';

/** Minutes before or after a time that follows: "30 minutes before 6pm", "an hour before the train at 6". */
export interface Lag {
  readonly minutes: number;
  readonly isGuess: boolean;
}

const LAG_COUNT = String.raw`(?<count>half an|(?:a )?quarter of an|\d{1,3}(?=\s*[mh])|${COUNT}(?=\s))`;
const LAG = String.raw`${LAG_COUNT}\s*(?<unit>minutes?|mins?|hours?|hrs?|h)(?<half> and a half)?`;
/** "24 hours before friday 10am". */
const DAY = String.raw`(?:${WEEKDAY}|today|${TOMORROW}|\d{1,2}(?:st|nd|rd|th)? ${MONTH}|${MONTH} \d{1,2}(?:st|nd|rd|th)?)`;
export const lagReaders: readonly Reader<Lag>[] = [
  [
    wholeWords(
      String.raw`${LAG} (?<side>before|after|prior to)(?= (?:(?:on )?${DAY}(?:,? at)? (?=\d))?(?:at )?(?:${SURE}|(?:${NOON})|${HOUR}(?:[:.]${MINUTE})?(?!\s*[\d%:./-])))`,
    ),
    ({ groups }) => ({ minutes: lagOf(groups ?? {}), isGuess: false }),
  ],
  [
    wholeWords(
      String.raw`${LAG}(?= (?<side>before|after) (?:(?:the|my|our|his|her) )?(?:[\p{L}'’]+ ){1,2}at (?:${SURE}|${HOUR}))`,
    ),
    ({ groups }) => ({ minutes: lagOf(groups ?? {}), isGuess: true }),
  ],
];

function lagOf({ count = '', unit = '', half, side }: Groups): number {
  const units = count.startsWith('half') ? 0.5 : count.includes('quarter') ? 0.25 : numberOf(count);
  const minutes = Math.round((units + (half ? 0.5 : 0)) * (unit.startsWith('h') ? 60 : 1));
  return side === 'after' ? minutes : -minutes;
}

const MINUTES = '(?:minutes?|mins?|m)';

interface Soon {
  readonly minutes: number;
  /** What "a few" may mean instead. */
  readonly few?: number;
}

/** "in 20 minutes" is a moment, not a time of the day: so many minutes from now. */
export const soonReaders: readonly Reader<Soon>[] = [
  [wholeWords('in (?:about )?half an hour'), () => ({ minutes: 30 })],
  [wholeWords('in (?:about )?(?:a )?quarter of an hour'), () => ({ minutes: 15 })],
  [wholeWords('in (?:about )?three[ -]quarters of an hour'), () => ({ minutes: 45 })],
  ...['in (?:a )?few (?<unit>minutes|mins|hours|hrs)', '(?:a )?few (?<unit>minutes|mins|hours|hrs) from now'].map(
    (source): Reader<Soon> => [
      wholeWords(source),
      ({ groups }) => {
        const { unit = '' } = groups ?? {};
        return unit.startsWith('h') ? { minutes: 180, few: 300 } : { minutes: 5, few: 10 };
      },
    ],
  ),
  ...[
    String.raw`in (?<count>\d{1,2}|${COUNT_WORD})(?<andHalf> and a half) (?<unit>hours?|hrs?|minutes?|mins?)`,
    String.raw`in (?:about )?(?<count>\d{1,3}(?:[.,]5)?(?=\s*[mh])|${COUNT}(?=\s))\s*(?<unit>minutes?|mins?|(?<=\d)m|hours?|hrs?|h)(?:\s*(?:and )?(?<more>\d{1,2})\s*${MINUTES}|(?<=h)(?<joined>\d\d)|(?<andHalf> and a half))?(?! (?:before|after|prior))`,
    `(?<count>${COUNT}) (?<unit>minutes?|mins?|hours?|hrs?)(?<andHalf> and a half)? from now`,
    `(?<count>${COUNT}) and a half (?<unit>hours?|hrs?)(?<andHalf>) from now`,
  ].map((source): Reader<Soon> => [wholeWords(source), ({ groups }) => ({ minutes: minutesFromNow(groups ?? {}) })]),
];

function minutesFromNow({ count = '', unit = '', more, joined, andHalf }: Groups): number {
  const written = count.replace(',', '.');
  const units = (Number(written) || numberOf(written)) + (andHalf === undefined ? 0 : 0.5);
  return Math.round(units * (unit.startsWith('h') ? 60 : 1)) + Number(more ?? joined ?? 0);
}
