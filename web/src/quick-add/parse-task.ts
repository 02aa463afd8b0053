/**
 * Parses a task in plain words: "pay rent every 1st 9am". The user sees the result before it is saved; still, leaving
 * words in the title is better than misreading them.
 */
import { beginsOn, type Recurrence } from '../recurrence/recurrence.ts';
import { addDays, formatIsoDate, formatIsoTime, toInstant, toWallTime, type WallTime } from '../time/wall-time.ts';
import { type DateContext, dateReaders, endReaders, isBefore, later, type ReadDate } from './read-date.ts';
import { type Repeat, takeRepeat } from './read-repeat.ts';
import {
  type ClockTime,
  type ReadTime,
  rangeReaders,
  steppedWindowReaders,
  timeReaders,
  windowReaders,
} from './read-time.ts';
import { PHRASE_END, type Reader, RemainingText, wholeWords } from './remaining-text.ts';
import { COUNT, type Day, numberOf, PART_ENDS, PART_HOURS, type PartOfDay } from './word-lists.ts';

export interface ParsedTask {
  readonly title: string;
  readonly due: WallTime | null;
  readonly hasTime: boolean;
  readonly recurrence: Recurrence | null;
  readonly mustNotMiss: boolean;
  readonly once: boolean;
  readonly leadDays: number | null;
  /** The words name a moment that has passed. */
  readonly isPast: boolean;
  /** Whether 3/12 could also be read the other way round. */
  readonly isAmbiguous: boolean;
}

/** A part of the result that the user can reject; its words then stay in the title. */
export type ParsedPart = 'due' | 'recurrence' | 'mustNotMiss' | 'once' | 'leadDays';

export interface ParseOptions {
  readonly now: number;
  readonly zone: string;
  /** 3/12 is the third of December. */
  readonly dayFirst: boolean;
  /** The person writes 18:30 for the evening, so 6:30 is in the morning. */
  readonly is24Hour?: boolean;
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
/** Reaches the next 29 February, up to eight years ahead. */
const MAX_SEARCH_DAYS = 366 * 8;

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
  const settled = new Schedule(options, moment, repeat, until, title).settle();
  const needsDue = once || leadDays !== null;
  // Without a moment "2 days before" says nothing about reminders.
  if (needsDue && !settled.due)
    return parseTask(text, { ...options, ignored: new Set([...ignored, 'once', 'leadDays']) });
  return { title, ...settled, mustNotMiss, once, leadDays };
}

interface Moment {
  readonly soon?: WallTime;
  readonly day?: ReadDate | undefined;
  readonly time?: ReadTime | undefined;
}

function takeMoment(
  rest: RemainingText,
  context: DateContext,
  { now, zone }: ParseOptions,
  repeat: Repeat | undefined,
  times: ReadTime | undefined,
): Moment {
  const minutes = rest.take([SOON]);
  if (minutes !== undefined) return { soon: toWallTime(now + minutes * 60_000, zone) };
  const day = rest.take(dateReaders(context));
  if (times) return { day, time: times };
  return { day, time: isWithinDay(repeat?.rule ?? null) ? takeWindow(rest, repeat?.rule) : rest.take(timeReaders) };
}

/** "Every hour from 9 to 5 on weekdays": the window gives the times of the days. */
function takeWindowOnDays(rest: RemainingText): { repeat: Repeat; time: ReadTime } | undefined {
  return rest.attempt(() => {
    const time = rest.take(steppedWindowReaders);
    const repeat = time && takeRepeat(rest);
    return time && repeat?.rule.freq === 'weekly' && repeat.rule.by_weekday ? { repeat, time } : undefined;
  });
}

