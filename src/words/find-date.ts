/** Finds the words of a sentence that name a date, with the words that lead to it: "by friday", "until october", "two days before christmas". */
import { CALENDAR_PATTERNS, YEAR } from './calendar-patterns.ts';
import { DATE_PATTERNS } from './date-patterns.ts';
import { dateIn, endOfMonth, isBefore, isSameDay, later, nextMonth, nextWeekday } from './days.ts';
import { doubtOf } from './doubt.ts';
import { FEAST, feastOf } from './feasts.ts';
import { type DateContext, type DatePattern, type FoundDate, PART, withPart } from './found-date.ts';
import type { GuessKind } from './guess.ts';
import { COUNT, MONTH, monthOf, numberOf, WEEKDAY, weekdayIndex } from './lexicon.ts';
import { MOVING_FEAST, movingFeastOf } from './moving-feasts.ts';
import { type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import { addDays, weekdayOf } from './wall-time.ts';

/** "by christmas", but not "on christmas cards". */
const NO_COMPOUND = String.raw`(?! (?:eve|tree|card|present|gift|market|decoration|light|carol|cookie|song|part|dinner|lunch|costume|cake|ornament|shopping|sale|list|show|movie|special|pudding|wish|greeting|egg|bunny|basket|bonnet|deal|turkey|week|weekend|holiday|flower)(?:y|ie)?(?:es|s)?(?![\p{L}]))`;
/** Read only at the end of the moment, or before what happens on a feast: "buy halloween costume" names no day. */
const FEAST_END = `(?:(?<end>${PHRASE_END})|(?= (?:dinner|lunch|brunch|breakfast|party|drinks|walk|run|swim|call|service|mass)${PHRASE_END}))`;
const FEAST_DAY = String.raw`(?<feast>${FEAST}|${MOVING_FEAST})(?: (?<year>20\d\d))?${PART}`;
const readFeast: DatePattern[1] = ({ feast = '', year, part }, { today, choices }) => {
  const fixed = feastOf(feast);
  const date = fixed && dateIn(today, year, fixed.month, fixed.day);
  if (date) return withPart(date, part);
  const moving = movingFeastOf(feast);
  if (!moving || (moving.isRegional && choices.has('words'))) return undefined;
  const thisYear = moving.dateIn(Number(year ?? today.year));
  const next = year === undefined && isBefore(thisYear, today) ? moving.dateIn(today.year + 1) : thisYear;
  return { ...withPart(next, part), ...(moving.isRegional && { guesses: ['words' as const] }) };
};
const BARE_FEASTS: DatePattern = [
  [
    `(?:for )?${FEAST_DAY}${FEAST_END}`,
    String.raw`(?<=^\s*)${FEAST_DAY}${NO_COMPOUND}(?! (?:is|was|and|or|of|for|with)(?![\p{L}]))`,
  ],
  readFeast,
];
/** After a word that leads to a date. */
const LED_FEASTS: DatePattern = [[FEAST_DAY + NO_COMPOUND], readFeast];

const LEADING =
  '(?:(?:due )?(?:on|by|(?<ahead>before)|for|(?<starts>from|starting(?: (?:on|from))?|beginning(?: on)?)) (?!in )|due )?';
const UNTIL = '(?:until|till|til|through|thru|ending(?: on)?|ends(?: on)?|up to) (?:the )?';
/** "until october" ends with September; in October itself, with October. */
const UNTIL_MONTH: DatePattern = [
  [`(?<month>${MONTH})${YEAR}`],
  ({ month = '', year, short = year }, { today, choices }) => {
    const first = (short && dateIn(today, short, monthOf(month), 1)) || nextMonth(today, monthOf(month));
    const last = addDays(first, -1);
    if (isBefore(last, today)) return endOfMonth(first);
    return { date: choices.has('until') ? endOfMonth(first) : last, guesses: ['until'] };
  },
];
/** "the day before 24 dec", "two days after christmas", "the night before 24 dec", "the friday before christmas". */
const SHIFT = `(?:(?:on|by) )?(?:the )?(?:(?:(?<shiftCount>${COUNT}) )?(?<shiftUnit>day|night|evening|week|fortnight|month)s?|(?:last |first )?(?<shiftDay>${WEEKDAY}|weekend)) (?<shiftSide>before|after) (?:the )?`;
const compile = (prefix: string, patterns: readonly DatePattern[]) =>
  patterns.flatMap(([sources, read]) => sources.map((source) => [wholeWords(`${prefix}(?:${source})`), read] as const));
const ALL_DATES = [...DATE_PATTERNS, ...CALENDAR_PATTERNS];
const [DATES, ENDS] = [
  [
    ...compile(LEADING, ALL_DATES),
    ...compile('', [BARE_FEASTS]),
    ...compile('(?:due )?(?:on|by|(?<ahead>before)|from|starting(?: on)?) ', [LED_FEASTS]),
  ],
  compile(UNTIL, [...ALL_DATES, LED_FEASTS, UNTIL_MONTH]),
];
const SATURDAY = 5;
let shifted: typeof DATES | undefined;

export function dateReaders(context: DateContext): Reader<FoundDate>[] {
  return readersOf(DATES, context);
}
export const endReaders = (context: DateContext): Reader<FoundDate>[] => readersOf(ENDS, context);

/** Compiled when the first text needs them, because few do. */
export function shiftedReaders(context: DateContext): Reader<FoundDate>[] {
  shifted ??= compile(SHIFT, [...ALL_DATES, LED_FEASTS]);
  return readersOf(shifted, context).map(([pattern, read]) => [
    pattern,
    (match, written) => {
      const found = read(match, written);
      return found && shift(found, match.groups ?? {});
    },
  ]);
}

function shift(found: FoundDate, { shiftCount = 'a', shiftUnit = '', shiftDay, shiftSide }: Groups): FoundDate {
  if (shiftDay) {
    const next = nextWeekday(found.date, shiftDay === 'weekend' ? SATURDAY : weekdayIndex(shiftDay));
    const isAhead = shiftSide === 'before';
    return { ...found, date: !isAhead ? next : addDays(next, isSameDay(addDays(next, -7), found.date) ? -14 : -7) };
  }
  const isEve = shiftUnit === 'night' || shiftUnit === 'evening';
  const count = numberOf(shiftCount);
  const date = later(found.date, shiftSide === 'before' ? -count : count, shiftUnit);
  return { ...found, date, ...(isEve && { part: 'evening' as const }) };
}

function readersOf(patterns: typeof DATES, context: DateContext): Reader<FoundDate>[] {
  return patterns.map(([pattern, read]) => [
    pattern,
    (match, written) => {
      const doubt = doubtOf(match, written);
      if (doubt === 'no') return undefined;
      const meant = read(match.groups ?? {}, context);
      if (!meant) return undefined;
      const date = withWeekday('date' in meant ? meant : { date: meant }, match.groups ?? {}, context);
      const found = aheadOf(date, match, context);
      return doubt === undefined ? found : settleDoubt(found, doubt, context);
    },
  ]);
}

/** "before friday". "before friday 5pm" leaves nothing open. */
function aheadOf(
  found: FoundDate,
  { 0: words, index = 0, input = '', groups }: RegExpMatchArray,
  { choices }: DateContext,
): FoundDate {
  const after = input.slice(index + words.length, index + words.length + 10);
  const isClock = /^\s*(?:,\s*)?(?:at\s|@|\d|noon|midday)/.test(after);
  if ((groups?.ahead ?? groups?.aheadOfWeekend) === undefined || isClock) return found;
  const date = choices.has('by') ? addDays(found.date, -1) : found.date;
  return { ...found, date, guesses: [...(found.guesses ?? []), 'by'] };
}

/** "fri 14 march", which is a Saturday: the number counts, and the next Friday is the other reading. */
function withWeekday(meant: FoundDate, groups: Groups, { today, choices }: DateContext): FoundDate {
  const found = groups.starts === undefined ? meant : { ...meant, isStart: true };
  const name = groups.dayBefore ?? groups.dayAfter ?? groups.inBrackets;
  if (name === undefined || weekdayIndex(name) === weekdayOf(found.date) - 1) return found;
  const guesses = [...(found.guesses ?? []), 'weekday' as const];
  return choices.has('weekday')
    ? { ...found, date: nextWeekday(today, weekdayIndex(name)), guesses }
    : { ...found, guesses };
}

/** Words that look like a name stay, and words that may belong to the title are marked. */
export function settleDoubt<T extends { readonly guesses?: readonly GuessKind[] }>(
  found: T,
  doubt: 'words' | 'name',
  { choices, onName }: DateContext,
): T | undefined {
  if (doubt === 'name') {
    onName();
    return choices.has('name') ? found : undefined;
  }
  return choices.has('words') ? undefined : { ...found, guesses: [...(found.guesses ?? []), 'words'] };
}
