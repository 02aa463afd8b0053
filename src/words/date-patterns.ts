/** The patterns of days that are named by their distance: "tomorrow", "friday evening", "in 2 weeks", "the end of the month". */
import { whichMonth } from './calendar-patterns.ts';
import {
  dayOfMonth,
  endOfMonth,
  isSameDay,
  later,
  monthsLater,
  nextWeekday,
  startOfMonth,
  weekdayNextWeek,
} from './days.ts';
import { type DatePattern, PART, withPart } from './found-date.ts';
import { COUNT, MONTH, numberOf, TOMORROW, WEEKDAY, weekdayIndex } from './lexicon.ts';
import { PHRASE_END } from './remaining-text.ts';
import { addDays, type Day, weekdayOf } from './wall-time.ts';

const [MONDAY, FRIDAY, SATURDAY] = [0, 4, 5];

export const DATE_PATTERNS: readonly DatePattern[] = [
  [[`(?:later |(?:the )?end of )?today${PART}`], ({ part }, { today }) => withPart(today, part)],
  [['toni(?:ght|te)'], (_groups, { today }) => ({ ...withPart(today, 'evening'), isNight: true })],
  [['this (?<part>morning|afternoon|evening)'], ({ part }, { today }) => withPart(today, part)],
  [
    [`(?<early>first thing |early )?${TOMORROW}${PART}`],
    ({ part, early }, { today }) => withPart(addDays(today, 1), part ?? early),
  ],
  [[`(?:the )?day after ${TOMORROW}`], (_groups, { today }) => addDays(today, 2)],
  [
    [
      String.raw`(?<early>first thing (?:on )?)?(?:(?<which>this|next|coming) )?(?<name>${WEEKDAY})(?:\s*[-–]\s*${WEEKDAY})?${PART}(?<later> next week)?`,
    ],
    ({ which, name = '', early, part = early, later }, { today, choices }) => {
      const weekday = weekdayIndex(name);
      const [first, second] = [nextWeekday(today, weekday), weekdayNextWeek(today, weekday)];
      if (which === 'next' && later === undefined && !isSameDay(first, second)) {
        return { ...withPart(choices.has('week') ? first : second, part), guesses: ['week'] };
      }
      if (later !== undefined) return withPart(second, part);
      const isToday = which === 'this' && weekdayOf(today) - 1 === weekday;
      if (isToday || which !== undefined || weekdayOf(today) - 1 !== weekday)
        return withPart(isToday ? today : first, part);
      return { ...withPart(first, part), orToday: true };
    },
  ],
  [[`next week (?:on )?(?<name>${WEEKDAY})`], ({ name = '' }, { today }) => weekdayNextWeek(today, weekdayIndex(name))],
  [
    [
      `(?<count>${COUNT}) (?<unit>day|week|fortnight)s? from (?<name>${WEEKDAY}|today|${TOMORROW}|now)`,
      String.raw`(?<name>${WEEKDAY}|${TOMORROW}) week(?:${PHRASE_END}|(?<=^\s*\S+ week))`,
      `(?:(?<count>${COUNT}) )?(?<unit>week|fortnight)s? on (?<name>${WEEKDAY})`,
      `(?<count>${COUNT}) (?<unit>week|fortnight)s? (?<name>today|${TOMORROW})`,
    ],
    ({ count = 'a', unit = 'week', name = '' }, { today }) => later(namedDay(name, today), numberOf(count), unit),
  ],
  [
    [
      `(?<name>${WEEKDAY}) in (?<count>${COUNT}) weeks?(?:['’]s? time)?`,
      `in (?<count>${COUNT}) weeks?(?:['’]s? time)?,? (?:on )?(?:a )?(?<name>${WEEKDAY})`,
    ],
    ({ name = '', count = '' }, { today, choices }) => {
      const weekday = weekdayIndex(name);
      const date = addDays(weekdayNextWeek(today, weekday), 7 * (numberOf(count) - 1));
      const after = addDays(nextWeekday(today, weekday), 7 * numberOf(count));
      if (isSameDay(date, after)) return date;
      return { date: choices.has('week') ? after : date, guesses: ['week'] };
    },
  ],
  [['(?:early )?next week'], (_groups, { today }) => weekdayNextWeek(today, MONDAY)],
  [
    ['(?:this|(?:at|on|over|by|(?<aheadOfWeekend>before)|for|until|till) the) weekend'],
    (_groups, { today }) => thisWeekend(today),
  ],
  [
    ['next weekend'],
    (_groups, { today, choices }) => {
      const [first, second] = [nextWeekday(today, SATURDAY), weekdayNextWeek(today, SATURDAY)];
      if (isSameDay(first, second)) return second;
      return { date: choices.has('week') ? first : second, guesses: ['week'] };
    },
  ],
  [
    [
      '(?:in )?(?:the )?week after next',
      '(?:in )?(?:the )?(?<month>month) after next',
      '(?:the )?(?<weekend>weekend) after next',
    ],
    ({ month, weekend }, { today }) =>
      month ? monthsLater(startOfMonth(today), 2) : addDays(weekdayNextWeek(today, weekend ? SATURDAY : MONDAY), 7),
  ],
  [
    [String.raw`(?<=^\s*)weekend(?= \p{L})`],
    (_groups, { today, choices }) =>
      choices.has('words') ? undefined : { date: thisWeekend(today), guesses: ['words'] },
  ],
  [
    ['(?:the )?(?:start|beginning|first) of next month', 'next month'],
    (_groups, { today }) => monthsLater(startOfMonth(today), 1),
  ],
  [
    ['(?:the )?(?:start|beginning|first) of (?:(?<the>(?<=first of )the )|(?:(?:the|this) )?)month'],
    ({ the }, { today }) => {
      const date = dayOfMonth(today, 1, false);
      return date && (the ? { date, guesses: ['once'] } : { date });
    },
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
      `(?:in|within|after) (?<count>${COUNT}|(?:a )?few) (?<unit>day|week|fortnight|month|year)s?(?! and a half)(?:['’]s? time)?`,
      String.raw`in (?<count>\d{1,3})(?<unit>[dw])`,
      `(?<count>${COUNT}) (?<unit>day|week|month|year)s? from now`,
    ],
    ({ count = '', unit = '' }, { today, choices }) =>
      count.includes('few')
        ? { date: later(today, choices.has('amount') ? 5 : 3, unit), guesses: ['amount'] }
        : later(today, numberOf(count), unit),
  ],
  [
    [`(?:the )?(?<name>${WEEKDAY}) after next`],
    ({ name = '' }, { today }) => addDays(weekdayNextWeek(today, weekdayIndex(name)), 7),
  ],
];

/** Today, if it has begun. */
const thisWeekend = (today: Day): Day => (weekdayOf(today) - 1 >= SATURDAY ? today : nextWeekday(today, SATURDAY));

function namedDay(name: string, today: Day): Day {
  if (name === 'today' || name === 'now') return today;
  const weekday = weekdayIndex(name);
  return weekday < 0 ? addDays(today, 1) : nextWeekday(today, weekday);
}
