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
import { type Groups, PHRASE_END, type Reader, type RemainingText, wholeWords } from './remaining-text.ts';
import { everySoMany, rhythmOf, WEEKEND, WORK_WEEK } from './rhythms.ts';

interface FoundRule {
  readonly rule: Recurrence;
  /** The parts of the day of "every morning and evening". */
  readonly parts?: readonly PartOfDay[];
  /** The times of "three times a day", for a text that names none. */
  readonly times?: readonly string[];
}

/** Several ways to say the same, and what they mean. */
type RulePattern = readonly [sources: readonly string[], read: (groups: Groups) => FoundRule | undefined];

const EVERY = '(?:(?:once )?(?:every|each))';
/** "mon wed fri" too, because what precedes it says that days follow. */
const DAYS = listOf(WEEKDAY, String.raw`\s*,\s*(?:and )?| and (?:every )?|\s*[&+/]\s*| `);
const PLURAL_DAY = `${DAY_NAME}s`;
const PLURAL_DAYS = listOf(PLURAL_DAY);
/** The days of a timetable: "MWF", "T/Th". */
const LETTERS = String.raw`(?:m/?w/?f|m,\s*w,?\s*(?:and )?f|t(?:u?/)?th|tu/?th|m-f)`;
const NTHS = listOf(ORDINAL);
/** "first and third monday", "1st monday and 3rd friday". */
const PLACE = `${NTHS} ${WEEKDAY}`;
const PLACES = listOf(PLACE);
const MONTHLY = '(?:of|in) (?:every|each) month';
const OF_MONTH = '(?: (?:of|in) (?:the|every|each) month)';
const NUMBER = String.raw`\d{1,2}(?:st|nd|rd|th)`;
const DATES = [
  String.raw`(?<month>${MONTH}) (?<day>\d{1,2})(?:st|nd|rd|th)?`,
  String.raw`(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${MONTH})`,
];
const TO = String.raw`\s*[-–]\s*`;
const PARTS = '(?:morning|afternoon|evening|night)s?';
/** "every monday morning". */
const PART = `(?: (?<part>${PARTS}))?`;
const PER_DAY = String.raw`(?:\s*/\s*day| (?:a|per|each|every) day| daily)`;
/** "2 to 3 times a day" leaves the number open. */
const NO_RANGE = String.raw`(?<!\d\s*(?:to|or) )`;
const UNIT = '(?<unit>minute|min|hour|hr|h|day|week|fortnight|month|quarter|year)s?';
const ADVERB = '(?<adverb>hourly|daily|weekly|fortnightly|biweekly|monthly|quarterly|half-yearly|yearly|annually)';

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
    [
      `${EVERY} (?<places>${PLACES})${OF_MONTH}?`,
      `(?:on )?(?:the )?(?<places>${PLACES}) ${MONTHLY}`,
      `(?:monthly|${EVERY} month) on the (?<places>${PLACES})`,
      `(?:on )?(?:the )?(?<places>${NTHS} ${PLURAL_DAY})(?! (?:of|in) )`,
      String.raw`(?:on )?(?:the )?(?<places>${ORDINAL}(?: and |\s*[,&+/]\s*)${NTHS} ${WEEKDAY})(?! (?:of|in) )`,
    ],
    ({ places = '' }) => ({ rule: { freq: 'monthly', by_weekday: allOf(PLACE, places).flatMap(placesOf) } }),
  ],
  [
    [
      `${EVERY} last day${OF_MONTH}?`,
      `(?:on )?(?:the )?(?:last day|end) ${MONTHLY}`,
      String.raw`${EVERY} month[\s-]end`,
    ],
    () => ({ rule: { freq: 'monthly', by_month_day: [-1] } }),
  ],
  [
    DATES.flatMap((date) => [
      `(?:${EVERY}(?: year)?|yearly|annually) (?:on )?${date}`,
      `(?:on )?${date} (?:${EVERY} year|yearly|annually)`,
    ]),
    ({ month = '', day }) => ({ rule: { freq: 'yearly', by_month: [monthOf(month)], by_month_day: [Number(day)] } }),
  ],
  [
    [`${EVERY} (?<month>${MONTH})`],
    ({ month = '' }) => ({ rule: { freq: 'yearly', by_month: [monthOf(month)], by_month_day: [1] } }),
  ],
  [
    [String.raw`${EVERY} (?<nth>${ORDINAL}) ${UNIT}(?! o[fn]\b)`],
    ({ nth = '', unit = '' }) => (numberOf(nth) > 1 ? { rule: everySoMany(unit, numberOf(nth)) } : undefined),
  ],
  [
    [
      String.raw`${EVERY} (?:month on )?(?:the )?(?<nths>${NTHS})(?: day)?(?:${OF_MONTH}|${PHRASE_END}|(?<=^\s*${EVERY} ${NTHS}))`,
      `(?:on )?(?:the )?(?<nths>${NTHS})(?: day)? ${MONTHLY}`,
      `monthly on (?:the )?(?<nths>${NTHS})`,
    ],
    ({ nths = '' }) => ({ rule: { freq: 'monthly', by_month_day: allOf(ORDINAL, nths).map(numberOf) } }),
  ],
  [
    [
      `(?:${EVERY}|weekly) (?<first>${WEEKDAY})${TO}(?<last>${WEEKDAY})`,
      `(?<first>mon(?:day)?)${TO}(?<last>fri(?:day)?)`,
      String.raw`(?<first>${WEEKDAY})${TO}(?<last>${WEEKDAY})(?= (?:at |@\s*)?\d)`,
      `${EVERY} (?<first>${WEEKDAY}) (?:to|through|thru|till|until) (?<last>${WEEKDAY})`,
      String.raw`(?:from )?(?<first>${WEEKDAY}) (?:to|through|thru) (?<last>${WEEKDAY})(?= (?:at )?\d)`,
    ],
    ({ first = '', last = '' }) => ({ rule: { freq: 'weekly', by_weekday: dayRange(first, last) } }),
  ],
  [
    [
      `${EVERY} (?:(?<count>${COUNT}|${ORDINAL}) )?weeks? on (?:a )?(?<days>${DAYS})`,
      `weekly on (?:a )?(?<days>${DAYS})`,
      `${EVERY} (?:(?<count>other) )?(?<days>${DAYS})${PART}`,
      `(?:on )?(?:(?<count>alternate) )?(?<days>${PLURAL_DAYS})`,
      `(?:on )?(?<days>${WEEKDAY}) (?<part>(?:morning|afternoon|evening|night)s)`,
      String.raw`(?:(?:on|every) )?(?<letters>${LETTERS}(?:${PHRASE_END}|(?<=^\s*${LETTERS})))`,
    ],
    ({ count, letters, days = '', part }) => ({
      ...partsIn(part),
      rule: { freq: 'weekly', ...intervalOf(count), by_weekday: letters ? lettersIn(letters) : daysIn(days) },
    }),
  ],
  // Days that are named without "every" are meant once each.
  [
    [
      String.raw`on (?:the )?(?<nths>${NUMBER}(?:(?:\s*,\s*(?:and )?| and (?:the )?|\s*[&+/]\s*)${NUMBER})+)${PHRASE_END}`,
    ],
    ({ nths = '' }) => {
      const by_month_day = allOf(ORDINAL, nths).map(numberOf);
      return { rule: { freq: 'monthly', by_month_day, count: by_month_day.length } };
    },
  ],
  [
    [
      String.raw`(?:on )?(?<days>${WEEKDAY}(?:(?:\s*,\s*(?:and )?| and |\s*[&+/]\s*)${WEEKDAY})+)`,
      `(?:on )?(?<days>${WEEKDAY}(?: ${WEEKDAY}){2,})`,
    ],
    ({ days = '' }) => ({ rule: { freq: 'weekly', by_weekday: daysIn(days), count: daysIn(days).length } }),
  ],
  [[String.raw`${EVERY} half[\s-](?:an? )?hour`], () => ({ rule: { freq: 'minutely', interval: 30 } })],
  [[String.raw`${EVERY} half[\s-](?:a )?year`], () => ({ rule: { freq: 'monthly', interval: 6 } })],
  [
    [String.raw`${EVERY} (?<count>\d{1,3}(?=\s*[a-z])|${COUNT}(?=\s))\s*${UNIT}`],
    ({ count = '', unit = '' }) => ({ rule: everySoMany(unit, numberOf(count)) }),
  ],
  [
    [String.raw`${EVERY} (?:week|work(?:ing)?\s*)day${PART}`, `(?:on )?(?:week|work)days${PHRASE_END}`],
    ({ part }) => ({ rule: { freq: 'weekly', by_weekday: WORK_WEEK }, ...partsIn(part) }),
  ],
  [
    [`${EVERY} (?:(?<count>other) )?weekend`, `(?:on )?weekends${PHRASE_END}`],
    ({ count }) => ({ rule: { freq: 'weekly', ...intervalOf(count), by_weekday: WEEKEND } }),
  ],
  [
    [`${EVERY} (?<parts>${listOf(PARTS)})`, `nightly${PHRASE_END}`, String.raw`(?<=^\s*)nightly`],
    ({ parts = 'night' }) => ({ rule: { freq: 'daily' }, ...partsIn(parts) }),
  ],
  [
    [
      `(?<count>once|twice)${PER_DAY}`,
      String.raw`${NO_RANGE}(?<count>${COUNT})(?: times|\s?x)${PER_DAY}`,
      `(?:${EVERY} day|daily) (?<count>twice)`,
      `(?:${EVERY} day|daily) (?<count>${COUNT}) times`,
    ],
    ({ count = '' }) => {
      const times = TIMES_PER_DAY[count === 'once' ? 1 : count === 'twice' ? 2 : numberOf(count)];
      return times && { rule: { freq: 'daily' }, ...(times.length > 1 && { times }) };
    },
  ],
  [['once (?:a|per|each|every) (?<unit>week|month|quarter|year)'], ({ unit = '' }) => ({ rule: everySoMany(unit, 1) })],
  [
    ['everyday', String.raw`${EVERY} ${UNIT}(?! or (?:two|three|\d))`],
    ({ unit = 'day' }) => ({ rule: everySoMany(unit, 1) }),
  ],
  // "monthly" as the first word or where no noun follows; "cancel the monthly ticket" repeats nothing.
  [
    [String.raw`(?<=^\s*)${ADVERB}`, String.raw`(?<!\b(?:twice|times) )${ADVERB}${PHRASE_END}`],
    ({ adverb = '' }) => {
      const rule = rhythmOf(adverb === 'biweekly' ? 'fortnightly' : adverb);
      return rule && { rule };
    },
  ],
];

