/** Finds the words of a sentence that name a rule: "every other tuesday", "mon-fri", "twice a day", "quarterly". */
import {
  allOf,
  COUNT,
  DAY_NAME,
  listOf,
  MONTH,
  monthOf,
  numberOf,
  ORDINAL,
  type PartOfDay,
  WEEKDAY,
  weekdayIndex,
} from './lexicon.ts';
import { WEEKDAY_CODES } from './names.ts';
import type { Recurrence } from './recurrence.ts';
import { PHRASE_END, type Reader, type RemainingText, wholeWords } from './remaining-text.ts';
import { everySoMany, rhythmOf, WEEKEND, WORK_WEEK } from './rhythms.ts';

interface ReadRepeat {
  readonly rule: Recurrence;
  /** The parts of the day of "every morning and evening". */
  readonly parts?: readonly PartOfDay[];
  /** The times of "three times a day", for a text that names none. */
  readonly times?: readonly string[];
}

type Groups = Readonly<Record<string, string | undefined>>;
type RulePattern = readonly [source: string, read: (groups: Groups) => ReadRepeat | undefined];

const EVERY = String.raw`(?:(?:once\s+)?(?:every|each))`;
/** "mon wed fri" too, because what precedes it says that days follow. */
const DAYS = listOf(WEEKDAY, String.raw`\s*,\s*(?:and\s+)?|\s+and\s+(?:every\s+)?|\s*[&+/]\s*|\s+`);
const PLURAL_DAY = `${DAY_NAME}s`;
/** The days of a timetable: "MWF", "T/Th". */
const LETTERS = String.raw`(?:m/?w/?f|m,\s*w,?\s*(?:and\s+)?f|t(?:u?/)?th|tu/?th|m-f)`;
const NTHS = listOf(ORDINAL);
/** "first and third monday", "1st monday and 3rd friday". */
const PLACE = String.raw`${NTHS}\s+${WEEKDAY}`;
const PLACES = listOf(PLACE);
const MONTHLY = String.raw`(?:of|in)\s+(?:every|each)\s+month`;
const OF_MONTH = String.raw`(?:\s+(?:of|in)\s+(?:the|every|each)\s+month)`;
const DATE = String.raw`(?:(?<month>${MONTH})\s+(?<day>\d{1,2})(?:st|nd|rd|th)?|(?:the\s+)?(?<day2>\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(?<month2>${MONTH}))`;
const PARTS = '(?:morning|afternoon|evening|night)s?';
/** "every monday morning". */
const PART = String.raw`(?:\s+(?<part>${PARTS}))?`;
const PER_DAY = String.raw`(?:\s*/\s*day|\s+(?:a|per|each|every)\s+day|\s+daily)`;
/** "2 to 3 times a day" leaves the number open. */
const NO_RANGE = String.raw`(?<!\d\s*(?:to|or)\s+)`;

const UNIT = '(?<unit>minute|min|hour|hr|h|day|week|fortnight|month|quarter|year)s?';

/** Spread over a waking day. */
const TIMES_PER_DAY: readonly (readonly string[])[] = [
  [],
  ['09:00'],
  ['09:00', '21:00'],
  ['08:00', '14:00', '20:00'],
  ['08:00', '12:00', '16:00', '20:00'],
  ['08:00', '11:00', '14:00', '17:00', '20:00'],
  ['08:00', '10:30', '13:00', '15:30', '18:00', '20:30'],
];

