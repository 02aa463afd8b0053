/** Finds the part of a day in which something repeats: "every hour from 9 to 17". */
import { HOUR, MINUTE } from './clock-patterns.ts';
import { type FoundTime, rangeReaders, readRange } from './find-time.ts';
import { COUNT_WORD, numberOf } from './lexicon.ts';
import { type Reader, wholeWords } from './remaining-text.ts';

/** "every hour from 9 to 17 drink water": beside a rule a range needs no end of the phrase. */
const looseRange: Reader<FoundTime> = [
  wholeWords(
    String.raw`(?:from|between)\s+(?<start>${HOUR}(?:[:.]${MINUTE})?)\s*(?:-|–|to|and|until|till)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?)`,
  ),
  readRange,
];
const bareRange: Reader<FoundTime> = [
  wholeWords(String.raw`(?<start>${HOUR}(?:[:.]${MINUTE})?)\s*(?:-|–|to)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?)`),
  readRange,
];

/** The service accepts this many times of a day. */
const MAX_TIMES = 24;

/** "Every hour from 9 to 5" as times of the day. A range of too many times is not understood. */
export const windowReaders = (stepMinutes: number): Reader<FoundTime>[] =>
  [...rangeReaders, looseRange, bareRange].map(([pattern, read]) => [
    pattern,
    (match, written) => spread(read(match, written), stepMinutes, true),
  ]);

const STEP = String.raw`(?:hourly|(?:every|each)\s+(?:(?<count>\d{1,2}|${COUNT_WORD})\s+)?(?<step>minute|min|hour|hr)s?)\s+`;

/** "Every 2 hours from 9 to 5" in one piece, for a text that names the days in another. */
export const steppedWindowReaders: readonly Reader<FoundTime>[] = [...rangeReaders, looseRange].map(
  ([pattern, read]) => [
    new RegExp(STEP + pattern.source, pattern.flags),
    (match, written) => {
      const { count = '1', step = 'hour' } = match.groups ?? {};
      return spread(read(match, written), numberOf(count) * (/^h/i.test(step) ? 60 : 1));
    },
  ],
);

function spread(range: FoundTime | undefined, stepMinutes: number, isOverMidnight = false): FoundTime | undefined {
  const [start, end] = [range?.times[0], range?.end];
  if (!start || !end) return undefined;
  const first = (start.hour + (!start.isExact && start.hour <= 6 ? 12 : 0)) * 60 + start.minute;
  const written = end.hour * 60 + end.minute;
  const late = written <= first && !end.isExact ? written + 12 * 60 : written;
  const last = late <= first && isOverMidnight ? late + 24 * 60 : late;
  const count = Math.floor((last - first) / stepMinutes) + 1;
  if (!(count >= 2 && count <= MAX_TIMES) || last - first >= 24 * 60) return undefined;
  const minutes = Array.from({ length: count }, (_, index) => (first + index * stepMinutes) % (24 * 60));
  const times = minutes.map((at) => ({ hour: Math.floor(at / 60), minute: at % 60, isExact: true }));
  return { times: times.sort((a, b) => a.hour - b.hour || a.minute - b.minute) };
}
