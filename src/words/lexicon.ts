/** The words that the readers share: what each one means, and the patterns that find it. */
import { MONTH_NAMES, shortName, WEEKDAY_CODES, WEEKDAY_NAMES } from './names.ts';

export type PartOfDay = 'morning' | 'noon' | 'afternoon' | 'evening' | 'night';

/** The one hour that each part of the day stands for. A person's own start of the day replaces the morning. */
export const PART_HOURS: Readonly<Record<PartOfDay, number>> = {
  morning: 9,
  noon: 12,
  afternoon: 15,
  evening: 19,
  night: 21,
};
/** The hour at which it is over. */
export const PART_ENDS: Readonly<Record<PartOfDay, number>> = {
  morning: 12,
  noon: 14,
  afternoon: 18,
  evening: 24,
  night: 24,
};

/** Sources of patterns are easier to read with spaces. */
export const spaced = (source: string): string => source.replaceAll(' ', String.raw`\s+`);

const COUNTS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
/** `ORDINALS[0]` is the first. */
export const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
/** `ORDINAL_DAYS[20]` is the twenty-first. */
const ORDINAL_DAYS = [
  ...ORDINALS,
  ...'sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth'.split(
    ' ',
  ),
  ...'eighteenth nineteenth twentieth'.split(' '),
  ...[...ORDINALS, 'sixth', 'seventh', 'eighth', 'ninth'].map((name) => `twenty-${name}`),
  'thirtieth',
  'thirty-first',
];
/** The longest first, so that "twenty first" is not read as "first". */
export const ORDINAL_DAY = String.raw`(?:${ORDINAL_DAYS.toReversed().join('|').replaceAll('-', String.raw`[\s-]`)})`;

const TEENS = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
export const DIGIT_WORD = `(?:${COUNTS.slice(0, 9).join('|')})`;
export const TEEN = `(?:${TEENS.join('|')})`;
/** The hours of the afternoon and evening: "nineteen". */
export const LATE_HOUR = String.raw`(?:${TEEN}|twenty(?:[\s-](?:one|two|three))?)`;

export const COUNT_WORD = `(?:${COUNTS.join('|')})`;
const LARGER_COUNT = String.raw`(?:fifteen|twenty|thirty|forty(?:[\s-]five)?|fifty|sixty|ninety)`;
export const COUNT = String.raw`(?:\d{1,3}|an?|${COUNT_WORD}|${LARGER_COUNT}|(?:a )?couple(?: of)?|other)`;
export const ORDINAL = String.raw`(?:\d{1,2}(?:st|nd|rd|th)|${ORDINALS.join('|')}|last)`;

/** "3", "three", "3rd", "third", "other" as in "every other", "last" as -1. */
export function numberOf(word: string): number {
  const lower = word.toLowerCase();
  if (lower === 'a' || lower === 'an') return 1;
  if (lower === 'other' || lower === 'alternate' || lower.includes('couple')) return 2;
  if (lower === 'last') return -1;
  if (lower.includes('few')) return 3;
  const place = countOf(lower) || ORDINAL_DAYS.indexOf(lower.replaceAll(/\s+/g, '-')) + 1;
  return place || Number.parseInt(lower, 10);
}

/** "nineteen", "forty-five"; 0 for what is none. */
function countOf(word: string): number {
  const [first = '', unit] = word.split(/[\s-]+/);
  const tens = (TENS.indexOf(first) + 2) * 10;
  if (unit !== undefined) return tens >= 20 && COUNTS.includes(unit) ? tens + COUNTS.indexOf(unit) + 1 : 0;
  return [...COUNTS, ...TEENS].indexOf(first) + 1 || (tens >= 20 ? tens : 0);
}

/** The position of `first`, `1st`, `12th`, `last` or `second to last`, from the end as a negative number. */
export function ordinalOf(words: string): number | undefined {
  if (words === 'last') return -1;
  const [, name = '', fromEnd] = /^(\S+)( to last)?$/.exec(words) ?? [];
  const [, digits] = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(name) ?? [];
  const nth = digits === undefined ? ORDINALS.indexOf(name) + 1 : Number(digits);
  if (nth < 1) return undefined;
  return fromEnd === undefined ? nth : -nth;
}

/** "Good Friday" names one day of the year, not the next Friday. */
const NO_NAMED_DAY = String.raw`(?<!\b(?:black|good|easter|palm|cyber|ash|shrove|giving|tgi|fat|maundy|mothering|bloody|taco|casual|freaky|ruby|manic|throwback|bowl|man|girl|given)\s+)`;
export const DAY_NAME = `${NO_NAMED_DAY}(?:mon|tues|wed?ne?s|thurs|fri|satur|sun)day`;
/** With the usual misspellings. */
export const TOMORROW = '(?:tomm?orr?ow|tmrw|tmr|tmw)';
export const WEEKDAY = `(?:${DAY_NAME}s?|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)`;
/** Words of their own, so they count as days only where a day is expected. */
export const SHORT_WORDS = /^(?:(?:for|from|by|before)\s+)?(?:sat|sun|weds?|mon)$/i;
/** From 0 for Monday, of a word that `WEEKDAY` matched. */
export const weekdayIndex = (name: string): number => WEEKDAY_CODES.indexOf(name.toLowerCase().slice(0, 2));

/** The code of `mo`, `mon`, `monday` or `mondays`. A single letter could be two days. */
export function weekdayCode(word: string): string | undefined {
  const [name, index] = [word.toLowerCase().replace(/s$/, ''), weekdayIndex(word)];
  return name.length > 1 && WEEKDAY_NAMES[index]?.toLowerCase().startsWith(name) ? WEEKDAY_CODES[index] : undefined;
}

const MONTHS = MONTH_NAMES.map((name) => shortName(name).toLowerCase());
export const MONTH =
  '(?:jan(?:uary)?|feb(?:r?uary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
/** 0 if it is none. */
export const monthOf = (name: string): number => MONTHS.indexOf(name.toLowerCase().slice(0, 3)) + 1;

/** A bound, so that a text of nothing but days is read in a time that grows with its length alone. */
const MOST_LISTED = 12;
export const listOf = (source: string, joints = String.raw`\s*,\s*(?:and )?| and |\s*[&+/]\s*`): string =>
  `${source}(?:(?:${joints})${source}){0,${MOST_LISTED - 1}}`;
export const allOf = (source: string, text: string): string[] =>
  [...text.matchAll(new RegExp(String.raw`\b${spaced(source)}\b`, 'gi'))].map(([word]) => word);