/** Tried in this order: specific patterns come before general ones. */
const RULE_PATTERNS: readonly RulePattern[] = [
  [
    String.raw`(?:${EVERY}\s+(?<places>${PLACES})${OF_MONTH}?|(?:on\s+)?(?:the\s+)?(?<places2>${PLACES})\s+${MONTHLY}|(?:monthly|${EVERY}\s+month)\s+on\s+the\s+(?<places3>${PLACES})|(?:on\s+)?(?:the\s+)?(?<places4>${NTHS}\s+${PLURAL_DAY}|${ORDINAL}(?:\s+and\s+|\s*[,&+/]\s*)${NTHS}\s+${WEEKDAY})(?!\s+(?:of|in)\s))`,
    ({ places, places2, places3, places4 }) => ({
      rule: {
        freq: 'monthly',
        by_weekday: allOf(PLACE, places ?? places2 ?? places3 ?? places4 ?? '').flatMap(placesOf),
      },
    }),
  ],
  [
    String.raw`${EVERY}\s+last\s+day${OF_MONTH}?|(?:on\s+)?(?:the\s+)?(?:last\s+day|end)\s+${MONTHLY}|${EVERY}\s+month[\s-]end`,
    () => ({ rule: { freq: 'monthly', by_month_day: [-1] } }),
  ],
  [
    String.raw`(?:${EVERY}(?:\s+year)?|yearly|annually)\s+(?:on\s+)?${DATE}|(?:on\s+)?${DATE.replaceAll('?<month', '?<amonth').replaceAll('?<day', '?<aday')}\s+(?:${EVERY}\s+year|yearly|annually)`,
    (groups) => {
      const month = groups.month ?? groups.month2 ?? groups.amonth ?? groups.amonth2 ?? '';
      const day = groups.day ?? groups.day2 ?? groups.aday ?? groups.aday2;
      return { rule: { freq: 'yearly', by_month: [monthOf(month)], by_month_day: [Number(day)] } };
    },
  ],
  [
    String.raw`${EVERY}\s+(?<month>${MONTH})`,
    ({ month = '' }) => ({ rule: { freq: 'yearly', by_month: [monthOf(month)], by_month_day: [1] } }),
  ],
  [
    String.raw`${EVERY}\s+(?<nth>${ORDINAL})\s+${UNIT}(?!\s+o[fn]\b)`,
    ({ nth = '', unit = '' }) => (numberOf(nth) > 1 ? { rule: everySoMany(unit, numberOf(nth)) } : undefined),
  ],
  [
    String.raw`${EVERY}\s+(?:month\s+on\s+)?(?:the\s+)?(?<nth>${NTHS})(?:\s+day)?(?:${OF_MONTH}|${PHRASE_END}|(?<=^\s*${EVERY}\s+${NTHS}))|(?:on\s+)?(?:the\s+)?(?<nth2>${NTHS})(?:\s+day)?\s+${MONTHLY}|monthly\s+on\s+(?:the\s+)?(?<nth3>${NTHS})`,
    ({ nth, nth2, nth3 }) => ({
      rule: { freq: 'monthly', by_month_day: allOf(ORDINAL, nth ?? nth2 ?? nth3 ?? '').map(numberOf) },
    }),
  ],
  [
    String.raw`(?:${EVERY}|weekly)\s+(?<first>${WEEKDAY})\s*(?:-|–)\s*(?<last>${WEEKDAY})|(?<first4>mon(?:day)?)\s*(?:-|–)\s*(?<last4>fri(?:day)?)|(?<first5>${WEEKDAY})\s*(?:-|–)\s*(?<last5>${WEEKDAY})(?=\s+(?:at\s+|@\s*)?\d)|${EVERY}\s+(?<first2>${WEEKDAY})\s+(?:to|through|thru|till|until)\s+(?<last2>${WEEKDAY})|(?:from\s+)?(?<first3>${WEEKDAY})\s+(?:to|through|thru)\s+(?<last3>${WEEKDAY})(?=\s+(?:at\s+)?\d)`,
    (groups) => {
      const [first = '', last = ''] = Object.values(groups).filter((day) => day !== undefined);
      return { rule: { freq: 'weekly', by_weekday: dayRange(first, last) } };
    },
  ],
  [
    String.raw`${EVERY}\s+(?:(?<count>${COUNT}|${ORDINAL})\s+)?weeks?\s+on\s+(?:a\s+)?(?<days>${DAYS})|weekly\s+on\s+(?:a\s+)?(?<days3>${DAYS})|${EVERY}\s+(?:(?<other>other|two\s+weeks\s+on)\s+)?(?<days2>${DAYS})${PART}|(?:on\s+)?(?<alternate>alternate\s+)?(?<days4>${listOf(PLURAL_DAY)})|(?:(?:on|every)\s+)?(?<days6>${LETTERS}(?:${PHRASE_END}|(?<=^\s*${LETTERS})))|(?:on\s+)?(?<days5>${WEEKDAY})\s+(?<parts>(?:morning|afternoon|evening|night)s)`,
    ({ count, other, alternate, days, days2, days3, days4, days5, days6, part, parts }) => ({
      ...partsIn(part ?? parts),
      rule: {
        freq: 'weekly',
        ...intervalOf(count ?? other ?? alternate?.trim()),
        by_weekday: days6 ? lettersIn(days6) : daysIn(days ?? days2 ?? days3 ?? days4 ?? days5 ?? ''),
      },
    }),
  ],
  // Days that are named without "every" are meant once each.
  [
    String.raw`on\s+(?:the\s+)?(?<nths>\d{1,2}(?:st|nd|rd|th)(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+(?:the\s+)?|\s*[&+/]\s*)\d{1,2}(?:st|nd|rd|th))+)${PHRASE_END}`,
    ({ nths = '' }) => {
      const by_month_day = allOf(ORDINAL, nths).map(numberOf);
      return { rule: { freq: 'monthly', by_month_day, count: by_month_day.length } };
    },
  ],
  [
    String.raw`(?:on\s+)?(?<days>${WEEKDAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*[&+/]\s*)${WEEKDAY})+|${WEEKDAY}(?:\s+${WEEKDAY}){2,})`,
    ({ days = '' }) => ({ rule: { freq: 'weekly', by_weekday: daysIn(days), count: daysIn(days).length } }),
  ],
  [String.raw`${EVERY}\s+half[\s-](?:an?\s+)?hour`, () => ({ rule: { freq: 'minutely', interval: 30 } })],
  [String.raw`${EVERY}\s+half[\s-](?:a\s+)?year`, () => ({ rule: { freq: 'monthly', interval: 6 } })],
  [
    String.raw`${EVERY}\s+(?<count>\d{1,3}(?=\s*[a-z])|${COUNT}(?=\s))\s*${UNIT}`,
    ({ count = '', unit = '' }) => ({ rule: everySoMany(unit, numberOf(count)) }),
  ],
  [
    String.raw`(?:${EVERY}\s+(?:week|work(?:ing)?\s*)day${PART}|(?:on\s+)?(?:week|work)days${PHRASE_END})`,
    ({ part }) => ({ rule: { freq: 'weekly', by_weekday: WORK_WEEK }, ...partsIn(part) }),
  ],
  [
    String.raw`(?:${EVERY}\s+(?:(?<other>other)\s+)?weekend|(?:on\s+)?weekends${PHRASE_END})`,
    ({ other }) => ({ rule: { freq: 'weekly', ...intervalOf(other), by_weekday: WEEKEND } }),
  ],
  [
    String.raw`(?:${EVERY}\s+(?<parts>${listOf(PARTS)}))|nightly${PHRASE_END}|(?<=^\s*)nightly`,
    ({ parts = 'night' }) => ({ rule: { freq: 'daily' }, ...partsIn(parts) }),
  ],
  [
    String.raw`(?:(?<word>once|twice)|${NO_RANGE}(?<count>${COUNT})(?:\s+times|\s?x))${PER_DAY}|(?:${EVERY}\s+day|daily)\s+(?:(?<word2>twice)|(?<count2>${COUNT})\s+times)`,
    ({ word, word2, count, count2 }) => {
      const times = TIMES_PER_DAY[word || word2 ? (/once/i.test(word ?? '') ? 1 : 2) : numberOf(count ?? count2 ?? '')];
      return times && { rule: { freq: 'daily' }, ...(times.length > 1 && { times }) };
    },
  ],
  [
    String.raw`once\s+(?:a|per|each|every)\s+(?<unit>week|month|quarter|year)`,
    ({ unit = '' }) => ({ rule: everySoMany(unit, 1) }),
  ],
  [
    String.raw`everyday|${EVERY}\s+${UNIT}(?!\s+or\s+(?:two|three|\d))`,
    ({ unit = 'day' }) => ({ rule: everySoMany(unit, 1) }),
  ],
];

