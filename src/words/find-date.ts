/** Finds the words of a sentence that name a date: "tomorrow", "friday evening", "3/12", "the last friday of next month". */
import {
  dateIn,
  dayOfMonth,
  endOfMonth,
  later,
  monthsLater,
  nextMonth,
  nextWeekday,
  nthWeekday,
  realDate,
  startOfMonth,
  weekdayNextWeek,
} from './days.ts';
import {
  COUNT,
  MONTH,
  monthOf,
  numberOf,
  ORDINAL,
  type PartOfDay,
  SHORT_WORDS,
  TOMORROW,
  WEEKDAY,
  weekdayIndex,
} from './lexicon.ts';
import { GAP, type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import { addDays, type Day, weekdayOf } from './wall-time.ts';

export interface DateContext {
  readonly today: Day;
  /** 3/12 is the third of December. */
  readonly dayFirst: boolean;
}

export interface FoundDate {
  readonly date: Day;
  /** "tomorrow evening". */
  readonly part?: PartOfDay;
  /** The other date that the numbers can mean. */
  readonly other?: Day;
}

/** Several ways to say the same, and what they mean. */
type DatePattern = readonly [
  sources: readonly string[],
  read: (groups: Groups, context: DateContext) => Day | FoundDate | undefined,
];

const YEAR = String.raw`(?:(?:,? |-)(?<year>20\d\d))?`;
const DAY_OF_MONTH = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s*(?:-|–|to)\s*\d{1,2}(?:st|nd|rd|th)?)?`;
const NUMBER = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)`;
const PART = '(?: (?<part>morning|afternoon|evening|night|am|pm|first thing))?';
const OF_MONTH = ' of (?:(?:the|this) month|(?<next>next month))';
/** "fri 13.3." and "13.3. (fri)": the number says which one. */
const dated = (source: string) =>
  String.raw`(?:${WEEKDAY}[,.]? (?:the )?)?(?:${source})(?:,? (?:${WEEKDAY}|\(${WEEKDAY}\)))?`;
/** So many of something, not a date: "1/2 cup". */
const NO_MEASURE = String.raw`(?!\s*(?:an? )?(?:cups?|tsp|tbsp|teaspoons?|tablespoons?|hours?|kilos?|kg|g|lbs?|pounds?|pints?|litres?|liters?|l|miles?|inch(?:es)?|price|full|pills?|tab(?:let)?s?|capsules?|doses?|mg|ml|days?|of|done)\b)`;

/** "april 9 am" and "14 april 9 uhr": an hour, not a day. */
const NO_HOUR = String.raw`(?!\s*(?:[ap]\.?m\b|o['’\s]?clock|u[hu]r\b))`;

/** A part of a whole: "episode 3/10". */
const NO_PART = String.raw`(?<!\b(?:episode|part|page|chapter|step|phase|round|level|lesson) )`;

const [MONDAY, FRIDAY, SATURDAY] = [0, 4, 5];