const RULES: readonly (readonly Reader<FoundRule>[])[] = RULE_PATTERNS.map(([sources, read]) =>
  sources.map((source) => [wholeWords(source), ({ groups }) => read(groups ?? {})]),
);

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
const TIMES = countIn(String.raw`(?:for |(?<=,\s*))(?<count>\d{1,3}) times|x\s?(?<count2>\d{1,3})`);
/** "every tuesday 10 times" is ten tuesdays, but "every week 3 times" may be three times in each week. */
const TIMES_OF_DAYS = countIn(String.raw`(?<count>\d{1,3}) times`);
const COMPLETION: Reader<boolean> = [
  wholeWords(
    "(?:after|when|once) (?:i(?:['’]ve| am|['’]m)? )?(?:done|completion|completed|finished|doing it)|from completion",
  ),
  () => true,
];
const DURATION: Reader<Duration> = [
  wholeWords(`for (?:the next )?(?<count>${COUNT}) (?<unit>day|night|week|fortnight|month|year)s?`),
  ({ groups }) => ({ count: numberOf(groups?.count ?? ''), unit: groups?.unit ?? 'day' }),
];

export interface Repeat extends FoundRule {
  readonly duration: Duration | undefined;
}

/** "Every day except sunday", "daily, skip weekends". */
const EXCEPT: Reader<readonly string[]> = [
  wholeWords(
    String.raw`,?\s*(?:except|but(?: not)?|not|skip(?:ping)?|excluding) (?:on )?(?:(?<days>${DAYS})|(?:the )?weekends?)`,
  ),
  ({ groups }) => (groups?.days === undefined ? WEEKEND : daysIn(groups.days)),
];

