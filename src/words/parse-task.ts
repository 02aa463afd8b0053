/**
 * Parses a task in plain words: "pay rent every 1st 9am". The user sees the result before it is saved; still, leaving
 * words in the title is better than misreading them.
 */
import { type DateContext, dateReaders, endReaders } from './find-date.ts';
import { type Repeat, takeRepeat } from './find-rule.ts';
import { type FoundTime, rangeReaders, steppedWindowReaders, timeReaders, windowReaders } from './find-time.ts';
import { COUNT, numberOf } from './lexicon.ts';
import type { Recurrence } from './recurrence.ts';
import { PHRASE_END, type Reader, RemainingText, wholeWords } from './remaining-text.ts';
import { isWithinDay, type Moment, type Schedule, type ScheduleOptions, settle, stepMinutes } from './schedule.ts';
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
const LEAD: Reader<number> = [
  wholeWords(
    String.raw`(?<led>(?:with\s+)?(?:a\s+)?heads[\s-]?up\s+|(?:(?<=^\s*)|(?=remind\s+me\s+\S+\s+\S+\s+\S+\s*$))remind\s+me\s+)?(?<count>\d{1,2}|a|one|two|three)\s+(?<unit>day|week)s?\s+(?:before|ahead|earlier|heads[\s-]?up|in\s+advance)(?:(?<ends>${PHRASE_END})|)`,
  ),
  ({ groups }) => {
    const { led, count = '', unit, ends } = groups ?? {};
    // "call the doctor a week before the wedding" is the task itself.
    if (led === undefined && ends === undefined) return undefined;
    return Math.min(numberOf(count) * (/week/i.test(unit ?? '') ? 7 : 1), MAX_LEAD_DAYS);
  },
];
/** "in 20 minutes" is a moment, not a time of the day. */
const SOON: Reader<number> = [
  wholeWords(
    String.raw`in\s+(?:(?<half>half\s+an\s+hour)|(?<count>\d{1,3}(?:[.,]5)?(?=\s*[mh])|${COUNT}(?=\s))\s*(?<unit>minutes?|mins?|(?<=\d)m|hours?|hrs?|h)(?:\s*(?:and\s+)?(?<more>\d{1,2})\s*(?:minutes?|mins?|m)|(?<=h)(?<more2>\d\d)|(?<andHalf>\s+and\s+a\s+half))?)|(?<count2>${COUNT})\s+(?<unit2>minutes?|mins?|hours?|hrs?)\s+from\s+now`,
  ),
  ({ groups }) => {
    const { half, count, count2, unit, unit2, more, more2, andHalf } = groups ?? {};
    if (half) return 30;
    const written = (count ?? count2 ?? '').replace(',', '.');
    const units = (/^\d/.test(written) ? Number(written) : numberOf(written)) + (andHalf ? 0.5 : 0);
    return Math.round(units * (/^h/i.test(unit ?? unit2 ?? '') ? 60 : 1)) + Number(more ?? more2 ?? 0);
  },
];
export function parseTask(text: string, options: ParseOptions): ParsedTask {
  const { now, zone, dayFirst, ignored = new Set() } = options;
  const rest = new RemainingText(text);
  const unlessIgnored = <T>(part: ParsedPart, read: () => T) => (ignored.has(part) ? undefined : read());
  const mustNotMiss = unlessIgnored('mustNotMiss', () => rest.take([MUST_NOT_MISS])) ?? false;
  const once = unlessIgnored('once', () => rest.take([ONCE])) ?? false;
  const leadDays = unlessIgnored('leadDays', () => rest.take([LEAD])) ?? null;
  const context: DateContext = { today: toWallTime(now, zone), dayFirst };
  const window = unlessIgnored('due', () => unlessIgnored('recurrence', () => takeWindowOnDays(rest)));
  const repeat = window?.repeat ?? unlessIgnored('recurrence', () => takeRepeat(rest));
  const until = repeat && rest.take(endReaders(context))?.date;
  const moment = unlessIgnored('due', () => takeMoment(rest, context, options, repeat, window?.time)) ?? {};
  const title = rest.title(text);
  const settled = settle(options, { ...moment, repeat, until }, title);
  const needsDue = once || leadDays !== null;
  // Without a moment "2 days before" says nothing about reminders.
  if (needsDue && !settled.due)
    return parseTask(text, { ...options, ignored: new Set([...ignored, 'once', 'leadDays']) });
  return { title, ...settled, mustNotMiss, once, leadDays };
}

function takeMoment(
  rest: RemainingText,
  context: DateContext,
  { now, zone }: ParseOptions,
  repeat: Repeat | undefined,
  times: FoundTime | undefined,
): Moment {
  const minutes = rest.take([SOON]);
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
