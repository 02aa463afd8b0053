/** Asks the readers of times what they find in a text. */
import type { FoundTime } from '../../src/words/find-time.ts';
import type { ClockTime } from '../../src/words/read-time.ts';
import { type Reader, RemainingText } from '../../src/words/remaining-text.ts';
import { formatIsoTime } from '../../src/words/wall-time.ts';

/** "05:00~" leaves open which half of the day. */
const clock = ({ isExact, ...time }: ClockTime) => `${formatIsoTime(time)}${isExact ? '' : '~'}`;

/** A day was taken before: "sat" and "sun" stand for it. */
const SAT: Reader<boolean> = [/\b(?:sat|sun)\b/g, () => true];

/** "05:00~ - 07:00~ ?words". */
export const found =
  (readers: readonly Reader<FoundTime>[]) =>
  (text: string): string => {
    const rest = new RemainingText(text, 'left');
    rest.take([SAT]);
    const time = rest.take(readers);
    return time ? saidOf(time).filter(Boolean).join(' ') : 'none';
  };

const saidOf = ({ times, part, end, guesses }: FoundTime) => [
  ...times.map(clock),
  part,
  end && `- ${clock(end)}`,
  guesses && `?${guesses}`,
];
