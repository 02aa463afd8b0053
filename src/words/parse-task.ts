/**
 * Parses a task in plain words: "pay rent every 1st 9am". The user sees the result before it is saved; still, leaving
 * words in the title is better than misreading them.
 */
import { type DateContext, dateReaders, endReaders } from './find-date.ts';
import { type Repeat, takeRepeat } from './find-rule.ts';
import {
  type FoundTime,
  rangeReaders,
  soonReaders,
  steppedWindowReaders,
  timeReaders,
  windowReaders,
} from './find-time.ts';
import { numberOf } from './lexicon.ts';
import type { Recurrence } from './recurrence.ts';
import { PHRASE_END, type Reader, RemainingText, wholeWords } from './remaining-text.ts';
import {
  type FoundWords,
  isWithinDay,
  type Moment,
  type Schedule,
  type ScheduleOptions,
  settle,
  stepMinutes,
} from './schedule.ts';
import { toWallTime } from './wall-time.ts';

export interface ParsedTask extends Schedule {
  readonly title: string;
  readonly mustNotMiss: boolean;
  readonly once: boolean;
  readonly leadDays: number | null;
}

/** A part of the result that the user can reject; its words then stay in the title. */
export type ParsedPart = 'due' | 'recurrence' | 'mustNotMiss' | 'once' | 'leadDays';

export interface ParseOptions extends ScheduleOptions {
  /** 3/12 is the third of December. */
  readonly dayFirst: boolean;
  readonly ignored?: ReadonlySet<ParsedPart>;
}

/** "the important email" is an email; "important" as the last or the first word is a mark. */
const MUST_NOT_MISS: Reader<boolean> = [
  /(?<=^|\s)(?:!{1,3}|must[\s-]not[\s-]miss)(?=\s|$)|(?<=\s)important!*\s*$|^\s*important\s*[:!]/gi,
  () => true,
];
const ONCE: Reader<boolean> = [wholeWords('just once|only once|remind (?:me )?once|notify once|once only'), () => true];
const MAX_LEAD_DAYS = 30;
const MAX_TITLE_LENGTH = 200;
const LEAD: Reader<number> = [
  wholeWords(
    String.raw`(?<led>(?:with )?(?:a )?heads[\s-]?up |(?:(?<=^\s*)|(?=remind me \S+ \S+ \S+\s*$))remind me )?(?<count>\d{1,2}|a|one|two|three) (?<unit>day|week)s? (?:before|ahead|earlier|heads[\s-]?up|in advance)(?:(?<ends>${PHRASE_END})|)`,
  ),
  ({ groups }) => {
    const { led, count = '', unit, ends } = groups ?? {};
    // "call the doctor a week before the wedding" is the task itself.
    if (led === undefined && ends === undefined) return undefined;
    return Math.min(numberOf(count) * (unit === 'week' ? 7 : 1), MAX_LEAD_DAYS);
  },
];

export function parseTask(text: string, options: ParseOptions): ParsedTask {
  const { ignored = new Set() } = options;
  const rest = new RemainingText(text);
  const mustNotMiss = (!ignored.has('mustNotMiss') && rest.take([MUST_NOT_MISS])) || false;
  const once = (!ignored.has('once') && rest.take([ONCE])) || false;
  const leadDays = ignored.has('leadDays') ? null : (rest.take([LEAD]) ?? null);
  const found = takeSchedule(rest, options, ignored);
  const title = (rest.words() || text.trim()).slice(0, MAX_TITLE_LENGTH);
  const schedule = settle(options, found, title);
  const needsDue = once || leadDays !== null;
  // Without a moment "2 days before" says nothing about reminders.
  if (needsDue && !schedule.due)
    return parseTask(text, { ...options, ignored: new Set([...ignored, 'once', 'leadDays']) });
  return { title, ...schedule, mustNotMiss, once, leadDays };
}

/** Reads a text that must be nothing but a moment or a rule. Undefined if it is neither, or any other word is left. */
export function readSchedule(text: string, options: Omit<ParseOptions, 'ignored'>): Schedule | undefined {
  const rest = new RemainingText(text);
  const found = takeSchedule(rest, options, new Set());
  const schedule = settle(options, found, '');
  return schedule.due && rest.words() === '' ? schedule : undefined;
}

function takeSchedule(rest: RemainingText, options: ParseOptions, ignored: ReadonlySet<ParsedPart>): FoundWords {
  const context: DateContext = { today: toWallTime(options.now, options.zone), dayFirst: options.dayFirst };
  const isOpen = (...parts: ParsedPart[]) => !parts.some((part) => ignored.has(part));
  const window = isOpen('due', 'recurrence') ? takeWindowOnDays(rest) : undefined;
  const repeat = window?.repeat ?? (isOpen('recurrence') ? takeRepeat(rest) : undefined);
  const until = repeat && rest.take(endReaders(context))?.date;
  return { ...(isOpen('due') && takeMoment(rest, context, options, repeat, window?.time)), repeat, until };
}

function takeMoment(
  rest: RemainingText,
  context: DateContext,
  { now, zone }: ParseOptions,
  repeat: Repeat | undefined,
  times: FoundTime | undefined,
): Moment {
  const minutes = rest.take(soonReaders);
  if (minutes !== undefined) return { soon: toWallTime(now + minutes * 60_000, zone) };
  const day = rest.take(dateReaders(context));
  if (times) return { day, time: times };
  return { day, time: isWithinDay(repeat?.rule ?? null) ? takeWindow(rest, repeat?.rule) : rest.take(timeReaders) };
}

/** "Every hour from 9 to 5 on weekdays": the window gives the times of the days. */
function takeWindowOnDays(rest: RemainingText): { repeat: Repeat; time: FoundTime } | undefined {
  return rest.attempt(() => {
    const time = rest.take(steppedWindowReaders);
    const repeat = time && takeRepeat(rest);
    return time && repeat?.rule.freq === 'weekly' && repeat.rule.by_weekday ? { repeat, time } : undefined;
  });
}

/** What no rule can say, as "every hour from 9pm to 6am" and "every 4 hours at 8 and 9", stays in the title. */
function takeWindow(rest: RemainingText, rule: Recurrence | undefined): FoundTime | undefined {
  const window = rule?.from === undefined && rest.take(windowReaders(stepMinutes(rule)));
  if (window) return window;
  const singly = timeReaders.map(
    ([pattern, read]): Reader<FoundTime> => [
      pattern,
      (match) => {
        const time = read(match);
        return time && time.times.length < 2 ? time : undefined;
      },
    ],
  );
  return rest.has(rangeReaders) ? undefined : rest.take(singly);
}
