/** Finds the words of a sentence that name times of the day: "8am and 8pm", "at 5", "half past 8", "in the evening", "3-4pm". */
import { AT, DOTTED, HOUR, MINUTE, NOON, ROUND_TO, SPOKEN, SPOKEN_24, SUFFIX, SURE, UNSURE } from './clock-patterns.ts';
import type { Choices, GuessKind } from './guess.ts';
import { COUNT_WORD, type PartOfDay } from './lexicon.ts';
import { type ClockTime, readTime } from './read-time.ts';
import { GAP, type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import { around, isCount, isFollowedByNoun, isHourLike } from './title-words.ts';

export interface FoundTime {
  readonly times: readonly ClockTime[];
  readonly part?: PartOfDay;
  /** Where a range ends that begins with the time. */
  readonly end?: ClockTime;
  readonly guesses?: readonly GuessKind[];
}

const JOINT = String.raw`\s*(?:,\s*(?:and\s+)?(?:at\s+)?|\band\s+(?:at\s+)?|&|/|\+|;)\s*`;
/** A number of something, or a house in a street. */
const NO_COUNT = String.raw`(?!\s*(?:%|°|€|\$|£|km|kg|mg|ml|th|st|nd|rd|degrees?|percent|euros?|eur|dollars?|usd|gbp|bucks|cents?|worth|people|\p{L}+\s+(?:street|st|road|rd|avenue|ave|lane|square|drive))(?:\s|$|\b))`;
/** "pages from 10 to 20". */
const NO_PAGES = String.raw`(?<!\b(?:count|pages?|chapters?|levels?|lines?|rows?|questions?|exercises?|episodes?|ages?|numbers?)\s+)`;
const IN_THE = String.raw`(?:in|during)\s+the\s+(?:early\s+|late\s+)?(?<part>morning|afternoon|evening)|at\s+(?<part2>night|lunch(?:time)?)|(?<part3>(?:lunch|bed)time)${PHRASE_END}|(?<=${GAP}\s*)(?<part4>lunchtime)|(?:at|in)\s+(?:the\s+)?(?<part5>morning|afternoon|evening)${PHRASE_END}|(?<=(?:^|${GAP})\s*)(?:at|in)\s+(?:the\s+)?(?<part6>morning|afternoon|evening)`;
const anyTime = `(?:${SURE}|${UNSURE})`;
/** An afternoon has no noon. */
const ATOM = new RegExp(`(?<!after)${anyTime}`, 'gu');

/** A range counts from its start. */
export const rangeReaders: readonly Reader<FoundTime>[] = [
  [
    wholeWords(
      String.raw`(?:(?:from|at)\s+|between\s+(?=[\d:.apm ]{1,9}\sand\s))?(?<start>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX})?)\s*(?:-|–|—|to|until|till|(?<=between\s[\d:.apm ]{1,9}\s)and)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX}|\s*u[hu]r\b)|${HOUR}:${MINUTE})`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`${NO_PAGES}(?:from|between|at(?=\s+[\d:]+\s*[-–]))\s+(?<start>${HOUR}(?::${MINUTE})?)\s*(?:-|–|to|and)\s*(?<end>${HOUR}(?::${MINUTE})?)${PHRASE_END}`,
    ),
    readRange,
  ],
  // "9am to noon", but not "at 10 to midnight".
  [
    wholeWords(
      String.raw`(?:from\s+|(?:at\s+)?(?=${HOUR}(?:[:.]|\s*[-–—]|${SUFFIX})))(?<start>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX})?)\s*(?:-|–|—|to|until|till)\s*(?<end>${NOON})`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`(?:from\s+)?(?<start>${NOON})\s*(?:-|–|—|to|until|till)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?(?:${SUFFIX}|${PHRASE_END}))`,
    ),
    readRange,
  ],
];

export const timeReaders: readonly Reader<FoundTime>[] = [
  ...rangeReaders,
  [
    wholeWords(String.raw`(?:${AT})${anyTime}${NO_COUNT}(?:${JOINT}${anyTime}){0,23}(?:\s+(?:${IN_THE}))?`),
    ({ 0: words, groups }) => readTimes(words, groups),
  ],
  [
    wholeWords(
      String.raw`(?:by\s+|(?:not\s+)?before\s+|not\s+until\s+|no\s+(?:earlier|sooner)\s+than\s+|from\s+|after\s+)?${SURE}(?:(?:${JOINT}|\s+)${SURE}){0,23}(?:\s+(?:${IN_THE}))?`,
    ),
    ({ 0: words, groups, index = 0, input = '' }) =>
      isCountedIn(input, index, words) ? undefined : readTimes(words, groups),
  ],
  // After a date even a doubtful time is one: "friday 15h". "friday 2h" is for how long.
  [
    wholeWords(String.raw`(?<=${GAP}\s*)(?:(?:0?[7-9]|1\d|2[0-3])h|${DOTTED}${NO_COUNT}(?!\s*[-–]\s*\d))${PHRASE_END}`),
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

/** A number that can also be a price, a version or how long something takes. */
const NO_PRICE = String.raw`(?<!\b(?:pay|costs?|price|transfer|send|owe|version|v|chapter|section|worth|for|spend|tip|level|score|ratio|release|deploy|upgrade|update|install|give|lend|charge|donate|is|to)\s+(?:\S+\s+){0,2})`;
const NO_DURATION = String.raw`(?<!\b(?:study|work|sleep|fast|drive|read|practi[cs]e|run|charge|soak|bake|cook|for|rest|walk|hike|watch|play|train|wait|every|last|take|takes)\s+)`;

/** A distance, or how far somebody reads: "walk 4.20 saturday". */
const NO_DISTANCE = String.raw`(?<!\b(?:run|walk|hike|jog|swim|cycle|bike|ride|row|drive|read|lift)\s+)`;
/** "invite five to ten people", "count five to twelve". */
const NO_AMOUNT = String.raw`(?<!\b(?:count|bring|buy|order|invite|need|get|take|add|read|do|walk|run|cook|bake|make|pick|choose|write|ages?|levels?|pages?|chapters?|for)\s+)`;

/** "0545" and "1730", but no year of these times. */
const FOUR_DIGITS = String.raw`(?:0\d${MINUTE}|(?:1\d|2[0-3])[0-5][05](?<!202\d))`;
/** "room 1205", "watch 2010". */
const NO_NUMBER = String.raw`(?<!\b(?:room|flat|gate|flight|bus|train|code|pin|ext|extension|number|no|model|order|invoice|ticket|case|form|watch|read|play|pay|transfer|in|of|from|since|to)\s+)`;

const EVENT =
  '(?:dinner|lunch|breakfast|brunch|supper|meeting|party|gym|movie|cinema|drinks|call|class|yoga|dentist|doctor|appointment|coffee|concert|date|game|match|practice|rehearsal|stand-?up|sync|interview|train|flight|bus)';

/** Times without a word that says so: "meeting 14.30", "meeting 15h", "midnight backup". */
const DOUBTFUL: readonly Reader<FoundTime>[] = [
  wholeWords(
    String.raw`${NO_PRICE}(?:1\d|2[0-3]|0?[6-9])\.${MINUTE}${NO_COUNT}(?=\s*(?:$|[,;.!?)${GAP}])|\s+(?:with|at|in|on|for|from)\b)`,
  ),
  wholeWords(
    String.raw`(?<!\b(?:multiply|divide|increase|reduce|grow|cut|lower|raise|scale|shift|go|stop|swing|come)\s+(?:\S+\s+){0,2})by\s+${HOUR}(?=\s*[.!?]?$)`,
  ),
  wholeWords(String.raw`(?<=^\s*)(?:1\d|2[0-3]|0?[6-9])\.${MINUTE}(?=\s+\p{L}{3})`),
  wholeWords(String.raw`(?<=${EVENT}\s+)${DOTTED}${NO_COUNT}(?=\s*(?:$|[,;!?)]))`),
  wholeWords(String.raw`${NO_PRICE}${NO_AMOUNT}(?:${SPOKEN_24}|${SPOKEN})(?=\s*(?:$|[,;.!?)]))`),
  wholeWords(String.raw`(?<=^\s*)${SPOKEN_24}(?=\s+\p{L}{3})`),
  // "leave five to twelve", "five to twelve leave", but not "bring five to ten chairs".
  wholeWords(String.raw`${NO_AMOUNT}${ROUND_TO}(?=\s*(?:$|[,;.!?)])|(?<=^\s*\S+\s+\S+\s+\S+)\s+\p{L}{3})`),
  wholeWords(String.raw`${NO_DURATION}(?:1[0-9]|2[0-3])\s?h${PHRASE_END}`),
  wholeWords(String.raw`(?<=^\s*)(?:1[0-9]|2[0-3])h(?=\s+\p{L}{2})`),
  wholeWords(
    String.raw`(?<=^\s*)${NOON}(?=\s+(?!(?:blue|black|mass|snack|sun|oil|express|feast|run|oasis|hour|club)\b)\p{L}{2})`,
  ),
].map(
  (pattern): Reader<FoundTime> => [
    pattern,
    ({ 0: words, index = 0, input = '' }) => {
      const time = readTime(words.replace('by ', ''));
      const [, after] = around(input, index, words);
      return time && isHourLike(after) ? { times: [time], guesses: ['words'] } : undefined;
    },
  ],
);

/** None if the person said that they belong to the title. */
export const doubtfulReaders = (choices: Choices): readonly Reader<FoundTime>[] =>
  choices.has('words') ? [] : DOUBTFUL;

/** A bare hour beside a day: "dinner sat 7", "tonight 8 movie", "sat 7-9", "every monday 18.00 chess", "wed after 5". */
const AFTER_DAY = String.raw`(?<=${GAP}\s*(?:,\s*)?)`;
const BEFORE_DAY = String.raw`(?=\s*(?:,\s*)?${GAP})`;
const bareHours = (isTitle: boolean): readonly Reader<FoundTime>[] => [
  [
    wholeWords(String.raw`${AFTER_DAY}${DOTTED}(?:${JOINT}${DOTTED}){0,23}${NO_COUNT}`),
    ({ 0: words, index = 0, input = '' }) => {
      const [before, after] = around(input, index, words);
      const time = isHourLike(after) && !isTitle ? readTimes(words, {}) : undefined;
      return time && (isFollowedByNoun(after) || /,\s*$/.test(before) ? { ...time, guesses: ['words'] } : time);
    },
  ],
  // "collect car 5.30 thursday", "dinner seven thirty tomorrow", "tomorrow five to twelve leave".
  ...[
    String.raw`${NO_PRICE}${NO_DISTANCE}${DOTTED}${BEFORE_DAY}`,
    String.raw`(?<=\p{L}\s+)${NO_PRICE}${NO_DISTANCE}${DOTTED}(?=\s*$)`,
    String.raw`(?:${SPOKEN_24}|${SPOKEN}|${NO_AMOUNT}${ROUND_TO}|half\s+${COUNT_WORD})${BEFORE_DAY}`,
    String.raw`${AFTER_DAY}(?:${SPOKEN_24}|${SPOKEN}|${ROUND_TO}|half\s+${COUNT_WORD})`,
    String.raw`(?:${AFTER_DAY}|${NO_NUMBER}(?=\d+${BEFORE_DAY}))${FOUR_DIGITS}${NO_COUNT}`,
    String.raw`(?<=^\s*)(?:half\s+${COUNT_WORD}|${DOTTED})(?=\s+\p{L}{3})`,
  ].map(
    (source): Reader<FoundTime> => [
      wholeWords(source),
      ({ 0: words, index = 0, input = '' }) => {
        const isTime = !isTitle && isHourLike(around(input, index, words)[1]);
        const time = isTime ? readTime(words) : undefined;
        return time && { times: [time], guesses: ['words'] };
      },
    ],
  ),
  [
    wholeWords(String.raw`(?<=${GAP}\s*)(?:after|by|before|from)\s+(?<hour>${HOUR})${NO_COUNT}${PHRASE_END}`),
    ({ groups }) => readTimes(groups?.hour ?? '', {}),
  ],
  [
    wholeWords(String.raw`(?:after|by|before)\s+(?<hour>${HOUR})(?=\s*${GAP})`),
    ({ groups }) => readTimes(groups?.hour ?? '', {}),
  ],
  [
    wholeWords(
      String.raw`(?<=${GAP}\s*)from\s+(?<start>${HOUR}(?:[:.]${MINUTE})?)\s*(?:-|–|to)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?)`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`(?<=${GAP}\s*)(?<start>${HOUR}(?:[:.]${MINUTE})?)\s*(?:-|–|to)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?)(?:${PHRASE_END}|(?<=${DOTTED}\s*[-–]\s*${DOTTED}))`,
    ),
    readRange,
  ],
  // "from nine to eleven thirty".
  [
    wholeWords(
      String.raw`(?:from|between)\s+(?<start>${SPOKEN}|${COUNT_WORD})\s+(?:to|and|until|till)\s+(?<end>${SPOKEN}|${COUNT_WORD})(?=\s*(?:$|[,${GAP}])|\s+(?:on|in|at)\b)`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`(?:(?<=${EVENT}\s+)|(?=${DOTTED}\s*[-–]\s*${DOTTED}))(?<start>${HOUR}(?:[:.]${MINUTE})?)\s*(?:-|–|to)\s*(?<end>${HOUR}(?:[:.]${MINUTE})?)${BEFORE_DAY}`,
    ),
    readRange,
  ],
  [
    wholeWords(
      String.raw`(?<=${GAP}\s*(?<comma>,\s*)?|${EVENT}\s+(?=\d{1,2}\s*(?:$|${GAP})))(?<hour>2[0-3]|1\d|0?[1-9])(?!\s*(?:[-–/.:%]|,\d))`,
    ),
    ({ 0: words, groups, index = 0, input = '' }) => {
      const [, after] = around(input, index, words);
      const time = isHourLike(after) ? readTime(groups?.hour ?? '') : undefined;
      if (!time) return undefined;
      const isDoubtful = isFollowedByNoun(after) || time.hour > 12 || groups?.comma !== undefined;
      if (!isDoubtful) return { times: [time] };
      return isTitle ? undefined : { times: [time], guesses: ['words'] };
    },
  ],
  [wholeWords(String.raw`(?<=${GAP}\s*)${COUNT_WORD}(?!\s+to\s)${PHRASE_END}`), ({ 0: words }) => readTimes(words, {})],
];
/** Compiled once, for both answers to whether a doubtful number belongs to the title. */
const [BARE_HOURS, BARE_HOURS_IN_TITLE] = [bareHours(false), bareHours(true)];
export const bareHourReaders = (choices: Choices): readonly Reader<FoundTime>[] =>
  choices.has('words') ? BARE_HOURS_IN_TITLE : BARE_HOURS;

/** "pay 5.30 friday": most likely a price, a distance or a version, so it is a time only if the person says so. */
export const pricedReaders: readonly Reader<FoundTime>[] = [
  [
    wholeWords(
      String.raw`(?<!\b(?:version|v|chapter|section|level|to|score|ratio)\s+)${DOTTED}${NO_COUNT}${BEFORE_DAY}`,
    ),
    ({ 0: words }) => readTimes(words, {}),
  ],
];

function isCountedIn(input: string, index: number, words: string): boolean {
  const [before, after] = around(input, index, words);
  return isCount(before, words, after);
}

function partOf(groups: Groups | undefined): PartOfDay | undefined {
  const { part, part2, part3, part4, part5, part6 } = groups ?? {};
  const word = part ?? part2 ?? part3 ?? part4 ?? part5 ?? part6;
  if (word?.startsWith('lunch')) return 'noon';
  return word === 'bedtime' ? 'night' : (word as PartOfDay | undefined);
}

function readTimes(words: string, groups: Groups | undefined): FoundTime | undefined {
  const part = partOf(groups);
  const found = [...words.matchAll(ATOM)].map(([word]) => readTime(word));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  const times = shareHalf(found as ClockTime[]);
  return part === undefined ? { times } : { times, part };
}

export function readRange({ groups }: RegExpMatchArray): FoundTime | undefined {
  const [start, end] = [readTime(groups?.start ?? ''), readTime(groups?.end ?? '')];
  if (!start || !end) return undefined;
  const [shared = start] = shareHalf([start, end]);
  // "9 to 5" begins in the morning.
  const isOverNoon = start.hour > end.hour % 12 && !shared.isExact && (!end.isExact || end.hour >= 12);
  return { times: [{ ...shared, isExact: shared.isExact || isOverNoon }], end };
}

/** "8 and 11pm" are both in the evening, "6 and 7am" both in the morning, "9 to 5pm" are not; "6 and 22" and "22 and 6" are as written. */
function shareHalf(times: readonly ClockTime[]): ClockTime[] {
  return times.map((time, index) => {
    const next = times[index + 1];
    const isAsWritten = times.some((one, at) => one.is24Hour && (at > index || time.hour + 12 <= one.hour));
    if (!time.isExact && isAsWritten) return { ...time, isExact: true };
    if (time.isExact || !next?.isExact) return time;
    if (next.hour <= 12) return { ...time, isExact: time.hour <= next.hour };
    const isLater = time.hour + 12 < next.hour || (time.hour + 12 === next.hour && time.minute < next.minute);
    return isLater ? { ...time, hour: time.hour + 12, isExact: true } : time;
  });
}
