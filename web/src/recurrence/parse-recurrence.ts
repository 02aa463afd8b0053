/** Finds the words that name a recurrence: "every other tuesday", "monthly after done". */
import { type Recurrence, WEEKDAYS } from './recurrence.ts';

export interface ParsedRecurrence {
  readonly rule: Recurrence;
  /** The words that were recognised. */
  readonly text: string;
  /** The hour of "every evening", for a text that names no time. */
  readonly hour?: number;
}

const DAY = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?`;
const DAYS = String.raw`${DAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*\+\s*)${DAY})*`;
const NTH = String.raw`(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|last)`;
const NTHS = String.raw`${NTH}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)${NTH})*`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const OF_MONTH = String.raw`(?:\s+(?:day\s+)?(?:of\s+(?:the|each|every)\s+month|(?:of\s+)?every\s+month|monthly))?`;
const COUNT = String.raw`(?:\d{1,2}|other|two|three|four|five|six)`;

const NUMBERS: Readonly<Record<string, number>> = {
  other: 2,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  last: -1,
};
const numberOf = (word: string) => NUMBERS[word.toLowerCase()] ?? Number.parseInt(word, 10);
const allOf = (pattern: string, text: string) => [...text.matchAll(new RegExp(pattern, 'gi'))].map(([match]) => match);
const dayOf = (name: string) => WEEKDAYS.find((day) => name.toLowerCase().startsWith(day)) ?? 'mo';
const monthOf = (name: string) => MONTHS.indexOf(name.toLowerCase().slice(0, 3)) + 1;

const FREQ = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const;
const HOURS: Readonly<Record<string, number>> = { morning: 8, afternoon: 15, evening: 19, night: 21 };
const ADVERBS = { daily: 'daily', weekly: 'weekly', monthly: 'monthly', yearly: 'yearly', annually: 'yearly' } as const;

type Groups = Readonly<Record<string, string | undefined>>;
type RulePattern = readonly [pattern: string, read: (groups: Groups) => Omit<ParsedRecurrence, 'text'>];

/** Tried in this order: specific patterns come before general ones. */
const RULE_PATTERNS: readonly RulePattern[] = [
  [
    String.raw`(?:every|each)\s+(?<nth>${NTHS})\s+(?<day>${DAY})${OF_MONTH}`,
    ({ nth = '', day = '' }) => ({
      rule: { freq: 'monthly', by_weekday: allOf(NTH, nth).map((word) => `${numberOf(word)}${dayOf(day)}`) },
    }),
  ],
  [
    String.raw`(?:every|each)\s+last\s+day(?:\s+of\s+(?:the|each|every)\s+month)?`,
    () => ({ rule: { freq: 'monthly', by_month_day: [-1] } }),
  ],
  [
    String.raw`(?:every|each)\s+(?:(?<month>${MONTH})\s+(?<day>\d{1,2})(?:st|nd|rd|th)?|(?<day2>\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(?<month2>${MONTH}))\b`,
    ({ month, month2, day, day2 }) => ({
      rule: {
        freq: 'yearly',
        by_month: [monthOf(month ?? month2 ?? '')],
        by_month_day: [Number(day ?? day2)],
      },
    }),
  ],
  [
    String.raw`(?:every|each)\s+(?:month\s+on\s+(?:the\s+)?)?(?<nth>${NTHS})${OF_MONTH}|(?:on\s+)?the\s+(?<nth2>${NTHS})\s+(?:of\s+(?:each|every)\s+month)`,
    ({ nth, nth2 }) => ({ rule: { freq: 'monthly', by_month_day: allOf(NTH, nth ?? nth2 ?? '').map(numberOf) } }),
  ],
  [
    String.raw`(?:every|each)\s+(?:(?<count>${COUNT})\s+)?weeks?\s+on\s+(?<days>${DAYS})|(?:every|each)\s+(?:(?<other>other|second)\s+)?(?<days2>${DAYS})`,
    ({ count, other, days, days2 }) => ({
      rule: {
        freq: 'weekly',
        ...intervalOf(count ?? other),
        by_weekday: [...new Set(allOf(DAY, days ?? days2 ?? '').map(dayOf))],
      },
    }),
  ],
  [
    String.raw`(?:every|each)\s+(?<count>${COUNT})\s+(?<unit>day|week|month|year)s?`,
    ({ count, unit }) => ({
      rule: { freq: FREQ[(unit ?? 'day').toLowerCase() as keyof typeof FREQ], ...intervalOf(count) },
    }),
  ],
  [
    String.raw`(?:(?:every|each)\s+(?:week|work(?:ing)?\s*)day|(?:on\s+)?weekdays)`,
    () => ({ rule: { freq: 'weekly', by_weekday: WEEKDAYS.slice(0, 5) } }),
  ],
  [
    String.raw`(?:(?:every|each)\s+weekend|(?:on\s+)?weekends)`,
    () => ({ rule: { freq: 'weekly', by_weekday: ['sa', 'su'] } }),
  ],
  [
    String.raw`(?:every|each)\s+(?<part>morning|afternoon|evening|night)`,
    ({ part }) => ({ rule: { freq: 'daily' }, hour: HOURS[(part ?? '').toLowerCase()] ?? 8 }),
  ],
  [
    String.raw`(?:every|each)\s+(?<unit>day|week|month|year)`,
    ({ unit }) => ({ rule: { freq: FREQ[(unit ?? 'day').toLowerCase() as keyof typeof FREQ] } }),
  ],
  [
    `(?<word>daily|weekly|monthly|yearly|annually)`,
    ({ word }) => ({ rule: { freq: ADVERBS[(word ?? 'daily').toLowerCase() as keyof typeof ADVERBS] } }),
  ],
];

function intervalOf(count: string | undefined): { interval?: number } {
  const interval = count === undefined ? 1 : numberOf(count);
  return interval > 1 ? { interval } : {};
}

/** What can follow the rule: the number of times, or that it counts from completion. */
const END_PATTERNS: readonly [pattern: RegExp, read: (match: RegExpExecArray) => Partial<Recurrence>][] = [
  [/\s+(?:for\s+)?(\d{1,3})\s+times\b/i, ([, times]) => ({ count: Number(times) })],
  [
    /\s+(?:after|when|once)\s+(?:i(?:'ve)?\s+)?(?:done|completion|completed|finished|doing\s+it)\b/i,
    () => ({ from: 'completion' }),
  ],
];

export function parseRecurrence(text: string): ParsedRecurrence | undefined {
  for (const [pattern, read] of RULE_PATTERNS) {
    const match = new RegExp(String.raw`\b(?:${pattern})\b`, 'i').exec(text);
    if (match) return withEnd(text, match[0], read(match.groups ?? {}));
  }
  return undefined;
}

function withEnd(text: string, words: string, found: Omit<ParsedRecurrence, 'text'>): ParsedRecurrence {
  let matched = words;
  let rule = found.rule;
  for (const [pattern, read] of END_PATTERNS) {
    const match = pattern.exec(text);
    if (!match) continue;
    rule = { ...rule, ...read(match) };
    if (text.includes(matched + match[0])) matched += match[0];
  }
  return { ...found, rule, text: matched };
}
