/** Settles what the words of a task leave open: which half of the day, which day, and where a series begins. */

import { isBefore, isSameDay, later } from './days.ts';
import type { Lag } from './find-offset.ts';
import type { Repeat } from './find-rule.ts';
import type { Stop } from './find-stop.ts';
import type { FoundDate } from './found-date.ts';
import type { FoundWords, Moment } from './found-words.ts';
import { type Choices, type Guess, type GuessKind, guessOf } from './guess.ts';
import { afterwards, type Half, halfInTitle, halfOf, isAfterMidnight, LAST_NIGHT_HOUR } from './half-of-day.ts';
import { PART_ENDS, PART_HOURS, type PartOfDay } from './lexicon.ts';
import type { ClockTime } from './read-time.ts';
import { beginsOn, isWithinDay, type Recurrence, stepMinutes } from './recurrence.ts';
import { MAX_COUNT, stoppedSeries } from './stopped-series.ts';
import {
  addDays,
  type Day,
  formatIsoDate,
  formatIsoTime,
  type TimeOfDay,
  toInstant,
  toTimeOfDay,
  toWallTime,
  type WallTime,
} from './wall-time.ts';

export interface ScheduleOptions {
  readonly now: number;
  readonly zone: string;
  /** The person writes 18:30 for the evening, so 6:30 is in the morning. */
  readonly is24Hour?: boolean;
  /** When the person's day starts, "09:00": the time of a morning. */
  readonly dayStart?: string;
  readonly choices?: Choices;
}

export interface Schedule {
  readonly due: WallTime | null;
  readonly hasTime: boolean;
  readonly recurrence: Recurrence | null;
  /** The words name a moment that has passed. */
  readonly isPast: boolean;
  /** What the words leave open, each once. */
  readonly guesses: readonly Guess[];
}

/** The title can tell which half of the day is meant: "dinner at 8". */
export const settle = (options: ScheduleOptions, found: FoundWords, title: string): Schedule =>
  new Settlement(options, found, title).settle();

/** Reaches the next 29 February, up to eight years ahead. */
const MAX_SEARCH_DAYS = 366 * 8;

class Settlement {
  readonly #options: ScheduleOptions;
  readonly #today: WallTime;
  readonly #day: FoundDate | undefined;
  readonly #soon: WallTime | undefined;
  readonly #repeat: Repeat | undefined;
  readonly #until: FoundDate | undefined;
  readonly #stop: Stop | undefined;
  readonly #lag: Lag | undefined;
  readonly #guesses = new Set<GuessKind>();
  readonly #times: readonly TimeOfDay[];
  /** "tonight at 1" and "30 minutes before 0:15": the time is on another day than the date says. */
  #dayOffset = 0;
  /** The day on which the night begins whose times are on the next one. */
  #nightOf: Day | undefined;

  constructor(options: ScheduleOptions, found: FoundWords, title: string) {
    this.#options = options;
    this.#today = toWallTime(options.now, options.zone);
    this.#day = found.day;
    this.#soon = found.soon;
    this.#repeat = found.repeat;
    this.#until = found.until;
    this.#stop = found.stop;
    this.#lag = found.lag;
    for (const part of [found.day, found.time, found.repeat, found.until])
      for (const kind of part?.guesses ?? []) if (kind !== 'once' || !found.repeat) this.#guesses.add(kind);
    if (found.isFew) this.#guesses.add('amount');
    if (found.isBeginning) this.#guesses.add('begin');
    if (found.hasName || found.isPriced) this.#guesses.add('name');
    if (found.lag?.isGuess) this.#guesses.add('before');
    this.#times = this.#settleTimes(found, title);
  }

