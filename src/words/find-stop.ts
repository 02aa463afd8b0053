/** Finds where a rule of hours or minutes ends: "every 15 minutes until 6pm", "every hour until friday noon", "for 2 hours". */
import { HOUR, NOON, SURE } from './clock-patterns.ts';
import { nextWeekday } from './days.ts';
import type { DateContext } from './found-date.ts';
import { COUNT, COUNT_WORD, MONTH, numberOf, TOMORROW, WEEKDAY, weekdayIndex } from './lexicon.ts';
import { type ClockTime, readTime } from './read-time.ts';
import { GAP, type Reader, wholeWords } from './remaining-text.ts';
import { addDays, type Day } from './wall-time.ts';

export interface Stop {
  /** The last time of the day, or for how long. */
  readonly time?: ClockTime;
  readonly minutes?: number;
  readonly day?: Day | undefined;
}

const DAY = `(?:${WEEKDAY}|today|tonight|${TOMORROW})`;
/** "until 12.06" is a date, "until 17.30" is none. */
const NO_DATE = String.raw`${HOUR}\.(?:00|1[3-9]|[2-5]\d)(?!\.)`;
const UNTIL = wholeWords(
  String.raw`(?:from now )?(?:until|till|til|up to) (?:(?<before>${DAY}),? )?(?:at )?(?<time>${SURE}|${NOON}|${NO_DATE}|(?:${HOUR}|${COUNT_WORD})(?! (?:more |of |${MONTH}(?![a-z])|[a-z]+s(?![a-z]))))(?:,? (?:on )?(?<after>${DAY}))?`,
);
const FOR = wholeWords(
  String.raw`(?<=${GAP}\s*)for (?:the next (?:(?<some>${COUNT}) )?|(?<count>${COUNT}) )(?<unit>minute|min|hour|hr)s?`,
);

export const stopReaders = (context: DateContext, stepMinutes: number): readonly Reader<Stop>[] => [
  [
    UNTIL,
    ({ groups }) => {
      const time = readTime(groups?.time ?? '');
      return time && { time, day: dayOf(groups?.before ?? groups?.after, context) };
    },
  ],
  [
    FOR,
    ({ groups }) => {
      const { some, count = some ?? 'a', unit = '' } = groups ?? {};
      const minutes = numberOf(count) * (unit.startsWith('h') ? 60 : 1);
      return minutes > stepMinutes ? { minutes } : undefined;
    },
  ],
];

function dayOf(name: string | undefined, { today }: DateContext): Day | undefined {
  if (name === undefined || name.startsWith('tod') || name.startsWith('ton')) return undefined;
  const weekday = weekdayIndex(name);
  return weekday < 0 ? addDays(today, 1) : nextWeekday(today, weekday);
}
