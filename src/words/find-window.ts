/** Finds the part of a day in which something repeats: "every hour from 9 to 17". */
import { HOUR, MINUTE } from './clock-patterns.ts';
import { type FoundTime, rangeReaders, readRange } from './find-time.ts';
import { isAfterMidnight } from './half-of-day.ts';
import { COUNT_WORD, numberOf, type PartOfDay } from './lexicon.ts';
import { isWithinDay, type Recurrence, stepMinutes } from './recurrence.ts';
import { type Reader, type RemainingText, wholeWords } from './remaining-text.ts';
import { formatIsoTime } from './wall-time.ts';

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

/** "Every hour from 9 to 5" as times of the day; of an evening it begins at nine at night. Too many times are not understood. */
export const windowReaders = (stepMinutes: number, part?: PartOfDay): Reader<FoundTime>[] =>
  [...rangeReaders, looseRange, bareRange].map(([pattern, read]) => [
    pattern,
    (match, written) => {
      const range = read(match, written);
      const isAtNight = part === 'evening' || part === 'night';
      return spread(isAtNight ? atNight(range, match.groups?.start) : range, stepMinutes, true);
    },
  ]);

/** "tonight from 10 to 2" begins at 22:00, and "tonight from 1 to 4" after midnight. */
function atNight(range: FoundTime | undefined, start = ''): FoundTime | undefined {
  const first = range?.times[0];
  if (!first || first.hour > 12 || /[ap]/i.test(start)) return range;
  const hour = isAfterMidnight(first, 'night') ? first.hour % 12 : first.hour + 12;
  return { ...range, times: [{ ...first, hour, isExact: true }] };
}

const STEP = String.raw`(?:hourly|(?:every|each)\s+(?:(?<count>\d{1,2}|${COUNT_WORD})\s+)?(?<step>minute|min|hour|hr)s?)\s+`;

/** "Every 2 hours from 9 to 5" in one piece, for a text that names the days in another. */
export const steppedWindowReaders: readonly Reader<FoundTime>[] = [...rangeReaders, looseRange].map(
  ([pattern, read]) => [
    new RegExp(STEP + pattern.source, pattern.flags),
    (match, written) => {
      const { count = '1', step = 'hour' } = match.groups ?? {};
      return spread(read(match, written), numberOf(count) * (step.startsWith('h') ? 60 : 1));
    },
  ],
);

const ALL_DAY = ['00:00', '23:59'];

/** The hours of a dose that counts from the last one: "only between 8 and 22". */
const hoursReaders: readonly Reader<FoundTime>[] = [...rangeReaders, looseRange].map(([pattern, read]) => [
  new RegExp(String.raw`(?:(?:\bbut\s+)?\bonly\s+)?${pattern.source}`, pattern.flags),
  read,
]);
const mostReader: Reader<number> = [
  wholeWords(
    String.raw`(?:and )?(?:at most|max(?:imum)?(?: of)?|no more than|not more than|up to) (?<count>\d{1,2}|${COUNT_WORD})(?: times| doses| pills| tablets|\s?x)?\s*(?:an?|per|each|every|/)\s*day`,
  ),
  ({ groups }) => Math.min(Math.max(numberOf(groups?.count ?? ''), 1), MAX_TIMES),
];

/** "Only between 8 and 22, at most 3 a day". */
export function takeHours(rest: RemainingText, rule: Recurrence): Pick<Recurrence, 'between' | 'per_day'> {
  if (!rule.from || !isWithinDay(rule)) return {};
  const per_day = rest.take([mostReader]);
  // "Every 6 hours between 7 and 9" has room for a second dose.
  const span = spanOf(rest.take(hoursReaders), stepMinutes(rule));
  const between = span?.map((at) => formatIsoTime(timeAt(at))) ?? ALL_DAY;
  return { ...((span || per_day) && { between }), ...(per_day && { per_day }) };
}

const timeAt = (minutes: number) => ({ hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 });

const HALF_DAY = 12 * 60;

/** The first and the last minute. An end that comes too early is in the other half of the day, or on the next one. */
function spanOf(range: FoundTime | undefined, shortest = 1, latest = 0): [first: number, last: number] | undefined {
  const [start, end] = [range?.times[0], range?.end];
  if (!start || !end) return undefined;
  const first = (start.hour + (!start.isExact && start.hour <= 6 ? 12 : 0)) * 60 + start.minute;
  const written = end.hour * 60 + end.minute;
  const ends = [written, written + (end.isExact ? 0 : HALF_DAY), written + latest];
  return [first, ends.find((at) => at >= first + shortest) ?? written];
}

function spread(range: FoundTime | undefined, stepMinutes: number, isOverMidnight = false): FoundTime | undefined {
  const span = spanOf(range, 1, isOverMidnight ? 2 * HALF_DAY : 0);
  if (!span) return undefined;
  const [first, last] = span;
  const count = Math.floor((last - first) / stepMinutes) + 1;
  if (!(count >= 2 && count <= MAX_TIMES) || last - first >= 24 * 60) return undefined;
  const minutes = Array.from({ length: count }, (_, index) => (first + index * stepMinutes) % (24 * 60));
  return { times: minutes.sort((a, b) => a - b).map((at) => ({ ...timeAt(at), isExact: true })) };
}