/** What no rule can say, as "every hour from 9pm to 6am" and "every 4 hours at 8 and 9", stays in the title. */
function takeWindow(rest: RemainingText, rule: Recurrence | undefined): ReadTime | undefined {
  const window = rule?.from === undefined && rest.take(windowReaders(stepMinutes(rule)));
  if (window) return window;
  const singly = timeReaders.map(
    ([pattern, read]): Reader<ReadTime> => [
      pattern,
      (match) => {
        const time = read(match);
        return time && time.times.length < 2 ? time : undefined;
      },
    ],
  );
  return rest.has(rangeReaders) ? undefined : rest.take(singly);
}

type Half = 'am' | 'pm';
const EVENING_WORDS = /\b(?:dinner|supper|party|drinks|concert|cinema|movie|theatre|bed|sleep)\b/i;
const MORNING_WORDS = /\b(?:wake|get up|breakfast|alarm|sunrise|school run|jog)\b/i;

const halfOf = (part: PartOfDay | undefined): Half => (part === 'morning' ? 'am' : 'pm');

function halfOfWords(title: string): Half | undefined {
  if (MORNING_WORDS.test(title)) return 'am';
  return EVENING_WORDS.test(title) ? 'pm' : undefined;
}

/** Settles what the words leave open: which half of the day, which day, and where a series begins. */
class Schedule {
  readonly #options: ParseOptions;
  readonly #today: WallTime;
  readonly #day: ReadDate | undefined;
  readonly #soon: WallTime | undefined;
  readonly #repeat: Repeat | undefined;
  readonly #until: Day | undefined;
  readonly #times: readonly WallClock[];

  constructor(
    options: ParseOptions,
    moment: Moment,
    repeat: Repeat | undefined,
    until: Day | undefined,
    title: string,
  ) {
    this.#options = options;
    this.#today = toWallTime(options.now, options.zone);
    this.#day = moment.day;
    this.#soon = moment.soon;
    this.#repeat = repeat;
    this.#until = until;
    this.#times = this.#settleTimes(moment, title);
  }

