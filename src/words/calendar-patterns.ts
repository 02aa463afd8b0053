/** The patterns of dates of the calendar: "3/12", "12 june '27", "the 3rd", "the last friday of next month". */
import { dateIn, dayOfMonth, monthsLater, nextMonth, nthWeekday, realDate, startOfMonth } from './days.ts';
import type { DateContext, DatePattern, FoundDate } from './found-date.ts';
import { MONTH, monthOf, numberOf, ORDINAL, ORDINAL_DAY, WEEKDAY, weekdayIndex } from './lexicon.ts';
import { GAP, PHRASE_END } from './remaining-text.ts';
import { type Day, daysBetween, weekdayOf } from './wall-time.ts';

/** "2027", "'27". */
export const YEAR = String.raw`(?:(?:,? |-)(?:(?<year>20\d\d)|['’](?<short>[23]\d)))?`;
/** "12 june 27" may also count what follows. */
const SHORT_YEAR = String.raw` (?<bare>2[6-9]|3\d)(?=\s*(?:$|[,${GAP}])|\s+\p{L}{3})(?! (?:people|guests|kids|pages|items|pieces|euros?|dollars|uhr)\b)`;
const DAY_OF_MONTH = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s*(?:-|–|to)\s*\d{1,2}(?:st|nd|rd|th)?)?`;
const NUMBER = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)`;
const OF_MONTH = ' of (?:(?:(?<the>the)|this) month|(?<next>next month))';
/** "fri 13.3." and "13.3. (fri)": the number says which one. */
const dated = (source: string) =>
  String.raw`(?:(?<dayBefore>${WEEKDAY})[,.]? (?:the )?)?(?:${source})(?:,? (?:(?<dayAfter>${WEEKDAY})|\((?<inBrackets>${WEEKDAY})\)))?`;
/** "Di 24.11.": words of their own anywhere else. */
const GERMAN_DAY = '(?:mo|di|mi|do|fr|sa|so)[,.]? ';
/** So many of something, not a date: "1/2 cup". */
const NO_MEASURE = String.raw`(?!\s*(?:an? )?(?:people|cups?|tsp|tbsp|teaspoons?|tablespoons?|hours?|kilos?|kg|g|lbs?|pounds?|pints?|litres?|liters?|l|miles?|inch(?:es)?|price|full|pills?|tab(?:let)?s?|capsules?|doses?|mg|ml|days?|of|done)\b)`;

/** "april 9 am" and "14 april 9 uhr": an hour, not a day. */
const NO_HOUR = String.raw`(?!\s*(?:[ap]\.?m\b|o['’\s]?clock|u[hu]r\b))`;

/** A part of a whole: "episode 3/10". */
const NO_PART = String.raw`(?<!\b(?:episode|part|page|chapter|step|phase|round|level|lesson) )`;

/** What is numbered: "the 2nd floor". */
const NO_NTH = String.raw`(?! (?:of|to|and|or|in|is|was|floor|chapter|draft|edition|season|volume|grade|class|time|place|part|book|one|half|quarter|century|birthday|anniversary|version|step|day|week|weekend|month|year|round|attempt|try|person|child|kid|row|episode|game|act|world|dose|line|page|item|option|level|layer|party|degree|prize|team|notice|letter|reminder|batch|payment|${WEEKDAY}|street|avenue|ave|st)(?![\p{L}]))`;

