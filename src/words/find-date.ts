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
import { GAP, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
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

type Groups = Readonly<Record<string, string | undefined>>;
type DatePattern = readonly [
  source: string,
  read: (groups: Groups, context: DateContext) => Day | FoundDate | undefined,
];

const YEAR = String.raw`(?:(?:,?\s+|-)(?<year>20\d\d))?`;
const DAY_OF_MONTH = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s*(?:-|–|to)\s*\d{1,2}(?:st|nd|rd|th)?)?`;
const PART = String.raw`(?:\s+(?<part>morning|afternoon|evening|night|am|pm|first\s+thing))?`;
const OF_MONTH = String.raw`\s+of\s+(?:(?:the|this)\s+month|(?<next>next\s+month))`;
/** "fri 13.3." and "13.3. (fri)": the number says which one. */
const dated = (source: string) =>
  String.raw`(?:${WEEKDAY}[,.]?\s+(?:the\s+)?)?(?:${source})(?:,?\s+(?:${WEEKDAY}|\(${WEEKDAY}\)))?`;
/** So many of something, not a date: "1/2 cup". */
const NO_MEASURE = String.raw`(?!\s*(?:an?\s+)?(?:cups?|tsp|tbsp|teaspoons?|tablespoons?|hours?|kilos?|kg|g|lbs?|pounds?|pints?|litres?|liters?|l|miles?|inch(?:es)?|price|full|pills?|tab(?:let)?s?|capsules?|doses?|mg|ml|days?|of|done)\b)`;

/** "april 9 am" and "14 april 9 uhr": an hour, not a day. */
const NO_HOUR = String.raw`(?!\s*(?:[ap]\.?m\b|o['’\s]?clock|u[hu]r\b))`;

/** A part of a whole: "episode 3/10". */
const NO_PART = String.raw`(?<!\b(?:episode|part|page|chapter|step|phase|round|level|lesson)\s+)`;

const DATE_PATTERNS: readonly DatePattern[] = [
  [String.raw`(?:later\s+|(?:the\s+)?end\s+of\s+)?today${PART}`, ({ part }, { today }) => withPart(today, part)],
  ['toni(?:ght|te)', (_groups, { today }) => withPart(today, 'evening')],
  [String.raw`this\s+(?<part>morning|afternoon|evening)`, ({ part }, { today }) => withPart(today, part)],
  [
    String.raw`(?<early>first\s+thing\s+)?${TOMORROW}${PART}`,
    ({ part, early }, { today }) => withPart(addDays(today, 1), part ?? early),
  ],
  [String.raw`(?:the\s+)?day\s+after\s+${TOMORROW}`, (_groups, { today }) => addDays(today, 2)],
  [
    String.raw`(?<early>first\s+thing\s+(?:on\s+)?)?(?:(?<which>this|next|coming)\s+)?(?<name>${WEEKDAY})(?:\s*[-–]\s*${WEEKDAY})?${PART}(?<later>\s+next\s+week)?`,
    ({ which, name = '', early, part = early, later }, { today }) => {
      const isNextWeek = /next/i.test(which ?? '') || later !== undefined;
      if (isNextWeek) return withPart(weekdayNextWeek(today, weekdayIndex(name)), part);
      const isToday = /this/i.test(which ?? '') && weekdayIndex(name) + 1 === weekdayOf(today);
      return withPart(isToday ? today : nextWeekday(today, weekdayIndex(name)), part);
    },
  ],
  [
    String.raw`next\s+week\s+(?:on\s+)?(?<name>${WEEKDAY})`,
    ({ name = '' }, { today }) => weekdayNextWeek(today, weekdayIndex(name)),
  ],
  [
    String.raw`(?<count>${COUNT})\s+(?<unit>day|week|fortnight)s?\s+from\s+(?<name>${WEEKDAY}|today|${TOMORROW}|now)`,
    ({ count = '', unit = '', name = '' }, { today }) => later(namedDay(name, today), numberOf(count), unit),
  ],
  [
    String.raw`(?<name>${WEEKDAY}|${TOMORROW})\s+week(?:${PHRASE_END}|(?<=^\s*\S+\s+week))|(?<count>${COUNT})\s+(?<unit>week|fortnight)s?\s+(?:on\s+(?<name2>${WEEKDAY})|(?<name3>today|${TOMORROW}))`,
    ({ count = 'a', unit = 'week', name, name2, name3 }, { today }) =>
      later(namedDay(name ?? name2 ?? name3 ?? '', today), numberOf(count), unit),
  ],
  [String.raw`(?:early\s+)?next\s+week`, (_groups, { today }) => weekdayNextWeek(today, 0)],
  [
    String.raw`(?:this|(?:at|on|over|by|before|for|until|till)\s+the)\s+weekend`,
    (_groups, { today }) => (weekdayOf(today) >= 6 ? today : nextWeekday(today, 5)),
  ],
  [String.raw`next\s+weekend`, (_groups, { today }) => weekdayNextWeek(today, 5)],
  [
    String.raw`(?:the\s+)?(?:start|beginning|first)\s+of\s+next\s+month|next\s+month`,
    (_groups, { today }) => monthsLater(startOfMonth(today), 1),
  ],
  [String.raw`next\s+year`, (_groups, { today }) => ({ year: today.year + 1, month: 1, day: 1 })],
  [String.raw`(?:the\s+)?end\s+of\s+next\s+week`, (_groups, { today }) => weekdayNextWeek(today, 4)],
  [
    String.raw`eow|(?:the\s+)?end\s+of\s+(?:(?:the|this)\s+)?week`,
    (_groups, { today }) => (weekdayOf(today) >= 5 ? today : nextWeekday(today, 4)),
  ],
  [
    String.raw`eom|(?:the\s+)?(?:end|last\s+day)\s+of\s+(?:(?:(?:the|this)\s+)?month|(?<next>next\s+month)|(?<month>${MONTH}))`,
    ({ next, month }, { today }) =>
      endOfMonth(month ? nextMonth(today, monthOf(month)) : next ? monthsLater(startOfMonth(today), 1) : today),
  ],
  [
    String.raw`(?:the\s+)?end\s+of\s+(?:(?:the|this|(?<next>next))\s+)?year`,
    ({ next }, { today }) => ({ year: today.year + (next ? 1 : 0), month: 12, day: 31 }),
  ],
  [
    String.raw`(?:in|within|after)\s+(?<count>${COUNT})\s+(?<unit>day|week|fortnight|month|year)s?(?!\s+and\s+a\s+half)(?:['’]s?\s+time)?|in\s+(?<count3>\d{1,3})(?<unit3>[dw])|(?<count2>${COUNT})\s+(?<unit2>day|week|month|year)s?\s+from\s+now`,
    ({ count, unit, count2, unit2, count3, unit3 }, { today }) =>
      later(today, numberOf(count ?? count2 ?? count3 ?? ''), unit ?? unit2 ?? unit3 ?? ''),
  ],
  [
    dated(String.raw`(?:the\s+)?${DAY_OF_MONTH}(?:(?:\s+of)?\s+|-)(?<month>${MONTH})\.?${YEAR}`),
    ({ day, month = '', year }, { today }) => dateIn(today, year, monthOf(month), Number(day)),
  ],
  [
    dated(
      String.raw`(?<!\d(?:st|nd|rd|th|\.)?(?:\s+of)?\s+)(?<month>${MONTH})\.?\s+(?:the\s+)?${DAY_OF_MONTH}${YEAR}${NO_MEASURE}${NO_HOUR}`,
    ),
    ({ day, month = '', year }, { today }) => dateIn(today, year, monthOf(month), Number(day)),
  ],
  [
    String.raw`(?:in|early)\s+(?<month>${MONTH})${YEAR}|next\s+(?<month2>${MONTH})`,
    ({ month, month2, year }, { today }) =>
      year === undefined && monthOf(month ?? '') === today.month
        ? today
        : dateIn(today, year, monthOf(month ?? month2 ?? ''), 1),
  ],
  [
    String.raw`(?:(?:${WEEKDAY},?\s+)?the|(?<=^\s*)on(?:\s+the)?|(?:on|by|due|from|starting|until|till)(?:\s+the)?)\s+(?<day>\d{1,2})(?:st|nd|rd|th)(?:${OF_MONTH}|${PHRASE_END}|(?<=^\s*on\s.*))|(?<day2>\d{1,2})(?:st|nd|rd|th)${OF_MONTH.replace('next', 'next2')}`,
    ({ day, day2, next, next2 }, { today }) => dayOfMonth(today, Number(day ?? day2), (next ?? next2) !== undefined),
  ],
  [
    String.raw`(?:the\s+)?(?<nth>${ORDINAL})\s+(?<name>${WEEKDAY})\s+(?:of|in)\s+(?:(?:the|this)\s+month|(?<next>next\s+month)|(?<month>${MONTH}))`,
    ({ nth = '', name = '', next, month }, { today }) => {
      const start = month ? nextMonth(today, monthOf(month)) : startOfMonth(today);
      return nthWeekday(today, numberOf(nth), weekdayIndex(name), next ? monthsLater(start, 1) : start);
    },
  ],
  [
    String.raw`(?<year>20\d\d)(?<mark>[-/])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`,
    ({ year, month, day }) => realDate(Number(year), Number(month), Number(day)),
  ],
  [
    String.raw`${dated(String.raw`(?:am\s+)?(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>(?:20)?\d\d)?`)}|(?:on|by|due|until|till|from)\s+(?:the\s+)?(?<day2>\d{1,2})\.(?<month2>\d{1,2})|(?<day3>\d{1,2})\.(?<month3>\d{1,2})(?=\s+\d{1,2}:\d\d)`,
    ({ day, day2, day3, month, month2, month3, year }, { today }) =>
      dateIn(today, year, Number(month ?? month2 ?? month3), Number(day ?? day2 ?? day3)),
  ],
  [
    dated(String.raw`${NO_PART}(?!24/7)(?<one>\d{1,2})/(?<two>\d{1,2})(?:/(?<year>(?:20)?\d\d))?${NO_MEASURE}`),
    ({ one, two, year }, context) => byRegion(context, year, Number(one), Number(two)),
  ],
  [
    String.raw`(?<one>\d{1,2})-(?<two>\d{1,2})-(?<year>20\d\d)`,
    ({ one, two, year }, context) => byRegion(context, year, Number(one), Number(two)),
  ],
];

const LEADING = String.raw`(?:(?:due\s+)?(?:on|by|before|for|from|starting(?:\s+(?:on|from))?|beginning(?:\s+on)?)\s+(?!in\s)|due\s+)?`;
const UNTIL = String.raw`(?:until|till|til|through|thru|ending(?:\s+on)?|ends(?:\s+on)?|up\s+to)\s+(?:the\s+)?`;
const READY = (prefix: string) =>
  DATE_PATTERNS.map(([source, read]) => [wholeWords(`${prefix}(?:${source})`), read] as const);
const [DATES, ENDS] = [READY(LEADING), READY(UNTIL)];

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
  part === undefined ? { date } : { date, part: partOf(part.toLowerCase()) };

function partOf(word: string): PartOfDay {
  if (word === 'am' || word.startsWith('first')) return 'morning';
  return word === 'pm' ? 'afternoon' : (word as PartOfDay);
}

function namedDay(name: string, today: Day): Day {
  if (name === 'today' || name === 'now') return today;
  return /^t(?:om|m)/.test(name) ? addDays(today, 1) : nextWeekday(today, weekdayIndex(name));
}

function byRegion({ today, dayFirst }: DateContext, year: string | undefined, one: number, two: number) {
  const [asDay, asMonth] = [dateIn(today, year, two, one), dateIn(today, year, one, two)];
  const [date, other] = dayFirst ? [asDay, asMonth] : [asMonth, asDay];
  if (!date) return other && { date: other };
  return other && one !== two ? { date, other } : { date };
}
