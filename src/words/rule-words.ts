/** What the words of a rule name: days of the week, places in a month, parts and times of the day. */
import { allOf, listOf, numberOf, ORDINAL, type PartOfDay, WEEKDAY, weekdayIndex } from './lexicon.ts';
import { WEEKDAY_CODES } from './names.ts';
import { WORK_WEEK } from './rhythms.ts';

export const NTHS = listOf(ORDINAL, String.raw`\s*,\s*(?:and )?(?:the )?| and (?:the )?|\s*[&+/]\s*`);
/** "first and third monday", "1st monday and 3rd friday". */
export const PLACE = `${NTHS} ${WEEKDAY}`;
export const PARTS = '(?:morning|afternoon|evening|night)s?';

/** Spread over a waking day. */
export const TIMES_PER_DAY: readonly (readonly string[])[] = [
  [],
  ['09:00'],
  ['09:00', '21:00'],
  ['08:00', '14:00', '20:00'],
  ['08:00', '12:00', '16:00', '20:00'],
  ['08:00', '11:00', '14:00', '17:00', '20:00'],
  ['08:00', '10:30', '13:00', '15:30', '18:00', '20:30'],
];

export const partsIn = (words = ''): { parts?: PartOfDay[] } => {
  const parts = allOf(PARTS, words).map((word) => word.toLowerCase().replace(/s$/, '') as PartOfDay);
  return parts.length > 0 ? { parts } : {};
};

const LETTER_DAYS: Readonly<Record<string, string>> = { m: 'mon', t: 'tue', tu: 'tue', w: 'wed', th: 'thu', f: 'fri' };

export const daysIn = (words: string) => [
  ...new Set(allOf(WEEKDAY, words).map((name) => WEEKDAY_CODES[weekdayIndex(name)] ?? 'mo')),
];

export const placesIn = (words: string) => allOf(PLACE, words).flatMap(placesOf);

export const lettersIn = (word: string) =>
  /-/.test(word)
    ? WORK_WEEK
    : daysIn(word.replaceAll(/th|tu?|[mwf]/gi, (letter) => `${LETTER_DAYS[letter.toLowerCase()]} `));

function placesOf(words: string): string[] {
  const day = daysIn(words)[0] ?? 'mo';
  return allOf(ORDINAL, words).map((word) => `${numberOf(word)}${day}`);
}

export function dayRange(first: string, last: string): string[] {
  const [from, to] = [weekdayIndex(first), weekdayIndex(last)];
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => WEEKDAY_CODES[(from + index) % 7] ?? 'mo');
}

export function intervalOf(count: string | undefined): { interval?: number } {
  const interval = count === undefined ? 1 : numberOf(count);
  return interval > 1 ? { interval } : {};
}