  settle(): Pick<ParsedTask, 'due' | 'hasTime' | 'recurrence' | 'isPast' | 'isAmbiguous'> {
    const rule = this.#rule();
    const isAmbiguous = this.#day?.other !== undefined;
    const hasTime = this.#times.length > 0 || this.#soon !== undefined || isWithinDay(rule);
    const due = this.#due(rule);
    if (due === null) return { due, hasTime: false, recurrence: null, isPast: false, isAmbiguous };
    const isPast = hasTime ? this.#isPast(due) : isBefore(due, this.#today);
    return { due, hasTime, recurrence: rule && this.#withEnd(rule, due), isPast, isAmbiguous };
  }

  #settleTimes({ day, time }: Moment, title: string): WallClock[] {
    const named = time?.part ?? day?.part;
    const parts = named ? [named] : (this.#repeat?.parts ?? []);
    if (time && time.times.length > 0) {
      const half = (parts.length === 1 && halfOf(parts[0])) || halfOfWords(title);
      const times: WallClock[] = [];
      for (const one of time.times) {
        times.push(afterwards(this.#settleHour(one, half, time.times.length === 1), one.isExact, times.at(-1)));
      }
      return times.sort((a, b) => a.hour - b.hour || a.minute - b.minute);
    }
    if (parts.length > 0) return parts.map((name) => this.#timeOf(name));
    return (this.#repeat?.times ?? []).map((written) => {
      const [hour = 0, minute = 0] = written.split(':').map(Number);
      return { hour, minute };
    });
  }

  /** "this evening", written in the evening, is the next full hour. */
  #timeOf(part: PartOfDay): WallClock {
    const [hour, now] = [PART_HOURS[part], this.#today.hour];
    const isNow = this.#day?.part === part && isSameDay(this.#day.date, this.#today);
    if (!isNow || now < hour || now >= PART_ENDS[part]) return { hour, minute: 0 };
    return now === 23 ? { hour: 23, minute: 59 } : { hour: now + 1, minute: 0 };
  }

  #settleHour({ hour, minute, isExact, isPrecise }: ClockTime, half: Half | undefined, isOnly: boolean): WallClock {
    const [early, late] = [
      { hour, minute },
      { hour: hour + 12, minute },
    ];
    if (isExact || hour >= 12 || (isPrecise && this.#options.is24Hour)) return early;
    if (half) return half === 'am' && hour >= 4 ? early : late;
    if (hour <= 6) return late;
    // "call mum at 8", written at ten: this evening.
    const isForToday = isOnly && !this.#repeat && (!this.#day || isSameDay(this.#day.date, this.#today));
    const isOver = this.#isPast({ ...this.#today, ...early }) && !this.#isPast({ ...this.#today, ...late });
    return isForToday && isOver ? late : early;
  }

  #rule(): Recurrence | null {
    const rule = this.#repeat?.rule ?? null;
    if (this.#times.length < 2) return rule;
    const by_time = this.#times.map((time) => formatIsoTime({ ...this.#today, ...time }));
    if (!rule) return { freq: 'daily', by_time, count: by_time.length };
    if (!isWithinDay(rule)) return { ...rule, by_time };
    const { interval, ...ends } = rule;
    return { ...ends, freq: 'daily', by_time };
  }

  #due(rule: Recurrence | null): WallTime | null {
    if (this.#soon) return this.#soon;
    const [time] = this.#times;
    if (!this.#day && !time && !rule) return null;
    // A date without a time is at noon, so that it stays the same date when the account's zone changes by some hours.
    const first: WallTime = { ...this.#today, ...this.#day?.date, ...(time ?? { hour: 12, minute: 0 }) };
    if (this.#day && !rule) return first;
    if (rule && isWithinDay(rule) && !this.#day && !time) return this.#afterInterval(rule);
    return this.#firstFit(first, rule);
  }

  /** The first day that fits, and of its times the first that is ahead. */
  #firstFit(first: WallTime, rule: Recurrence | null): WallTime {
    let due = first;
    for (let day = 0; day < MAX_SEARCH_DAYS; day += 1) {
      if (rule === null || beginsOn(rule, due)) {
        if (this.#times.length === 0) return due;
        const ahead = this.#times.map((time) => ({ ...due, ...time })).find((moment) => !this.#isPast(moment));
        if (ahead) return ahead;
      }
      due = addDays(due, 1);
    }
    return due;
  }

  /** "Every 4 hours" begins in four hours. */
  #afterInterval(rule: Recurrence): WallTime {
    return toWallTime(this.#options.now + stepMinutes(rule) * 60_000, this.#options.zone);
  }

  #withEnd(rule: Recurrence, due: WallTime): Recurrence {
    if (this.#until) return { ...rule, until: formatIsoDate({ ...due, ...this.#until }) };
    const duration = this.#repeat?.duration;
    if (!duration) return rule;
    const end = later(due, duration.count, duration.unit.toLowerCase());
    return { ...rule, until: formatIsoDate(addDays({ ...due, ...end }, -1)) };
  }

  #isPast(wall: WallTime): boolean {
    return toInstant(wall, this.#options.zone) <= this.#options.now;
  }
}

type WallClock = Pick<WallTime, 'hour' | 'minute'>;

/** "8, 2 and 8" go on through the day. */
function afterwards(time: WallClock, isExact: boolean, previous: WallClock | undefined): WallClock {
  const isAfter =
    !previous || time.hour > previous.hour || (time.hour === previous.hour && time.minute > previous.minute);
  return isExact || isAfter || time.hour >= 12 ? time : { ...time, hour: time.hour + 12 };
}

const stepMinutes = ({ freq, interval = 1 }: Partial<Recurrence> = {}) => interval * (freq === 'hourly' ? 60 : 1);
const isWithinDay = (rule: Recurrence | null) => rule?.freq === 'hourly' || rule?.freq === 'minutely';
const isSameDay = (one: Day, two: Day) => one.year === two.year && one.month === two.month && one.day === two.day;
