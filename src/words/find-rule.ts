/** Finds the rule of a sentence, with what can stand beside it: "every tuesday 10 times", "daily except sunday", "for 5 days". */
import { COMPLETION } from './completion.ts';
import { takeHours } from './find-window.ts';
import type { FoundRule } from './found-rule.ts';
import type { Choices, GuessKind } from './guess.ts';
import { COUNT, COUNT_WORD, numberOf, ORDINAL_DAY } from './lexicon.ts';
import { WEEKDAY_CODES } from './names.ts';
import { PHRASE_END, type Reader, type RemainingText, wholeWords } from './remaining-text.ts';
import { WEEKEND } from './rhythms.ts';
import { DAYS, PLACES, RULES } from './rule-patterns.ts';
import { daysIn, placesIn } from './rule-words.ts';

interface Duration {
  readonly count: number;
  readonly unit: string;
}

const countIn = (source: string): Reader<number> => [
  wholeWords(source),
  ({ groups }) => numberOf(groups?.count ?? groups?.count2 ?? ''),
];
const TIMES = countIn(String.raw`(?:for |(?<=,\s*))(?<count>\d{1,3}|${COUNT_WORD}) times|x\s?(?<count2>\d{1,3})`);
/** "every tuesday 10 times" is ten tuesdays, but "every week 3 times" may be three times in each week. */
const TIMES_OF_DAYS = countIn(String.raw`(?<count>\d{1,3}|${COUNT_WORD}) times`);
/** "every day at 22:00 ten times", but not "every day 3 times" nor "jump 50 times every day". */
const TIMES_AFTER_CLOCK = countIn(
  String.raw`(?<=(?:\d[:.]\d\d|\d(?:\s?[ap]m)?|noon|midnight|o['’]clock|morning|evening|night)\s)(?<count>\d{1,3}|${COUNT_WORD}) times${PHRASE_END}`,
);
/** "every month 12 times" can only be the number of months. */
const MOST_TIMES_IN: Readonly<Partial<Record<string, number>>> = { weekly: 7, monthly: 4, yearly: 4 };
function manyTimes(freq: string): Reader<number> {
  const [[pattern, read], most = Number.POSITIVE_INFINITY] = [TIMES_OF_DAYS, MOST_TIMES_IN[freq]];
  return [
    pattern,
    (match, written) => {
      const count = read(match, written) ?? 0;
      return count > most ? count : undefined;
    },
  ];
}
const DURATION: Reader<Duration> = [
  wholeWords(`for (?:the next )?(?<count>${COUNT}) (?<unit>day|night|week|fortnight|month|year)s?`),
  ({ groups }) => ({ count: numberOf(groups?.count ?? ''), unit: groups?.unit ?? '' }),
];

export interface Repeat extends FoundRule {
  readonly duration: Duration | undefined;
}

/** What is one date unless the person says that it repeats: "first tuesday of the month". */
const OF_THE_MONTH: readonly (readonly Reader<FoundRule>[])[] = [
  [
    [
      wholeWords(`(?:on )?(?:the )?(?<places>${PLACES})(?: (?:of|in) (?:the )?month)?`),
      ({ groups }) => ({ rule: { freq: 'monthly', by_weekday: placesIn(groups?.places ?? '') } }),
    ],
  ],
  [
    [
      wholeWords(String.raw`(?:(?:on|by|due) )?(?:the )?(?<nth>\d{1,2}(?:st|nd|rd|th)|${ORDINAL_DAY}) of the month`),
      ({ groups }) => ({ rule: { freq: 'monthly', by_month_day: [numberOf(groups?.nth ?? '')] } }),
    ],
  ],
];

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

/** "8am and 8pm for 7 days": several times that go on are a rule. "Hotel friday 3pm for 2 nights" is none. */
export function takeDaily(rest: RemainingText): Repeat | undefined {
  const duration = rest.take([DURATION]);
  return duration && { rule: { freq: 'daily' }, duration };
}

/** "read Tuesdays with Morrie", where the person said that it is a name. */
const withoutWork = (found: FoundRule | undefined, choices: Choices): FoundRule | undefined =>
  found?.guesses?.includes('words') && choices.has('words') ? undefined : found;

/** Also takes what can stand beside a rule: the number of times, for how long, and that it counts from completion. */
export function takeRepeat(rest: RemainingText, choices: Choices): Repeat | undefined {
  const read =
    rest.attempt(() => takeWithout(rest)) ??
    rest.attempt(() => withoutWork(rest.takeFirst(RULES), choices)) ??
    (choices.has('once') ? rest.takeFirst(OF_THE_MONTH) : undefined);
  if (!read) return undefined;
  const found = read.other && choices.has('rhythm') ? { ...read, rule: read.other } : read;
  const { by_weekday, by_month_day, freq } = found.rule;
  const namesDays =
    found.parts?.length === 1 ||
    by_weekday !== undefined ||
    by_month_day !== undefined ||
    freq === 'hourly' ||
    freq === 'minutely';
  const count = rest.take(namesDays ? [TIMES, TIMES_OF_DAYS] : [TIMES, TIMES_AFTER_CLOCK, manyTimes(freq)]);
  const duration = rest.take([DURATION]);
  const isFromCompletion = rest.take([COMPLETION]);
  const isOnce = found.listed !== undefined && count === undefined && duration === undefined;
  const ends = {
    ...(count && { count }),
    ...(isOnce && choices.has('days') && { count: found.listed }),
    ...(isFromCompletion && { from: 'completion' as const }),
  };
  const guesses: GuessKind[] = [
    ...(read.guesses ?? []),
    ...(isOnce ? ['days' as const] : []),
    ...(read.other ? ['rhythm' as const] : []),
  ];
  const rule = { ...found.rule, ...ends };
  return { ...found, rule: { ...rule, ...takeHours(rest, rule) }, duration, guesses };
}
