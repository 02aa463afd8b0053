/** Words that several readers share, as sources of patterns. */
import type { WallTime } from '../time/wall-time.ts';

export type Day = Pick<WallTime, 'year' | 'month' | 'day'>;
export type PartOfDay = 'morning' | 'noon' | 'afternoon' | 'evening' | 'night';

/** The one hour that each part of the day stands for. */
export const PART_HOURS: Readonly<Record<PartOfDay, number>> = {
  morning: 8,
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

const COUNTS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

export const COUNT_WORD = `(?:${COUNTS.join('|')})`;
export const COUNT = String.raw`(?:\d{1,3}|an?|${COUNT_WORD}|(?:a\s+)?couple(?:\s+of)?|other)`;
export const ORDINAL = String.raw`(?:\d{1,2}(?:st|nd|rd|th)|${ORDINALS.join('|')}|last)`;

/** "3", "three", "3rd", "third", "other" as in "every other", "last" as -1. */
export function numberOf(word: string): number {
  const lower = word.toLowerCase();
  if (lower === 'a' || lower === 'an') return 1;
  if (lower === 'other' || lower === 'alternate' || lower.includes('couple')) return 2;
  if (lower === 'last') return -1;
  const place = COUNTS.indexOf(lower) + 1 || ORDINALS.indexOf(lower) + 1;
  return place || Number.parseInt(lower, 10);
}

/** "Good Friday" names one day of the year, not the next Friday. */
const NO_NAMED_DAY = String.raw`(?<!\b(?:black|good|easter|palm|cyber|ash|shrove|giving|tgi)\s+)`;
export const DAY_NAME = `${NO_NAMED_DAY}(?:mon|tues|wed?ne?s|thurs|fri|satur|sun)day`;
/** With the usual misspellings. */
export const TOMORROW = '(?:tomm?orr?ow|tmrw|tmr|tmw)';
export const WEEKDAY = `(?:${DAY_NAME}s?|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)`;
/** Words of their own, so they count as days only where a day is expected. */
export const SHORT_WORDS = /^(?:(?:for|from|by|before)\s+)?(?:sat|sun|weds?|mon)$/i;
const WEEKDAY_CODES = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'];
/** From 0 for Monday. */
export const weekdayIndex = (name: string): number => WEEKDAY_CODES.indexOf(name.toLowerCase().slice(0, 2));

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const MONTH =
  '(?:jan(?:uary)?|feb(?:r?uary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
export const monthOf = (name: string): number => MONTHS.indexOf(name.toLowerCase().slice(0, 3)) + 1;

export const listOf = (
  source: string,
  joints = String.raw`\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*\+\s*|\s*/\s*`,
): string => `${source}(?:(?:${joints})${source})*`;
export const allOf = (source: string, text: string): string[] =>
  [...text.matchAll(new RegExp(String.raw`\b${source}\b`, 'gi'))].map(([word]) => word);