  settle(): Schedule {
    const stopped = this.#stopped();
    const rule = stopped?.rule ?? this.#rule();
    const hasTime = this.#times.length > 0 || this.#soon !== undefined || isWithinDay(rule);
    const due = stopped?.due ?? this.#due(rule);
    const guesses = [...this.#guesses].map(guessOf);
    if (due === null) return { due, hasTime: false, recurrence: null, isPast: false, guesses };
    const isPast = hasTime ? this.#isPast(due) : isBefore(due, this.#today);
    return { due, hasTime, recurrence: rule && this.#withEnd(rule, due), isPast, guesses };
  }

  #isOther(kind: GuessKind): boolean {
    this.#guesses.add(kind);
    return this.#options.choices?.has(kind) ?? false;
  }

  #settleTimes({ day, time }: Moment, title: string): TimeOfDay[] {
    const named = time?.part ?? day?.part;
    const parts = named ? [named] : (this.#repeat?.parts ?? []);
    if (time && time.times.length > 0) {
      const times: TimeOfDay[] = [];
      for (const one of asSaid(time.times, parts)) {
        const half = parts.length === 1 ? halfOf(parts[0]) : this.#halfInTitle(one, title);
        const atNight = this.#atNight(one, parts);
        const settled = atNight ?? this.#settleHour(one, half, time.times.length === 1);
        times.push(atNight ?? afterwards(settled, one.isExact, times.at(-1)));
      }
      return times.map((one) => this.#lagging(one)).sort((a, b) => a.hour - b.hour || a.minute - b.minute);
    }
    if (parts.length > 0) return this.#timesOf(parts);
    return (this.#repeat?.times ?? []).map(toTimeOfDay);
  }

  #halfInTitle(time: ClockTime, title: string): Half | undefined {
    const told = this.#isSettled(time) ? undefined : halfInTitle(title, time.hour);
    if (!told || told.isSure || !this.#isOther('half')) return told?.half;
    return told.half === 'am' ? 'pm' : 'am';
  }

  #timesOf(parts: readonly PartOfDay[]): TimeOfDay[] {
    const isClear = parts.every((part) => part === 'morning' || part === 'noon');
    if (!isClear && !this.#repeat && this.#isOther('part')) return [];
    return parts.map((part) => this.#timeOf(part));
  }

  /** "tonight at 12" is midnight, and "tonight at 1" an hour later. */
  #atNight(time: ClockTime, [part]: readonly PartOfDay[]): TimeOfDay | undefined {
    if (part !== 'evening' && part !== 'night') return undefined;
    const { hour, minute, isExact } = time;
    if (hour === 12 && minute === 0) return { hour: 23, minute: 59 };
    // Of a rule with days of the week, the days would have to be others.
    if (this.#repeat && this.#repeat.rule.freq !== 'daily') return undefined;
    if (!isAfterMidnight(time, this.#day?.isNight ? 'night' : part)) return undefined;
    const late = { hour: (hour % 12) + 12, minute };
    if ((!isExact || hour === 12) && this.#isOther('half')) return late;
    const early = { hour: hour % 12, minute };
    if (!this.#isInNight(early)) this.#beginNight();
    return early;
  }

  /** "tonight at 3", written at one: in two hours. */
  #isInNight(time: TimeOfDay): boolean {
    const isTonight = !this.#day || isSameDay(this.#day.date, this.#today);
    return isTonight && this.#today.hour <= LAST_NIGHT_HOUR && !this.#isPast({ ...this.#today, ...time });
  }

  #beginNight(): void {
    this.#dayOffset = 1;
    this.#nightOf = this.#day?.date;
  }

  #lagging(time: TimeOfDay): TimeOfDay {
    const lag = this.#lag;
    if (!lag || (lag.isGuess && this.#isOther('before'))) return time;
    // The last minute of the day stands for midnight.
    const midnight = time.hour === 23 && time.minute === 59 ? 1 : 0;
    const total = time.hour * 60 + time.minute + midnight + lag.minutes;
    this.#dayOffset += Math.floor(total / MINUTES_A_DAY);
    const minutes = ((total % MINUTES_A_DAY) + MINUTES_A_DAY) % MINUTES_A_DAY;
    return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
  }

  /** "this evening", written in the evening, is the next full hour. */
  #timeOf(part: PartOfDay): TimeOfDay {
    const [usual, now] = [this.#usualTimeOf(part), this.#today.hour];
    const isNow = this.#day?.part === part && isSameDay(this.#day.date, this.#today);
    if (!isNow || now < usual.hour || now >= PART_ENDS[part]) return usual;
    return now === 23 ? { hour: 23, minute: 59 } : { hour: now + 1, minute: 0 };
  }

  #usualTimeOf(part: PartOfDay): TimeOfDay {
    const { dayStart } = this.#options;
    return part === 'morning' && dayStart ? toTimeOfDay(dayStart) : { hour: PART_HOURS[part], minute: 0 };
  }

  #isSettled({ hour, isExact, isPrecise }: ClockTime): boolean {
    return isExact || hour >= 12 || (isPrecise === true && this.#options.is24Hour === true);
  }

  #settleHour(time: ClockTime, half: Half | undefined, isOnly: boolean): TimeOfDay {
    const { hour, minute } = time;
    const [early, late] = [
      { hour, minute },
      { hour: hour + 12, minute },
    ];
    if (time.isExact || hour >= 12) return early;
    // "tonight at 7:30" is in the evening, also for those who write 19:30.
    if (half) return half === 'am' && (hour >= 4 || time.isPrecise) ? early : late;
    if (this.#isSettled(time)) return early;
    const isOther = this.#isOther('half');
    const isLate = hour <= 6 || this.#isOverToday(early, late, isOnly);
    return isLate === isOther ? early : late;
  }

  /** "call mum at 8", written at ten: this evening. */
  #isOverToday(early: TimeOfDay, late: TimeOfDay, isOnly: boolean): boolean {
    const isForToday = isOnly && !this.#repeat && (!this.#day || isSameDay(this.#day.date, this.#today));
    return isForToday && this.#isPast({ ...this.#today, ...early }) && !this.#isPast({ ...this.#today, ...late });
  }

  #rule(): Recurrence | null {
    const rule = this.#repeat?.rule ?? null;
    if (this.#times.length < 2) return rule;
    const by_time = this.#times.map(formatIsoTime);
    if (!rule) return { freq: 'daily', by_time, count: by_time.length };
    if (!isWithinDay(rule)) return { ...rule, by_time };
    if (this.#nightStart(rule)) return { ...rule, count: by_time.length };
    const { interval, ...ends } = rule;
    // "Tomorrow every hour from 9 to 17" is over tomorrow.
    const until = this.#day && this.#isOneDay(rule) && { until: formatIsoDate(this.#day.date) };
    return { ...ends, freq: 'daily', by_time, ...until };
  }

  /** "Every 15 minutes until 6pm" begins at the next quarter of an hour, and its last time is 18:00. */
  #stopped(): { rule: Recurrence; due: WallTime } | undefined {
    if (!this.#repeat || !this.#stop) return undefined;
    const start = this.#namedStart();
    return stoppedSeries(this.#repeat.rule, { ...this.#options, start, end: this.#endOf(this.#stop, start) });
  }

  /** Where the words say when it begins: "tomorrow every hour until 5pm". */
  #namedStart(): WallTime | undefined {
    const [time] = this.#times;
    if (!time && !this.#day) return undefined;
    const start = { ...this.#today, ...this.#day?.date, ...(time ?? this.#startOfDay()) };
    return !this.#day && this.#isPast(start) ? addDays(start, 1) : start;
  }

  /** In the morning; the other reading is the whole day. */
  #startOfDay(): TimeOfDay {
    return this.#isOther('part') ? { hour: 0, minute: 0 } : this.#usualTimeOf('morning');
  }

  #endOf({ time, minutes = 0, day }: Stop, start: WallTime | undefined): number {
    const { now, zone } = this.#options;
    const from = start ? toInstant(start, zone) : now;
    if (!time) return from + minutes * 60_000;
    const first = { ...(start ?? this.#today), ...day };
    const isOver =
      !this.#isSettled(time) && !day && toInstant({ ...first, hour: time.hour, minute: time.minute }, zone) <= from;
    const half = isOver ? (this.#isOther('half') ? 'am' : 'pm') : undefined;
    const last = { ...first, ...this.#settleHour(time, half, false) };
    const end = toInstant(toInstant(last, zone) > from ? last : addDays(last, 1), zone);
    // The last minute of the day stands for midnight.
    return last.hour === 23 && last.minute === 59 ? end + 60_000 : end;
  }

  #isOneDay(rule: Recurrence): boolean {
    return Boolean(this.#day && !this.#day.isStart && !this.#until && !this.#repeat?.duration && !rule.count);
  }

  /** "Friday every hour from 22:00 to 02:00" begins on Friday and counts into the next day. */
  #nightStart(rule: Recurrence | null): TimeOfDay | undefined {
    if (!rule || !isWithinDay(rule) || !this.#isOneDay(rule)) return undefined;
    const minutes = this.#times.map(({ hour, minute }) => hour * 60 + minute);
    return this.#times.find((_, at) => at > 0 && (minutes[at] ?? 0) - (minutes[at - 1] ?? 0) > stepMinutes(rule));
  }

  #due(rule: Recurrence | null): WallTime | null {
    if (this.#soon) return this.#soon;
    const [time] = this.#times;
    if (!this.#day && !time && !rule) return null;
    // A date without a time is at noon, so that it stays the same date when the account's zone changes by some hours.
    const day = { ...this.#today, ...this.#namedDay(time), ...(time ?? { hour: 12, minute: 0 }) };
    const first: WallTime = rule ? day : addDays(day, this.#dayOffset);
    if (this.#day && !rule) return first;
    const night = this.#nightStart(this.#repeat?.rule ?? null);
    if (night) return { ...first, ...night };
    if (rule && isWithinDay(rule) && !this.#day && !time) return this.#afterInterval(rule);
    return this.#firstFit(first, rule);
  }

  /** "monday 6pm", written on a Monday: today while it is ahead. Without a time it is the next one. */
  #namedDay(time: TimeOfDay | undefined): Day | undefined {
    if (!this.#day?.orToday || this.#repeat) return this.#day?.date;
    const isAhead = time !== undefined && !this.#isPast({ ...this.#today, ...time });
    if (time !== undefined && !isAhead) return this.#day.date;
    return isAhead === this.#isOther('week') ? this.#day.date : this.#today;
  }

  /** The first day that fits, and of its times the first that is ahead. */
  #firstFit(first: WallTime, rule: Recurrence | null): WallTime {
    let due = first;
    for (let day = 0; day < MAX_SEARCH_DAYS; day += 1) {
      if (rule === null || beginsOn(rule, due)) {
        if (this.#times.length === 0) return due;
        const moments = this.#times.map((time) => ({ ...due, ...time }));
        const ahead = moments.find((moment) => !this.#isPast(moment) && !this.#isBeforeNight(moment));
        if (ahead) return ahead;
      }
      due = addDays(due, 1);
    }
    return due;
  }

  /** "Tomorrow night at 10 and 1" begins at ten. */
  #isBeforeNight(moment: WallTime): boolean {
    return this.#nightOf !== undefined && isSameDay(moment, this.#nightOf) && moment.hour < 12;
  }

  /** "Every 4 hours" begins in four hours. */
  #afterInterval(rule: Recurrence): WallTime {
    const first = toWallTime(this.#options.now + stepMinutes(rule) * 60_000, this.#options.zone);
    const [start = '', end = '24'] = rule.between ?? [];
    const time = formatIsoTime(first);
    if (time >= start && time <= end) return first;
    return { ...(time < start ? first : addDays(first, 1)), ...toTimeOfDay(start) };
  }

  #withEnd(rule: Recurrence, due: WallTime): Recurrence {
    if (this.#until) return { ...rule, until: formatIsoDate(this.#until.date) };
    const duration = this.#repeat?.duration;
    if (!duration) return rule;
    const end = { ...due, ...later(due, duration.count, duration.unit) };
    const count = this.#timesBetween(due, end, rule);
    // "Every 8 hours for 5 days" is 15 times, also if the first one is in the evening.
    if (isWithinDay(rule) && !rule.from && count <= MAX_COUNT) return { ...rule, count };
    return { ...rule, until: formatIsoDate(addDays(end, -1)) };
  }

  #timesBetween(start: WallTime, end: WallTime, rule: Recurrence): number {
    const minutes = (toInstant(end, this.#options.zone) - toInstant(start, this.#options.zone)) / 60_000;
    return Math.max(Math.round(minutes / stepMinutes(rule)), 1);
  }

  #isPast(wall: WallTime): boolean {
    return toInstant(wall, this.#options.zone) <= this.#options.now;
  }
}

export const MINUTES_A_DAY = 24 * 60;

/** "at 3 in the morning" is early, though a jog at 3 is in the afternoon. */
const asSaid = (times: readonly ClockTime[], parts: readonly PartOfDay[]): readonly ClockTime[] =>
  times.length === 1 && parts.join() === 'morning' ? times.map((time) => ({ ...time, isExact: true })) : times;