/** "monthly" as the first word or where no noun follows; "cancel the monthly ticket" repeats nothing. */
const ADVERB_WORDS = '(?:hourly|daily|weekly|fortnightly|biweekly|monthly|quarterly|half-yearly|yearly|annually)';
const ADVERB = wholeWords(String.raw`(?<=^\s*)${ADVERB_WORDS}|(?<!\b(?:twice|times)\s+)${ADVERB_WORDS}${PHRASE_END}`);

const REPEATS: readonly Reader<ReadRepeat>[] = [
  ...RULE_PATTERNS.map(
    ([source, read]) => [wholeWords(source), ({ groups }: RegExpMatchArray) => read(groups ?? {})] as const,
  ),
  [
    ADVERB,
    ({ 0: word }) => {
      const rule = rhythmOf(word === 'biweekly' ? 'fortnightly' : word);
      return rule && { rule };
    },
  ],
];

const partsIn = (words = ''): { parts?: PartOfDay[] } => {
  const parts = allOf(PARTS, words).map((word) => word.toLowerCase().replace(/s$/, '') as PartOfDay);
  return parts.length > 0 ? { parts } : {};
};

const LETTER_DAYS: Readonly<Record<string, string>> = { m: 'mon', t: 'tue', tu: 'tue', w: 'wed', th: 'thu', f: 'fri' };