const DATE_PATTERNS: readonly DatePattern[] = [
  [[`(?:later |(?:the )?end of )?today${PART}`], ({ part }, { today }) => withPart(today, part)],
  [['toni(?:ght|te)'], (_groups, { today }) => withPart(today, 'evening')],
  [['this (?<part>morning|afternoon|evening)'], ({ part }, { today }) => withPart(today, part)],
  [
    [`(?<early>first thing )?${TOMORROW}${PART}`],
    ({ part, early }, { today }) => withPart(addDays(today, 1), part ?? early),
  ],
  [[`(?:the )?day after ${TOMORROW}`], (_groups, { today }) => addDays(today, 2)],
  [
    [
      String.raw`(?<early>first thing (?:on )?)?(?:(?<which>this|next|coming) )?(?<name>${WEEKDAY})(?:\s*[-–]\s*${WEEKDAY})?${PART}(?<later> next week)?`,
    ],
    ({ which, name = '', early, part = early, later }, { today }) => {
      const weekday = weekdayIndex(name);
      if (which === 'next' || later !== undefined) return withPart(weekdayNextWeek(today, weekday), part);
      const isToday = which === 'this' && weekdayOf(today) - 1 === weekday;
      return withPart(isToday ? today : nextWeekday(today, weekday), part);
    },
  ],
  [[`next week (?:on )?(?<name>${WEEKDAY})`], ({ name = '' }, { today }) => weekdayNextWeek(today, weekdayIndex(name))],
  [
    [
      `(?<count>${COUNT}) (?<unit>day|week|fortnight)s? from (?<name>${WEEKDAY}|today|${TOMORROW}|now)`,
      String.raw`(?<name>${WEEKDAY}|${TOMORROW}) week(?:${PHRASE_END}|(?<=^\s*\S+ week))`,
      `(?<count>${COUNT}) (?<unit>week|fortnight)s? on (?<name>${WEEKDAY})`,
      `(?<count>${COUNT}) (?<unit>week|fortnight)s? (?<name>today|${TOMORROW})`,
    ],
    ({ count = 'a', unit = 'week', name = '' }, { today }) => later(namedDay(name, today), numberOf(count), unit),
  ],
  [['(?:early )?next week'], (_groups, { today }) => weekdayNextWeek(today, MONDAY)],
  [
    ['(?:this|(?:at|on|over|by|before|for|until|till) the) weekend'],
    (_groups, { today }) => (weekdayOf(today) - 1 >= SATURDAY ? today : nextWeekday(today, SATURDAY)),
  ],
  [['next weekend'], (_groups, { today }) => weekdayNextWeek(today, SATURDAY)],
  [
    ['(?:the )?(?:start|beginning|first) of next month', 'next month'],
    (_groups, { today }) => monthsLater(startOfMonth(today), 1),
  ],
  [['next year'], (_groups, { today }) => ({ year: today.year + 1, month: 1, day: 1 })],
  [['(?:the )?end of next week'], (_groups, { today }) => weekdayNextWeek(today, FRIDAY)],
  [
    ['eow', '(?:the )?end of (?:(?:the|this) )?week'],
    (_groups, { today }) => (weekdayOf(today) - 1 >= FRIDAY ? today : nextWeekday(today, FRIDAY)),
  ],
  [
    ['eom', `(?:the )?(?:end|last day) of (?:(?:(?:the|this) )?month|(?<next>next month)|(?<month>${MONTH}))`],
    ({ next, month }, { today }) => endOfMonth(whichMonth(today, month, next)),
  ],
  [
    ['(?:the )?end of (?:(?:the|this|(?<next>next)) )?year'],
    ({ next }, { today }) => ({ year: today.year + (next ? 1 : 0), month: 12, day: 31 }),
  ],
  [
    [
      `(?:in|within|after) (?<count>${COUNT}) (?<unit>day|week|fortnight|month|year)s?(?! and a half)(?:['’]s? time)?`,
      String.raw`in (?<count>\d{1,3})(?<unit>[dw])`,
      `(?<count>${COUNT}) (?<unit>day|week|month|year)s? from now`,
    ],
    ({ count = '', unit = '' }, { today }) => later(today, numberOf(count), unit),
  ],
  [
    [
      dated(String.raw`(?:the )?${DAY_OF_MONTH}(?:(?: of)? |-)(?<month>${MONTH})\.?${YEAR}`),
      dated(
        String.raw`(?<!\d(?:st|nd|rd|th|\.)?(?: of)? )(?<month>${MONTH})\.? (?:the )?${DAY_OF_MONTH}${YEAR}${NO_MEASURE}${NO_HOUR}`,
      ),
    ],
    ({ day, month = '', year }, { today }) => dateIn(today, year, monthOf(month), Number(day)),
  ],
  [
    [`(?:in|early) (?<month>${MONTH})${YEAR}`],
    ({ month = '', year }, { today }) =>
      year === undefined && monthOf(month) === today.month ? today : dateIn(today, year, monthOf(month), 1),
  ],
  [[`next (?<month>${MONTH})`], ({ month = '' }, { today }) => dateIn(today, undefined, monthOf(month), 1)],
  [
    [
      String.raw`(?:(?:${WEEKDAY},? )?the|(?<=^\s*)on(?: the)?|(?:on|by|due|from|starting|until|till)(?: the)?) ${NUMBER}(?:${OF_MONTH}|${PHRASE_END}|(?<=^\s*on\s.*))`,
      `${NUMBER}${OF_MONTH}`,
    ],
    ({ day, next }, { today }) => dayOfMonth(today, Number(day), next !== undefined),
  ],
  [
    [
      `(?:the )?(?<nth>${ORDINAL}) (?<name>${WEEKDAY}) (?:of|in) (?:(?:the|this) month|(?<next>next month)|(?<month>${MONTH}))`,
    ],
    ({ nth = '', name = '', next, month }, { today }) =>
      nthWeekday(today, numberOf(nth), weekdayIndex(name), whichMonth(today, month, next)),
  ],
  [
    [String.raw`(?<year>20\d\d)(?<mark>[-/])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`],
    ({ year, month, day }) => realDate(Number(year), Number(month), Number(day)),
  ],
  [
    [
      dated(String.raw`(?:am )?(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>(?:20)?\d\d)?`),
      String.raw`(?:on|by|due|until|till|from) (?:the )?(?<day>\d{1,2})\.(?<month>\d{1,2})`,
      String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})(?= \d{1,2}:\d\d)`,
    ],
    ({ day, month, year }, { today }) => dateIn(today, year, Number(month), Number(day)),
  ],
  [
    [
      dated(String.raw`${NO_PART}(?!24/7)(?<one>\d{1,2})/(?<two>\d{1,2})(?:/(?<year>(?:20)?\d\d))?${NO_MEASURE}`),
      String.raw`(?<one>\d{1,2})-(?<two>\d{1,2})-(?<year>20\d\d)`,
    ],
    ({ one, two, year }, context) => byRegion(context, year, Number(one), Number(two)),
  ],
];

const LEADING = '(?:(?:due )?(?:on|by|before|for|from|starting(?: (?:on|from))?|beginning(?: on)?) (?!in )|due )?';
const UNTIL = '(?:until|till|til|through|thru|ending(?: on)?|ends(?: on)?|up to) (?:the )?';
const compile = (prefix: string) =>
  DATE_PATTERNS.flatMap(([sources, read]) =>
    sources.map((source) => [wholeWords(`${prefix}(?:${source})`), read] as const),
  );
const [DATES, ENDS] = [compile(LEADING), compile(UNTIL)];

export const dateReaders = (context: DateContext): Reader<FoundDate>[] => readersOf(DATES, context);
export const endReaders = (context: DateContext): Reader<FoundDate>[] => readersOf(ENDS, context);

function readersOf(patterns: typeof DATES, context: DateContext): Reader<FoundDate>[] {
  return patterns.map(([pattern, read]) => [
    pattern,
    (match) => {
      if (!isDayMeant(match)) return undefined;
      const found = read(match.groups ?? {}, context);
      return found && 'date' in found ? found : found && { date: found };
    },
  ]);
}

const DAY_FOLLOWED_BY = new RegExp(String.raw`^\s*(?:$|[,${GAP}]|at\b|@|\d)`, 'i');

/** "sun cream" and "the sun" name no day; "on sun", "sun 9am" and "lunch sun" do. */
function isDayMeant({ 0: words, index = 0, input = '' }: RegExpMatchArray): boolean {
  if (!SHORT_WORDS.test(words)) return true;
  if (/^for\s/i.test(words) || /\bthe\s+$/i.test(input.slice(0, index))) return false;
  const rest = input.slice(index + words.length);
  return DAY_FOLLOWED_BY.test(rest);
}

const withPart = (date: Day, part: string | undefined): FoundDate =>
  part === undefined ? { date } : { date, part: partOf(part) };

function partOf(word: string): PartOfDay {
  if (word === 'am' || word.startsWith('first')) return 'morning';
  return word === 'pm' ? 'afternoon' : (word as PartOfDay);
}

function namedDay(name: string, today: Day): Day {
  if (name === 'today' || name === 'now') return today;
  return /^t(?:om|m)/.test(name) ? addDays(today, 1) : nextWeekday(today, weekdayIndex(name));
}

/** Some day of it: the month that was named, or the present one or the next. */
function whichMonth(today: Day, name: string | undefined, next: string | undefined): Day {
  if (name) return nextMonth(today, monthOf(name));
  return next ? monthsLater(startOfMonth(today), 1) : startOfMonth(today);
}

function byRegion({ today, dayFirst }: DateContext, year: string | undefined, one: number, two: number) {
  const [asDay, asMonth] = [dateIn(today, year, two, one), dateIn(today, year, one, two)];
  const [date, other] = dayFirst ? [asDay, asMonth] : [asMonth, asDay];
  if (!date) return other && { date: other };
  return other && one !== two ? { date, other } : { date };
}