export const CALENDAR_PATTERNS: readonly DatePattern[] = [
  [
    [
      `(?:${WEEKDAY},? )?(?:the )?(?<nth>${ORDINAL_DAY})(?: of)? (?<month>${MONTH})${YEAR}`,
      `(?:${WEEKDAY},? )?(?<month>${MONTH}) (?:the )?(?<nth>${ORDINAL_DAY})${YEAR}`,
    ],
    ({ nth = '', month = '', year, short }, context) => inYear(context, year ?? short, monthOf(month), numberOf(nth)),
  ],
  [
    [
      dated(String.raw`(?:the )?${DAY_OF_MONTH}(?:(?: of)? |-)(?<month>${MONTH})\.?${YEAR}`),
      dated(
        String.raw`(?<!\d(?:st|nd|rd|th|\.)?(?: of)? )(?<month>${MONTH})\.? (?:the )?${DAY_OF_MONTH}${YEAR}${NO_MEASURE}${NO_HOUR}`,
      ),
    ],
    ({ day, month = '', year, short }, context) => inYear(context, year ?? short, monthOf(month), Number(day)),
  ],
  [
    [String.raw`${DAY_OF_MONTH}(?: of)? (?<month>${MONTH})\.?${SHORT_YEAR}`],
    ({ day, month = '', bare }, context) => {
      const date = dateIn(context.today, bare, monthOf(month), Number(day));
      return date && !context.choices.has('year') ? { date, guesses: ['year'] } : undefined;
    },
  ],
  [
    [`(?:in|early|(?:at )?(?:the )?(?:start|beginning) of|(?:in )?early in) (?<month>${MONTH})${YEAR}`],
    ({ month = '', year, short }, { today }) =>
      (year ?? short) === undefined && monthOf(month) === today.month
        ? today
        : dateIn(today, year ?? short, monthOf(month), 1),
  ],
  [
    [
      `(?:in )?(?:the )?(?:mid|middle of)[\\s-](?<month>${MONTH})`,
      '(?:in )?(?:the )?middle of (?:the|(?<next>next)) month',
    ],
    ({ month, next }, { today, choices }) => {
      const date = month ? dateIn(today, undefined, monthOf(month), 15) : dayOfMonth(today, 15, next !== undefined);
      return date && !choices.has('words') ? { date, guesses: ['words'] } : undefined;
    },
  ],
  [[`next (?<month>${MONTH})`], ({ month = '' }, { today }) => dateIn(today, undefined, monthOf(month), 1)],
  [
    [
      String.raw`(?:(?:(?<dayBefore>${WEEKDAY}),? )?the|(?<=^\s*)on(?: the)?|(?:on|by|due|from|starting|until|till)(?: the)?) ${NUMBER}(?:${OF_MONTH}|(?! of )(?:${PHRASE_END}|(?<=^\s*(?:on|by)\s[^]{0,20})))`,
      `${NUMBER}${OF_MONTH}`,
      `(?<dayBefore>${WEEKDAY}),? the ${NUMBER}${NO_NTH}`,
      `(?<next>next month) (?:on )?(?:the )?${NUMBER}`,
    ],
    ({ day, next, the }, { today }) => {
      const date = dayOfMonth(today, Number(day), next !== undefined);
      return date && (the ? { date, guesses: ['once'] } : { date });
    },
  ],
  [
    [
      `(?:(?:${WEEKDAY},? )?the|on(?: the)?|(?:on|by|due|from|starting|until|till)(?: the)?) (?<nth>${ORDINAL_DAY})(?:${OF_MONTH}|(?! of )${PHRASE_END})`,
      `(?<dayBefore>${WEEKDAY}),? the (?<nth>${ORDINAL_DAY})`,
    ],
    ({ nth = '', next, the }, { today, choices }) => {
      const date = dayOfMonth(today, numberOf(nth), next !== undefined);
      if (the) return date && { date, guesses: ['once'] };
      return date && !choices.has('words') ? { date, guesses: ['words'] } : undefined;
    },
  ],
  // "fri 13 9am", if the 13th is a Friday.
  [
    [String.raw`(?<name>${WEEKDAY}),? (?<day>\d{1,2})(?=\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]m|h))`],
    ({ name = '', day }, { today }) => {
      const date = dayOfMonth(today, Number(day), false);
      return date && weekdayOf(date) - 1 === weekdayIndex(name) ? date : undefined;
    },
  ],
  // "the 28th pay nanny".
  [
    [String.raw`(?<=(?:^|${GAP})\s*)the ${NUMBER}(?= \p{L})${NO_NTH}`],
    ({ day }, { today, choices }) => {
      const date = dayOfMonth(today, Number(day), false);
      return date && !choices.has('words') ? { date, guesses: ['words'] } : undefined;
    },
  ],
  // "pay rent 1st", where nothing but the moment follows.
  [
    [String.raw`(?<=\S )${NUMBER}(?=\s*(?:$|[,${GAP}])|\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]m))`],
    ({ day }, { today, choices }) => {
      const date = dayOfMonth(today, Number(day), false);
      return date && !choices.has('words') ? { date, guesses: ['words'] } : undefined;
    },
  ],
  [
    [
      `(?:the )?(?<nth>${ORDINAL}) (?<name>${WEEKDAY}) (?:of|in) (?:(?<the>the )?(?:this )?month|(?<next>next month)|(?<month>${MONTH}))`,
    ],
    ({ nth = '', name = '', next, month, the }, { today }) => {
      const [place, weekday] = [numberOf(nth), weekdayIndex(name)];
      if (month) return nthWeekdayIn(today, place, weekday, monthOf(month));
      const date = nthWeekday(today, place, weekday, whichMonth(today, month, next));
      return date && (the ? { date, guesses: ['once'] } : { date });
    },
  ],
  // "book club first tuesday", but not "last tuesday", which has passed.
  [
    [`(?:the )?(?!last)(?<nth>${ORDINAL}) (?<name>${WEEKDAY})${PHRASE_END}`],
    ({ nth = '', name = '' }, { today }) => {
      const date = nthWeekday(today, numberOf(nth), weekdayIndex(name), startOfMonth(today));
      return date && { date, guesses: ['once'] };
    },
  ],
  [
    [String.raw`(?<year>20\d\d)(?<mark>[-/])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`],
    ({ year, month, day }) => realDate(Number(year), Number(month), Number(day)),
  ],
  [
    [
      dated(String.raw`(?:${GERMAN_DAY})?(?:am )?(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>(?:20)?\d\d)?`),
      String.raw`(?:on|by|due|until|till|from) (?:the )?(?<day>\d{1,2})\.(?<month>\d{1,2})`,
      String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})(?= \d{1,2}:\d\d)`,
    ],
    ({ day, month, year }, context) => inYear(context, year, Number(month), Number(day)),
  ],
  [
    [
      dated(String.raw`${NO_PART}(?!24/7)(?<one>\d{1,2})/(?<two>\d{1,2})(?:/(?<year>(?:20)?\d\d))?${NO_MEASURE}`),
      String.raw`(?<one>\d{1,2})-(?<two>\d{1,2})-(?<year>20\d\d|2[5-9]|3\d)`,
    ],
    ({ one, two, year }, context) => byRegion(context, year, Number(one), Number(two)),
  ],
];

/** Some day of it: the month that was named, or the present one or the next. */
export function whichMonth(today: Day, name: string | undefined, next: string | undefined): Day {
  if (name) return nextMonth(today, monthOf(name));
  return next ? monthsLater(startOfMonth(today), 1) : startOfMonth(today);
}

/** "The second tuesday of march": this March, or the next one if it has passed. */
function nthWeekdayIn(today: Day, nth: number, weekday: number, month: number): Day | undefined {
  const starts = [nextMonth(today, month), { year: today.year + 1, month, day: 1 }];
  return starts.map((start) => nthWeekday(today, nth, weekday, start)).find((date) => date?.month === month);
}

function byRegion(context: DateContext, year: string | undefined, one: number, two: number) {
  const [asDay, asMonth] = [inYear(context, year, two, one), inYear(context, year, one, two)];
  const isDayFirst = context.dayFirst !== context.choices.has('order');
  const [found, other] = isDayFirst ? [asDay, asMonth] : [asMonth, asDay];
  if (!found) return other;
  return other && one !== two ? { ...found, guesses: [...(found.guesses ?? []), 'order' as const] } : found;
}

/** A date that has passed this year by less than this is more often a slip than next year's. */
const RECENT_DAYS = 183;

/** Without a year it is the next such date. */
function inYear(
  { today, choices }: DateContext,
  year: string | undefined,
  month: number,
  day: number,
): FoundDate | undefined {
  const date = dateIn(today, year, month, day);
  if (!date || year !== undefined || date.year === today.year) return date && { date };
  const thisYear = realDate(today.year, month, day);
  if (!thisYear || daysBetween(thisYear, today) >= RECENT_DAYS) return { date };
  return { date: choices.has('year') ? thisYear : date, guesses: ['year'] };
}