const daysIn = (words: string) => [
  ...new Set(allOf(WEEKDAY, words).map((name) => WEEKDAY_CODES[weekdayIndex(name)] ?? 'mo')),
];

const lettersIn = (word: string) =>
  /-/.test(word)
    ? WORK_WEEK
    : daysIn(word.replaceAll(/th|tu?|[mwf]/gi, (letter) => `${LETTER_DAYS[letter.toLowerCase()]} `));

function placesOf(words: string): string[] {
  const day = daysIn(words)[0] ?? 'mo';
  return allOf(ORDINAL, words).map((word) => `${numberOf(word)}${day}`);
}

function dayRange(first: string, last: string): string[] {
  const [from, to] = [weekdayIndex(first), weekdayIndex(last)];
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => WEEKDAY_CODES[(from + index) % 7] ?? 'mo');
}

function intervalOf(count: string | undefined): { interval?: number } {
  const interval = count === undefined ? 1 : numberOf(count);
  return interval > 1 ? { interval } : {};
}

interface Duration {
  readonly count: number;
  readonly unit: string;
}

const countIn = (source: string): Reader<number> => [
  wholeWords(source),
  ({ groups }) => Number(groups?.count ?? groups?.count2),
];
const TIMES = countIn(String.raw`(?:for\s+|(?<=,\s*))(?<count>\d{1,3})\s+times|x\s?(?<count2>\d{1,3})`);
/** "every tuesday 10 times" is ten tuesdays, but "every week 3 times" may be three times in each week. */
const TIMES_OF_DAYS = countIn(String.raw`(?<count>\d{1,3})\s+times`);
const COMPLETION: Reader<boolean> = [
  wholeWords(
    String.raw`(?:after|when|once)\s+(?:i(?:['’]ve|\s+am|['’]m)?\s+)?(?:done|completion|completed|finished|doing\s+it)|from\s+completion`,
  ),
  () => true,
];
const DURATION: Reader<Duration> = [
  wholeWords(String.raw`for\s+(?:the\s+next\s+)?(?<count>${COUNT})\s+(?<unit>day|night|week|fortnight|month|year)s?`),
  ({ groups }) => ({ count: numberOf(groups?.count ?? ''), unit: groups?.unit ?? 'day' }),
];

export interface Repeat extends ReadRepeat {
  readonly duration: Duration | undefined;
}

/** "Every day except sunday", "daily, skip weekends". */
const EXCEPT: Reader<readonly string[]> = [
  wholeWords(
    String.raw`,?\s*(?:except|but(?:\s+not)?|not|skip(?:ping)?|excluding)\s+(?:on\s+)?(?:(?<days>${DAYS})|(?:the\s+)?weekends?)`,
  ),
  ({ groups }) => (groups?.days === undefined ? WEEKEND : daysIn(groups.days)),
];

function takeWithout(rest: RemainingText): ReadRepeat | undefined {
  const skipped = rest.take([EXCEPT]);
  const found = skipped && rest.takeFirst(REPEATS);
  if (!skipped || !found || found.rule.interval) return undefined;
  const { freq, by_weekday = freq === 'daily' ? WEEKDAY_CODES : [] } = found.rule;
  const kept = by_weekday.filter((day) => !skipped.includes(day));
  return kept.length > 0 ? { ...found, rule: { ...found.rule, freq: 'weekly', by_weekday: kept } } : undefined;
}

/** Also takes what can stand beside a rule: the number of times, for how long, and that it counts from completion. */
export function takeRepeat(rest: RemainingText): Repeat | undefined {
  const found = rest.attempt(() => takeWithout(rest)) ?? rest.takeFirst(REPEATS);
  if (!found) return undefined;
  const namesDays = found.rule.by_weekday !== undefined || found.rule.by_month_day !== undefined;
  const count = rest.take(namesDays ? [TIMES, TIMES_OF_DAYS] : [TIMES]);
  const duration = rest.take([DURATION]);
  const isFromCompletion = rest.take([COMPLETION]);
  const ends = { ...(count && { count }), ...(isFromCompletion && { from: 'completion' as const }) };
  return { ...found, rule: { ...found.rule, ...ends }, duration };
}
