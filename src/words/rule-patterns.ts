/** The patterns of rules, and what each of them means: "every other tuesday", "mon-fri", "twice a day", "quarterly". */
import { COMPLETION_RULES } from './completion.ts';
import { FEAST, feastOf } from './feasts.ts';
import type { FoundRule } from './found-rule.ts';
import { allOf, COUNT, COUNT_WORD, DAY_NAME, listOf, MONTH, monthOf, numberOf, ORDINAL, WEEKDAY } from './lexicon.ts';
import { type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import { everySoMany, rhythmOf, WEEKEND, WORK_WEEK } from './rhythms.ts';
import {
  dayRange,
  daysIn,
  intervalOf,
  lettersIn,
  NTHS,
  PARTS,
  PLACE,
  partsIn,
  placesIn,
  TIMES_PER_DAY,
} from './rule-words.ts';
import { isInName, isNamedRhythm, isWork } from './title-words.ts';
import { doubtOfWork } from './works.ts';

/** Several ways to say the same, and what they mean. */
type RulePattern = readonly [sources: readonly string[], read: (groups: Groups) => FoundRule | undefined];

/** Todoist writes "every! 3 days" for days that count from completion. */
const EVERY = '(?:(?:once )?(?:every!?|each)(?: single)?)';
/** "mon wed fri" too, because what precedes it says that days follow. */
export const DAYS = listOf(WEEKDAY, String.raw`\s*,\s*(?:and )?| and (?:every )?|\s*[&+/]\s*| `);
const PLURAL_DAY = `${DAY_NAME}s`;
const PLURAL_DAYS = listOf(PLURAL_DAY, String.raw`\s*,\s*(?:and )?| and (?:on )?|\s*[&+/]\s*| `);
/** The days of a timetable: "MWF", "T/Th". */
const LETTERS = String.raw`(?:m/?w/?f|m,\s*w,?\s*(?:and )?f|t(?:u?/)?th|tu/?th|m-f)`;
export const PLACES = listOf(PLACE);
const MONTHLY = '(?:of|in) (?:every|each) month';
const OF_MONTH = '(?: (?:of|in) (?:(?:the|every|each|a) )?month)';
const WORK_DAY = String.raw`(?:week\s*day|work(?:ing)?\s*day|business day)`;
const NUMBER = String.raw`\d{1,2}(?:st|nd|rd|th)`;
const DATES = [
  String.raw`(?<month>${MONTH}) (?<day>\d{1,2})(?:st|nd|rd|th)?`,
  String.raw`(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${MONTH})`,
];
const TO = String.raw`\s*[-–]\s*`;
/** "every monday morning". */
const PART = `(?: (?<part>${PARTS}))?`;
const TWO_PARTS = `${PARTS}(?: and |\\s*[,&+/]\\s*)(?:in the |at )?${PARTS}`;
const PER_DAY = String.raw`(?:\s*/\s*day| (?:a|per|each|every) day| daily)`;
/** "2 to 3 times a day" leaves the number open. */
const NO_RANGE = String.raw`(?<!\d\s*(?:to|or) )`;
const UNITS = '(?:minute|min|hour|hr|h|day|week|fortnight|month|quarter|year)';
const UNIT = `(?<unit>${UNITS})s?`;
const ADVERB =
  '(?<adverb>hourly|daily|weekly|fortnightly|bi-?weekly|monthly|bi-?monthly|quarterly|half-yearly|semi-?annual(?:ly)?|bi-?annual(?:ly)?|yearly|annually)';

/** Where days of the week describe no noun: "on weekdays stand up", "8am weekends yoga". */
const SAID = String.raw`(?:on |(?<=(?:^|\d(?:\s?[ap]m)?\s)\s*))`;

const HALF_YEAR: FoundRule = { rule: { freq: 'monthly', interval: 6 } };
/** Words for twice in a unit, or once in two of them. */
const TWOFOLD: Readonly<Record<string, FoundRule>> = {
  biweek: { rule: { freq: 'weekly', interval: 2 }, other: { freq: 'weekly', by_weekday: ['mo', 'th'] } },
  bimonth: { rule: { freq: 'monthly', interval: 2 }, other: { freq: 'monthly', by_month_day: [1, 15] } },
  biannual: { ...HALF_YEAR, other: { freq: 'yearly', interval: 2 } },
  semiannual: HALF_YEAR,
};

/** Tried in this order: specific patterns come before general ones. */
const RULE_PATTERNS: readonly RulePattern[] = [
  // "every second tuesday": of the month, or every other one.
  [
    [`${EVERY} (?<nth>second|third|fourth|2nd|3rd|4th) (?<day>${WEEKDAY})(?!${OF_MONTH}| and |,|\\s*[&/+])${PART}`],
    ({ nth = '', day = '', part }) => ({
      rule: { freq: 'monthly', by_weekday: placesIn(`${nth} ${day}`) },
      other: { freq: 'weekly', interval: numberOf(nth), by_weekday: daysIn(day) },
      ...partsIn(part),
    }),
  ],
  [
    [
      `${EVERY} (?<places>${PLACES})${OF_MONTH}?`,
      `(?:on )?(?:the )?(?<places>${PLACES}) ${MONTHLY}`,
      `(?:monthly|${EVERY} month) on (?:the )?(?<places>${PLACES})`,
      `(?:on )?(?:the )?(?<places>${NTHS} ${PLURAL_DAY})(?! (?:of|in) )`,
      String.raw`(?:on )?(?:the )?(?<places>${ORDINAL}(?: and |\s*[,&+/]\s*)${NTHS} ${WEEKDAY})(?! (?:of|in) )`,
    ],
    ({ places = '' }) => ({ rule: { freq: 'monthly', by_weekday: placesIn(places) } }),
  ],
  [
    [
      `${EVERY} (?<nth>${ORDINAL}) ${WORK_DAY}${OF_MONTH}`,
      `${EVERY} (?<nth>first|last) ${WORK_DAY}`,
      `(?:on )?(?:the )?(?<nth>${ORDINAL}) ${WORK_DAY} ${MONTHLY}`,
      `(?:monthly|${EVERY} month) on (?:the )?(?<nth>${ORDINAL}) ${WORK_DAY}`,
    ],
    ({ nth = '' }) => ({ rule: { freq: 'monthly', by_weekday: WORK_WEEK, by_set_pos: [numberOf(nth)] } }),
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
    [
      `(?:${EVERY}(?: year)?|yearly|annually) (?:on |at )?(?<feast>${FEAST})`,
      `(?:on |at )?(?<feast>${FEAST}) (?:${EVERY} year|yearly|annually)`,
    ],
    ({ feast = '' }) => {
      const date = feastOf(feast);
      return date && { rule: { freq: 'yearly', by_month: [date.month], by_month_day: [date.day] } };
    },
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
      String.raw`${EVERY} (?:month on )?(?:the )?(?<nths>${NTHS})(?: day)?(?:${OF_MONTH}|${PHRASE_END}|(?<=^\s*${EVERY} ${NTHS}(?: day)?)(?! (?:${WORK_DAY}|weekend|${UNITS})s?(?![a-z])))`,
      `(?:on )?(?:the )?(?<nths>${NTHS})(?: day)? ${MONTHLY}`,
      `(?:monthly|${EVERY} month) on (?:the )?(?<nths>${NTHS})(?! ${WEEKDAY})`,
    ],
    ({ nths = '' }) => ({ rule: { freq: 'monthly', by_month_day: allOf(ORDINAL, nths).map(numberOf) } }),
  ],
  [
    [
      `(?:${EVERY}|weekly) (?<first>${WEEKDAY})${TO}(?<last>${WEEKDAY})`,
      `(?<first>mon(?:day)?)${TO}(?<last>fri(?:day)?)`,
      String.raw`(?<first>${WEEKDAY})${TO}(?<last>${WEEKDAY})(?= (?:at |@\s*)?\d)`,
      `${EVERY} (?<first>${WEEKDAY}) (?:to|through|thru|till|until) (?<last>${WEEKDAY})`,
    ],
    ({ first = '', last = '' }) => ({ rule: { freq: 'weekly', by_weekday: dayRange(first, last) } }),
  ],
  // "monday to friday 9am" repeats, but "moved from thursday to friday 10am" does not.
  [
    [String.raw`(?:from )?(?<first>${WEEKDAY}) (?:to|through|thru) (?<last>${WEEKDAY})(?= (?:at )?\d)`],
    ({ first = '', last = '' }) => {
      const by_weekday = dayRange(first, last);
      return { rule: { freq: 'weekly', by_weekday }, listed: by_weekday.length };
    },
  ],
  // "10 mondays 5pm", "the next 3 fridays".
  [
    [String.raw`(?:for )?(?:the )?(?:next )?(?<times>[2-9]|[1-4]\d|${COUNT_WORD}) (?<days>${PLURAL_DAY})`],
    ({ times = '', days = '' }) => ({ rule: { freq: 'weekly', by_weekday: daysIn(days), count: numberOf(times) } }),
  ],
  [
    [
      `${EVERY} (?:(?<count>${COUNT}|${ORDINAL}) )?weeks? on (?:a )?(?<days>${DAYS})`,
      `(?:weekly|once (?:a|per) week|(?<fortnight>fortnightly|bi-?weekly)) on (?:a )?(?<days>${DAYS})`,
      `${EVERY} (?:(?<count>other) )?(?<days>${DAYS}|${WEEKDAY}(?:-${WEEKDAY}){2,6})${PART}`,
      `(?:on )?(?:all )?(?:(?<count>alternate) )?(?<days>${PLURAL_DAYS})`,
      `(?:on )?(?<days>${WEEKDAY}) (?<part>(?:morning|afternoon|evening|night)s)`,
      String.raw`(?:(?:on|every) )?(?<letters>${LETTERS}(?:${PHRASE_END}|(?<=^\s*${LETTERS})))`,
    ],
    ({ count, fortnight, letters, days = '', part }) => ({
      ...partsIn(part),
      rule: {
        freq: 'weekly',
        ...intervalOf(fortnight ? '2' : count),
        by_weekday: letters ? lettersIn(letters) : daysIn(days),
      },
    }),
  ],
  // Days that are named without "every" most often repeat, but may be meant once each.
  [
    [
      String.raw`on (?:the )?(?<nths>${NUMBER}(?:(?:\s*,\s*(?:and )?| and (?:the )?|\s*[&+/]\s*)${NUMBER})+)${PHRASE_END}`,
    ],
    ({ nths = '' }) => {
      const by_month_day = allOf(ORDINAL, nths).map(numberOf);
      return { rule: { freq: 'monthly', by_month_day }, listed: by_month_day.length };
    },
  ],
  [
    [
      String.raw`(?:on )?(?<days>${WEEKDAY}(?: ${WEEKDAY}){0,5}(?:(?:\s*,\s*(?:and )?| and |\s*[&+/]\s*)${WEEKDAY})+)`,
      `(?:on )?(?<days>${WEEKDAY}(?:-${WEEKDAY}){2,6})`,
      `(?:on )?(?<days>${WEEKDAY}(?: ${WEEKDAY}){1,6})(?:${PHRASE_END}|(?<=(?:${WEEKDAY} ){2}${WEEKDAY}))`,
    ],
    ({ days = '' }) => ({ rule: { freq: 'weekly', by_weekday: daysIn(days) }, listed: daysIn(days).length }),
  ],
  [[String.raw`${EVERY} half[\s-](?:an? )?hour`], () => ({ rule: { freq: 'minutely', interval: 30 } })],
  [[String.raw`${EVERY} half[\s-](?:a )?year`], () => ({ rule: { freq: 'monthly', interval: 6 } })],
  [
    [String.raw`${EVERY} (?<count>\d{1,3}(?=\s*[a-z])|${COUNT}(?=\s))\s*${UNIT}`],
    ({ count = '', unit = '' }) => ({ rule: everySoMany(unit, numberOf(count)) }),
  ],
  [
    [
      String.raw`${EVERY} (?:week|work(?:ing)?)\s*day${PART}`,
      `(?:on )?(?:week|work)days${PHRASE_END}`,
      `${SAID}(?:week|work)days`,
    ],
    ({ part }) => ({ rule: { freq: 'weekly', by_weekday: WORK_WEEK }, ...partsIn(part) }),
  ],
  [
    [`${EVERY} (?:(?<count>other) )?weekend`, `(?:on )?weekends${PHRASE_END}`, `${SAID}weekends`],
    ({ count }) => ({ rule: { freq: 'weekly', ...intervalOf(count), by_weekday: WEEKEND } }),
  ],
  [
    [
      `${EVERY} (?<parts>${listOf(PARTS)})`,
      `(?:${EVERY} day|daily),? (?:in the )?(?<parts>${TWO_PARTS})`,
      `(?:in the )?(?<parts>${TWO_PARTS}),? (?:${EVERY} day|daily)`,
      `nightly${PHRASE_END}`,
      String.raw`(?<=^\s*)nightly`,
    ],
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
    ['everyday', String.raw`(?<!\bday of )${EVERY} ${UNIT}(?! or (?:two|three|\d))`],
    ({ unit = 'day' }) => ({ rule: everySoMany(unit, 1) }),
  ],
  // "monthly" as the first word or where no noun follows; "cancel the monthly ticket" repeats nothing.
  [
    [String.raw`(?<=^\s*)${ADVERB}`, String.raw`(?<!\b(?:twice|times) )${ADVERB}${PHRASE_END}`],
    ({ adverb = '' }) => {
      const rule = rhythmOf(adverb);
      return rule ? { rule } : TWOFOLD[adverb.replace('-', '').replace('ly', '')];
    },
  ],
  // "pills morning and evening".
  [
    [`(?:(?:in the |at )?(?<parts>${TWO_PARTS}))${PHRASE_END}`],
    ({ parts = '' }) => ({ rule: { freq: 'daily' }, ...partsIn(parts), listed: 2 }),
  ],
];

const isNamed = (written: string, start = 0, end = 0): boolean =>
  start > 0 && (isInName(written, start, end) || isNamedRhythm(written, start, end));

const PATTERN_RULES: readonly (readonly Reader<FoundRule>[])[] = RULE_PATTERNS.map(([sources, read]) =>
  sources.map((source) => [
    wholeWords(source),
    ({ 0: words, index = 0, groups }, written) => {
      // "read Every Day".
      const named = isNamed(written, index, index + words.length) ? undefined : read(groups ?? {});
      const found =
        named && /every!/.test(words) ? { ...named, rule: { ...named.rule, from: 'completion' as const } } : named;
      const isDoubtful = isWork(written, index) || doubtOfWork(written, index, index + words.length) !== undefined;
      return found && isDoubtful ? { ...found, guesses: ['words'] } : found;
    },
  ]),
);

export const RULES: readonly (readonly Reader<FoundRule>[])[] = [COMPLETION_RULES, ...PATTERN_RULES];
