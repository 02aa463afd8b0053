/** Settles what the words of a task leave open: which day, which times, and where a series begins. */
import { isBefore, isSameDay, later } from './days.ts';
import type { Repeat } from './find-rule.ts';
import type { Stop } from './find-stop.ts';
import type { FoundDate } from './found-date.ts';
import type { FoundWords } from './found-words.ts';
import { type Guess, type GuessKind, guessOf } from './guess.ts';
import { beginsOn, isWithinDay, onNextDays, type Recurrence, stepMinutes } from './recurrence.ts';
import { isPast, type ScheduleOptions } from './schedule-options.ts';
import { type SettledTimes, TimeSettlement } from './settle-times.ts';
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
  readonly #guesses = new Set<GuessKind>();
  readonly #clock: TimeSettlement;
  readonly #settled: SettledTimes;

  constructor(options: ScheduleOptions, found: FoundWords, title: string) {
    this.#options = options;
    this.#today = toWallTime(options.now, options.zone);
    this.#day = found.day;
    this.#soon = found.soon;
    this.#until = found.until;
    this.#stop = found.stop;
    for (const part of [found.day, found.time, found.repeat, found.until])
      for (const kind of part?.guesses ?? []) if (kind !== 'once' || !found.repeat) this.#guesses.add(kind);
    if (found.isFew) this.#guesses.add('amount');
    if (found.isBeginning) this.#guesses.add('begin');
    if (found.hasName || found.isPriced) this.#guesses.add('name');
    if (found.lag?.isGuess) this.#guesses.add('before');
    this.#clock = new TimeSettlement(options, found, (kind) => this.#isOther(kind));
    this.#settled = this.#clock.settle(title);
    const { repeat } = found;
    this.#repeat = repeat && this.#settled.isAfterNight ? { ...repeat, rule: onNextDays(repeat.rule) } : repeat;
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

  #rule(): Recurrence | null {
    const rule = this.#repeat?.rule ?? null;
    if (this.#times.length < 2) return rule;
    const by_time = this.#times.map(formatIsoTime);
    if (!rule) return { freq: 'daily', by_time, count: by_time.length };
    if (!isWithinDay(rule)) return { ...rule, by_time };
    if (this.#nightStart(rule)) return { ...rule, count: by_time.length };
    const { interval, ...ends } = rule;
    // "Tomorrow every hour from 9 to 17" is over tomorrow.
    const until = this.#day &&
      this.#isOneDay(rule) && { until: formatIsoDate(addDays(this.#day.date, this.#settled.dayOffset)) };
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
    return this.#isOther('part') ? { hour: 0, minute: 0 } : this.#clock.usualTimeOf('morning');
  }

  #endOf({ time, minutes = 0, day }: Stop, start: WallTime | undefined): number {
    const { now, zone } = this.#options;
    const from = start ? toInstant(start, zone) : now;
    if (!time) return from + minutes * 60_000;
    const first = { ...(start ?? this.#today), ...day };
    const isOver =
      !this.#clock.isSettled(time) &&
      !day &&
      toInstant({ ...first, hour: time.hour, minute: time.minute }, zone) <= from;
    const half = isOver ? (this.#isOther('half') ? 'am' : 'pm') : undefined;
    const last = { ...first, ...this.#clock.settleHour(time, half, false) };
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
    const first: WallTime = rule ? day : addDays(day, this.#settled.dayOffset);
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
    const { nightOf } = this.#settled;
    return nightOf !== undefined && isSameDay(moment, nightOf) && moment.hour < 12;
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
    return isPast(wall, this.#options);
  }

  get #times(): readonly TimeOfDay[] {
    return this.#settled.times;
  }
}
