/** Settles what the words of a task leave open: which half of the day, which day, and where a series begins. */
import { isBefore, isSameDay, later } from './days.ts';
import type { FoundDate } from './find-date.ts';
import type { Repeat } from './find-rule.ts';
import type { FoundTime } from './find-time.ts';
import { PART_ENDS, PART_HOURS, type PartOfDay } from './lexicon.ts';
import type { ClockTime } from './read-time.ts';
import { beginsOn, type Recurrence } from './recurrence.ts';
import {
  addDays,
  type Day,
  formatIsoDate,
  formatIsoTime,
  type TimeOfDay,
  toInstant,
  toWallTime,
  type WallTime,
} from './wall-time.ts';

export interface ScheduleOptions {
  readonly now: number;
  readonly zone: string;
  /** The person writes 18:30 for the evening, so 6:30 is in the morning. */
  readonly is24Hour?: boolean;
}

export interface Schedule {
  readonly due: WallTime | null;
  readonly hasTime: boolean;
  readonly recurrence: Recurrence | null;
  /** The words name a moment that has passed. */
  readonly isPast: boolean;
  /** Whether 3/12 could also be read the other way round. */
  readonly isAmbiguous: boolean;
}

export interface Moment {
  readonly soon?: WallTime;
  readonly day?: FoundDate | undefined;
  readonly time?: FoundTime | undefined;
}

export interface FoundWords extends Moment {
  readonly repeat: Repeat | undefined;
  readonly until: Day | undefined;
}

/** The title can tell which half of the day is meant: "dinner at 8". */
export const settle = (options: ScheduleOptions, found: FoundWords, title: string): Schedule =>
  new Settlement(options, found, title).settle();

/** Reaches the next 29 February, up to eight years ahead. */
const MAX_SEARCH_DAYS = 366 * 8;

type Half = 'am' | 'pm';
const EVENING_WORDS = /\b(?:dinner|supper|party|drinks|concert|cinema|movie|theatre|bed|sleep)\b/i;
const MORNING_WORDS = /\b(?:wake|get up|breakfast|alarm|sunrise|school run|jog)\b/i;

const halfOf = (part: PartOfDay | undefined): Half => (part === 'morning' ? 'am' : 'pm');

function halfOfWords(title: string): Half | undefined {
  if (MORNING_WORDS.test(title)) return 'am';
  return EVENING_WORDS.test(title) ? 'pm' : undefined;
}

class Settlement {
  readonly #options: ScheduleOptions;
  readonly #today: WallTime;
  readonly #day: FoundDate | undefined;
  readonly #soon: WallTime | undefined;
  readonly #repeat: Repeat | undefined;
  readonly #until: Day | undefined;
  readonly #times: readonly TimeOfDay[];

  constructor(options: ScheduleOptions, found: FoundWords, title: string) {
    this.#options = options;
    this.#today = toWallTime(options.now, options.zone);
    this.#day = found.day;
    this.#soon = found.soon;
    this.#repeat = found.repeat;
    this.#until = found.until;
    this.#times = this.#settleTimes(found, title);
  }

  settle(): Schedule {
    const rule = this.#rule();
    const isAmbiguous = this.#day?.other !== undefined;
    const hasTime = this.#times.length > 0 || this.#soon !== undefined || isWithinDay(rule);
    const due = this.#due(rule);
    if (due === null) return { due, hasTime: false, recurrence: null, isPast: false, isAmbiguous };
    const isPast = hasTime ? this.#isPast(due) : isBefore(due, this.#today);
    return { due, hasTime, recurrence: rule && this.#withEnd(rule, due), isPast, isAmbiguous };
  }

  #settleTimes({ day, time }: Moment, title: string): TimeOfDay[] {
    const named = time?.part ?? day?.part;
    const parts = named ? [named] : (this.#repeat?.parts ?? []);
    if (time && time.times.length > 0) {
      const half = (parts.length === 1 && halfOf(parts[0])) || halfOfWords(title);
      const times: TimeOfDay[] = [];
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
  #timeOf(part: PartOfDay): TimeOfDay {
    const [hour, now] = [PART_HOURS[part], this.#today.hour];
    const isNow = this.#day?.part === part && isSameDay(this.#day.date, this.#today);
    if (!isNow || now < hour || now >= PART_ENDS[part]) return { hour, minute: 0 };
    return now === 23 ? { hour: 23, minute: 59 } : { hour: now + 1, minute: 0 };
  }

  #settleHour({ hour, minute, isExact, isPrecise }: ClockTime, half: Half | undefined, isOnly: boolean): TimeOfDay {
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
    const by_time = this.#times.map(formatIsoTime);
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
    if (this.#until) return { ...rule, until: formatIsoDate(this.#until) };
    const duration = this.#repeat?.duration;
    if (!duration) return rule;
    const end = later(due, duration.count, duration.unit);
    return { ...rule, until: formatIsoDate(addDays(end, -1)) };
  }

  #isPast(wall: WallTime): boolean {
    return toInstant(wall, this.#options.zone) <= this.#options.now;
  }
}

/** "8, 2 and 8" go on through the day. */
function afterwards(time: TimeOfDay, isExact: boolean, previous: TimeOfDay | undefined): TimeOfDay {
  const isAfter =
    !previous || time.hour > previous.hour || (time.hour === previous.hour && time.minute > previous.minute);
  return isExact || isAfter || time.hour >= 12 ? time : { ...time, hour: time.hour + 12 };
}

export const stepMinutes = ({ freq, interval = 1 }: Partial<Recurrence> = {}) =>
  interval * (freq === 'hourly' ? 60 : 1);
export const isWithinDay = (rule: Recurrence | null) => rule?.freq === 'hourly' || rule?.freq === 'minutely';
