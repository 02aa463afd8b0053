/** Finds the words of a sentence that name times of the day: "8am and 8pm", "at 5", "half past 8", "in the evening", "3-4pm". */
import { COUNT, COUNT_WORD, numberOf, type PartOfDay } from './lexicon.ts';
import { type ClockTime, readTime } from './read-time.ts';
import { GAP, type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';

export interface FoundTime {
  readonly times: readonly ClockTime[];
  readonly part?: PartOfDay;
  /** Where a range ends that begins with the time. */
  readonly end?: ClockTime;
}

const SUFFIX = String.raw`(?:\s*(?:[ap]m\b|[ap]\.m\.?))`;
const HOUR = String.raw`(?:2[0-4]|[01]?\d)`;
const MINUTE = String.raw`[0-5]\d`;
const NOON = '(?:noon|midday|midnight)';
/** These are times wherever they stand. */
const SURE = String.raw`(?:${HOUR}:${MINUTE}(?:${SUFFIX}|[ap]\b|\s*(?:h|hrs|uhr|uur)\b)?|${HOUR}\.${MINUTE}(?:${SUFFIX}|\s*u[hu]r\b)|${HOUR}(?:${MINUTE})?${SUFFIX}|${HOUR}h${MINUTE}|${HOUR}\s*(?:o['’\s]?clock(?:${SUFFIX})?|u[hu]r\b)|(?:half|quarter)\s+(?:past|to)\s+(?:${HOUR}|${COUNT_WORD})(?:${SUFFIX})?|${NOON}${PHRASE_END}|(?<=${GAP}\s*)${NOON})`;
const AT = String.raw`(?:at|@|um|around|about)\s*`;
/** These only after "at": they can also be a number of something. */
const UNSURE = String.raw`(?:[012]\d${MINUTE}|${HOUR}\.${MINUTE}|(?:\d{1,2}|${COUNT_WORD})\s+(?:past|to)\s+(?:${HOUR}|${COUNT_WORD})|${HOUR}(?:h|[ap]\b)|${NOON}|${HOUR}${PHRASE_END}|(?<=(?:^|${GAP})\s*${AT})${HOUR}|${COUNT_WORD}(?:${SUFFIX}|\s+o['’\s]?clock)?${PHRASE_END})`;
const JOINT = String.raw`\s*(?:,\s*(?:and\s+)?(?:at\s+)?|\band\s+(?:at\s+)?|&|/|\+|;)\s*`;
/** A number of something, or a house in a street. */
const NO_COUNT = String.raw`(?!\s*(?:%|°|€|\$|£|km|kg|mg|ml|th|st|nd|rd|degrees?|percent|people|\p{L}+\s+(?:street|st|road|rd|avenue|ave|lane|square|drive))(?:\s|$|\b))`;
/** The clock of another place: these words stay in the title. */
const NO_ZONE = String.raw`(?!\s*(?:[ecmp][sd]?t|gmt|utc|bst|cest|ist|jst|ae[sd]t)\b)`;
/** "pages from 10 to 20". */
const NO_PAGES = String.raw`(?<!\b(?:count|pages?|chapters?|levels?|lines?|rows?|questions?|exercises?|episodes?|ages?|numbers?)\s+)`;
const IN_THE = String.raw`(?:in|during)\s+the\s+(?:early\s+|late\s+)?(?<part>morning|afternoon|evening)|at\s+(?<part2>night|lunch(?:time)?)|(?<part3>(?:lunch|bed)time)${PHRASE_END}`;
const ATOM = new RegExp(`${SURE}|${UNSURE}`, 'gu');

const anyTime = `(?:${SURE}|${UNSURE})`;

/** A range counts from its start. */
export const rangeReaders: readonly Reader<FoundTime>[] = [
  [
    wholeWords(
      String.raw`(?:(?:from|at)\s+)?(?<start>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX})?)\s*(?:-|–|—|to|until|till)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX}|\s*u[hu]r\b)|${HOUR}:${MINUTE})${NO_ZONE}`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`${NO_PAGES}(?:from|between|at(?=\s+[\d:]+\s*[-–]))\s+(?<start>${HOUR}(?::${MINUTE})?)\s*(?:-|–|to|and)\s*(?<end>${HOUR}(?::${MINUTE})?)${PHRASE_END}`,
    ),
    readRange,
  ],
];

export const timeReaders: readonly Reader<FoundTime>[] = [
  ...rangeReaders,
  [
    wholeWords(String.raw`(?:${AT})${anyTime}${NO_COUNT}(?:${JOINT}${anyTime})*(?:\s+(?:${IN_THE}))?${NO_ZONE}`),
    ({ 0: words, groups }) => readTimes(words.replace(new RegExp(`^${AT}`, 'i'), ''), groups),
  ],
  [
    wholeWords(String.raw`(?:by\s+|before\s+|from\s+)?${SURE}(?:${JOINT}${SURE})*(?:\s+(?:${IN_THE}))?${NO_ZONE}`),
    ({ 0: words, groups }) => readTimes(words, groups),
  ],
  // After a date even a doubtful time is one: "friday 15h". "friday 2h" is for how long.
  [
    new RegExp(String.raw`(?<=${GAP}\s*)(?:(?:0?[7-9]|1\d|2[0-3])h|${HOUR}\.${MINUTE}${NO_COUNT})${PHRASE_END}`, 'gu'),
    ({ 0: words }) => readTimes(words, {}),
  ],
  [wholeWords(IN_THE), ({ groups }) => ({ times: [], part: partOf(groups) ?? 'evening' })],
  [
    wholeWords(
      String.raw`eod|(?:by\s+)?(?:the\s+)?end\s+of\s+(?:the\s+)?day|by\s+cob|cob(?=\s*${GAP})|(?<=${GAP}\s*)cob`,
    ),
    () => ({ times: [{ hour: 17, minute: 0, isExact: true }] }),
  ],
];

const MINUTES = '(?:minutes?|mins?|m)';

/** "in 20 minutes" is a moment, not a time of the day: so many minutes from now. */
export const soonReaders: readonly Reader<number>[] = [
  [wholeWords('in half an hour'), () => 30],
  ...[
    String.raw`in (?<count>\d{1,3}(?:[.,]5)?(?=\s*[mh])|${COUNT}(?=\s))\s*(?<unit>minutes?|mins?|(?<=\d)m|hours?|hrs?|h)(?:\s*(?:and )?(?<more>\d{1,2})\s*${MINUTES}|(?<=h)(?<joined>\d\d)|(?<andHalf> and a half))?`,
    `(?<count>${COUNT}) (?<unit>minutes?|mins?|hours?|hrs?) from now`,
  ].map((source): Reader<number> => [wholeWords(source), ({ groups }) => minutesFromNow(groups ?? {})]),
];

function minutesFromNow({ count = '', unit = '', more, joined, andHalf }: Groups): number {
  const written = count.replace(',', '.');
  const units = (/^\d/.test(written) ? Number(written) : numberOf(written)) + (andHalf ? 0.5 : 0);
  return Math.round(units * (unit.startsWith('h') ? 60 : 1)) + Number(more ?? joined ?? 0);
}

function partOf(groups: Groups | undefined): PartOfDay | undefined {
  const word = (groups?.part ?? groups?.part2 ?? groups?.part3)?.toLowerCase();
  if (word?.startsWith('lunch')) return 'noon';
  return word === 'bedtime' ? 'night' : (word as PartOfDay | undefined);
}

function readTimes(words: string, groups: Groups | undefined): FoundTime | undefined {
  const part = partOf(groups);
  const clock =
    part === undefined ? words : words.replace(/\s+(?:in|during|at)\s+(?:the\s+)?(?:early\s+|late\s+)?[a-z]+$/i, '');
  const found = [...clock.matchAll(ATOM)].map(([word]) => readTime(word));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  const times = shareHalf(found as ClockTime[]);
  return part === undefined ? { times } : { times, part };
}

function readRange({ groups }: RegExpMatchArray): FoundTime | undefined {
  const [start, end] = [readTime(groups?.start ?? ''), readTime(groups?.end ?? '')];
  if (!start || !end) return undefined;
  const [shared = start] = shareHalf([start, end]);
  // "9 to 5" begins in the morning.
  const isOverNoon = start.hour > end.hour % 12 && !shared.isExact && (!end.isExact || end.hour >= 12);
  return { times: [{ ...shared, isExact: shared.isExact || isOverNoon }], end };
}

/** The service accepts this many times of a day. */
const MAX_TIMES = 24;

/** "Every hour from 9 to 5" as times of the day. A range over midnight, or of too many times, is not understood. */
export const windowReaders = (stepMinutes: number): Reader<FoundTime>[] =>
  rangeReaders.map(([pattern, read]) => [pattern, (match) => spread(read(match), stepMinutes)]);

const STEP = String.raw`(?:every|each)\s+(?:(?<count>\d{1,2}|${COUNT_WORD})\s+)?(?<step>minute|min|hour|hr)s?\s+`;

/** "Every 2 hours from 9 to 5" in one piece, for a text that names the days in another. */
export const steppedWindowReaders: readonly Reader<FoundTime>[] = rangeReaders.map(([pattern, read]) => [
  new RegExp(STEP + pattern.source, pattern.flags),
  (match) => {
    const { count = '1', step = '' } = match.groups ?? {};
    return spread(read(match), numberOf(count) * (/^h/i.test(step) ? 60 : 1));
  },
]);

function spread(range: FoundTime | undefined, stepMinutes: number): FoundTime | undefined {
  const [start, end] = [range?.times[0], range?.end];
  if (!start || !end) return undefined;
  const first = (start.hour + (!start.isExact && start.hour <= 6 ? 12 : 0)) * 60 + start.minute;
  const written = end.hour * 60 + end.minute;
  const last = written <= first && !end.isExact ? written + 12 * 60 : written;
  const count = Math.floor((last - first) / stepMinutes) + 1;
  if (!(count >= 2 && count <= MAX_TIMES)) return undefined;
  const minutes = Array.from({ length: count }, (_, index) => first + index * stepMinutes);
  return { times: minutes.map((at) => ({ hour: Math.floor(at / 60), minute: at % 60, isExact: true })) };
}

/** "8 and 11pm" are both in the evening, "6 and 7am" both in the morning, "9 to 5pm" are not. */
function shareHalf(times: readonly ClockTime[]): ClockTime[] {
  return times.map((time, index) => {
    const next = times[index + 1];
    if (time.isExact || !next?.isExact) return time;
    if (next.hour < 12) return { ...time, isExact: time.hour <= next.hour };
    const isLater = time.hour + 12 < next.hour || (time.hour + 12 === next.hour && time.minute < next.minute);
    return isLater ? { ...time, hour: time.hour + 12, isExact: true } : time;
  });
}