function takeWithout(rest: RemainingText): FoundRule | undefined {
  const skipped = rest.take([EXCEPT]);
  const found = skipped && rest.takeFirst(RULES);
  if (!skipped || !found || found.rule.interval) return undefined;
  const { freq, by_weekday = freq === 'daily' ? WEEKDAY_CODES : [] } = found.rule;
  const kept = by_weekday.filter((day) => !skipped.includes(day));
  return kept.length > 0 ? { ...found, rule: { ...found.rule, freq: 'weekly', by_weekday: kept } } : undefined;
}

/** Also takes what can stand beside a rule: the number of times, for how long, and that it counts from completion. */
export function takeRepeat(rest: RemainingText): Repeat | undefined {
  const found = rest.attempt(() => takeWithout(rest)) ?? rest.takeFirst(RULES);
  if (!found) return undefined;
  const namesDays = found.rule.by_weekday !== undefined || found.rule.by_month_day !== undefined;
  const count = rest.take(namesDays ? [TIMES, TIMES_OF_DAYS] : [TIMES]);
  const duration = rest.take([DURATION]);
  const isFromCompletion = rest.take([COMPLETION]);
  const ends = { ...(count && { count }), ...(isFromCompletion && { from: 'completion' as const }) };
  return { ...found, rule: { ...found.rule, ...ends }, duration };
}
