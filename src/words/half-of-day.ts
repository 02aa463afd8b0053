/** Which half of the day is meant. The title of a task can tell it: "dinner at 8" is in the evening, "wake Bo at 7" in the morning. */
import type { PartOfDay } from './lexicon.ts';
import type { ClockTime } from './read-time.ts';
import type { TimeOfDay } from './wall-time.ts';

export type Half = 'am' | 'pm';

interface Told {
  readonly half: Half;
  /** Nobody does it in the other half. A party at nine is more often in the evening, but may be a breakfast. */
  readonly isSure: boolean;
}

/** The earliest and the latest hour for which each of them tells it: a party at 11 is more often in the morning. */
const TOLD: readonly (readonly [words: RegExp, earliest: number, latest: number, told: Told])[] = [
  [/\b(?:wake|get up|breakfast|sunrise|(?:sleep|lie)[\s-]in)\b/i, 4, 11, { half: 'am', isSure: true }],
  [/\b(?:dinner|supper)\b/i, 5, 10, { half: 'pm', isSure: true }],
  [/\b(?:(?:to|in) bed|bedtime|to sleep)\b|\bsleep$/i, 7, 11, { half: 'pm', isSure: true }],
  [/\b(?:wake|get up|breakfast|alarm|sunrise|school run|jog)\b/i, 1, 11, { half: 'am', isSure: false }],
  [/\bbed\b|\bsleep\b/i, 1, 11, { half: 'pm', isSure: false }],
  [/\b(?:dinner|supper|party|drinks|concert|cinema|movie|theatre)\b/i, 1, 10, { half: 'pm', isSure: false }],
];

export const halfOf = (part: PartOfDay | undefined): Half => (part === 'morning' ? 'am' : 'pm');

export const halfInTitle = (title: string, hour: number): Told | undefined =>
  TOLD.find(([words, earliest, latest]) => hour >= earliest && hour <= latest && words.test(title))?.[3];

/** "tonight at 4" is before dawn; at five, most people mean the end of the afternoon. An evening is over at three. */
export const LAST_NIGHT_HOUR = 4;
const LAST_EVENING_HOUR = 3;

/** "tonight at 1" and "friday night at 12:30", unlike "tonight at 8". */
export function isAfterMidnight({ hour }: ClockTime, part: 'evening' | 'night'): boolean {
  return hour === 12 || hour <= (part === 'night' ? LAST_NIGHT_HOUR : LAST_EVENING_HOUR);
}

/** "8, 2 and 8" go on through the day. */
export function afterwards(time: TimeOfDay, isExact: boolean, previous: TimeOfDay | undefined): TimeOfDay {
  const isAfter =
    !previous || time.hour > previous.hour || (time.hour === previous.hour && time.minute > previous.minute);
  return isExact || isAfter || time.hour >= 12 ? time : { ...time, hour: time.hour + 12 };
}
