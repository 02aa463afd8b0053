/** Whether words that can name a day do: "lunch sun" does, "sun cream" does not, "the friday meeting" may. */
import { FEAST } from './feasts.ts';
import { COUNT_WORD, SHORT_WORDS, spaced, TOMORROW, WEEKDAY } from './lexicon.ts';
import { MOVING_FEAST } from './moving-feasts.ts';
import { GAP } from './remaining-text.ts';
import {
  around,
  isCount,
  isFollowedByName,
  isFollowedByNoun,
  isFollowedByPlural,
  isInName,
  isWork,
} from './title-words.ts';
import { doubtOfWork } from './works.ts';

const DAY_FOLLOWED_BY = new RegExp(
  String.raw`^\s*(?:$|[,${GAP}]|at\b|@|\d|noon\b|midnight\b|about\b|(?:after|before|by|from|between|around)\s+\d)`,
);
/** "6pm tomorrow call Bo": the day belongs to the time. */
const CLOCK_BEFORE = new RegExp(
  String.raw`(?:\d\s?[ap]\.?m\.?|\d[:.][0-5]\d|noon|midnight|o['’]?clock|(?:past|to|till?|half)\s+(?:\d{1,2}|${COUNT_WORD})(?:\s?[ap]\.?m\.?)?|thirty|fifteen|forty(?:[\s-]five)?|hundred)\s+$`,
);
const CLOCK_FOLLOWS = /^\s*(?:at\b|@|\d)/;
const BARE_DAY = new RegExp(
  `^${spaced(`(?:${WEEKDAY}|today|tonight|${TOMORROW})(?: (?:morning|afternoon|evening|night|am|pm|first thing))?`)}$`,
);
const BARE_FEAST = new RegExp(
  String.raw`^(?:for\s)?${spaced(`(?:${FEAST}|${MOVING_FEAST})(?: (?:morning|afternoon|evening|night))?`)}$`,
);
const PLANNING = /\b(?:plan|prepare|organi[sz]e|celebrate|merry|happy|hate|love)\s+(?:for\s+)?$/;
/** "last friday" has passed, "USA Today" is a newspaper, and "the day after tomorrow" is read as a whole. */
const NOT_AFTER = /\b(?:last|since|usa|day after)\s+$/;
/** "every monday except 21 december", which no rule can say. */
const EXCEPTED = /\b(?:except|excluding|but not)\s+(?:(?:for|on)\s+)?$/;
/** "24 May Street". */
const STREET = /^\s+(?:street|str\.?|road|rd|avenue|ave|lane|square|drive|boulevard|blvd|terrace|close)\b/;
/** "tell Tom about friday" says what of. */
const ABOUT = /\babout\s+$/;
/** "sunday roast recipe", "monday report": what the day belongs to, more than what happens on it. */
const OF_THE_DAY =
  /^\s+(?:(?:roast|best|school|papers?|newspaper|blues|crossword|supplement|edition)(?!\p{L})|(?:\p{L}+\s+)?(?:recipe|playlist|notes|report|agenda|homework|newsletter|slides|tickets?|menu|rota|outfit|costume|mug|episode|figures|numbers|minutes|photos|application|leftovers)\s*$)/u;
const DESCRIBED = /\b(?:the|my|our|your|his|her|their|a)\s+$/;

/** `no` if they name none, `name` if they look like a name, `words` if they may also describe the noun that follows. */
export function doubtOf(match: RegExpMatchArray, written: string): 'no' | 'words' | 'name' | undefined {
  const { 0: words, index = 0, input = '' } = match;
  const [before, after] = around(input, index, words);
  const end = index + words.length;
  if (EXCEPTED.test(before) || (NOT_AFTER.test(before) && BARE_DAY.test(words))) return 'no';
  if (isInName(written, index, end) || isCount(before, words, after) || STREET.test(after)) return 'name';
  const work = isWork(written, index) ? 'words' : doubtOfWork(written, index, end);
  return work ?? doubtAmong(before, words, after, isFollowedByName(written, end));
}

/** By the words around them alone. */
function doubtAmong(before: string, words: string, after: string, isNameNext: boolean): ReturnType<typeof doubtOf> {
  if (BARE_FEAST.test(words)) return PLANNING.test(before) ? 'no' : 'words';
  if (ABOUT.test(before) && BARE_DAY.test(words)) return CLOCK_FOLLOWS.test(after) ? 'words' : 'name';
  if (SHORT_WORDS.test(words)) return doubtOfShort(before, words, after);
  if (/^\d+ \S+$/.test(words) && isFollowedByPlural(after) && /\S/.test(before)) return 'name';
  if (!BARE_DAY.test(words.replace(/^for /, '')) || !isFollowedByNoun(after)) return undefined;
  return doubtBeforeNoun(before, words, isNameNext || OF_THE_DAY.test(after));
}

/** "sun cream" and "the sun" name no day; "on sun", "sun 9am" and "lunch sun" do. */
function doubtOfShort(before: string, words: string, after: string): 'no' | 'words' | undefined {
  // "study for sat at 5pm" looks the same as "book a table for sat at 7pm".
  if (/^for\s/.test(words)) return CLOCK_FOLLOWS.test(after) ? 'words' : 'no';
  return /\bthe\s+$/.test(before) || !DAY_FOLLOWED_BY.test(after) ? 'no' : undefined;
}

function doubtBeforeNoun(before: string, words: string, isName: boolean): 'words' | 'name' | undefined {
  if (CLOCK_BEFORE.test(before)) return undefined;
  // "Sunday Times" and "Friday Dentist" look the same.
  if (before.trim() === '') return isName ? 'words' : undefined;
  // "snacks for sunday school" names no day; "cake for saturday party" may.
  return DESCRIBED.test(before) || (isName && words.startsWith('for ')) ? 'name' : 'words';
}
