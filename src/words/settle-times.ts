/** Settles which times of the day are meant: the half of the day, the hour of an evening, and the hours after midnight. */
import { isSameDay } from './days.ts';
import type { FoundTime } from './find-time.ts';
import type { FoundWords } from './found-words.ts';
import type { GuessKind } from './guess.ts';
import { afterwards, type Half, halfInTitle, halfOf, isAfterMidnight, LAST_NIGHT_HOUR } from './half-of-day.ts';
import { PART_ENDS, PART_HOURS, type PartOfDay } from './lexicon.ts';
import type { ClockTime } from './read-time.ts';
import { isWithinDay } from './recurrence.ts';
import { isPast, type ScheduleOptions } from './schedule-options.ts';
import { type Day, type TimeOfDay, toTimeOfDay, toWallTime, type WallTime } from './wall-time.ts';

export interface SettledTimes {
  readonly times: readonly TimeOfDay[];
  /** "tonight at 1" and "30 minutes before 0:15": so many days after the one that the date says. */
  readonly dayOffset: number;
  /** The day on which the night begins whose times are on the next one. */
  readonly nightOf: Day | undefined;
  /** "every friday night at 1": the rule is about the nights, and its day is the one after. */
  readonly isAfterNight: boolean;
}

export const MINUTES_A_DAY = 24 * 60;

/** The times of one text. Words that can mean two times ask `isOther` which of them is meant. */
export class TimeSettlement {
  readonly #options: ScheduleOptions;
  readonly #found: FoundWords;
  readonly #isOther: (kind: GuessKind) => boolean;
  readonly #today: WallTime;
  #dayOffset = 0;
  #nightOf: Day | undefined;
  #isAfterNight = false;

  constructor(options: ScheduleOptions, found: FoundWords, isOther: (kind: GuessKind) => boolean) {
    this.#options = options;
    this.#found = found;
    this.#isOther = isOther;
    this.#today = toWallTime(options.now, options.zone);
  }

  /** The title can tell which half of the day is meant: "dinner at 8". */
  settle(title: string): SettledTimes {
    const times = this.#times(title);
    return { times, dayOffset: this.#dayOffset, nightOf: this.#nightOf, isAfterNight: this.#isAfterNight };
  }

  #times(title: string): TimeOfDay[] {
    const { day, time, repeat } = this.#found;
    const named = time?.part ?? day?.part;
    const parts = named ? [named] : (repeat?.parts ?? []);
    if (time && time.times.length > 0) return this.#written(time, parts, title);
    if (parts.length > 0) return this.#timesOf(parts);
    return (repeat?.times ?? []).map(toTimeOfDay);
  }

  #written(time: FoundTime, parts: readonly PartOfDay[], title: string): TimeOfDay[] {
    const isOnly = time.times.length === 1;
    const times: TimeOfDay[] = [];
    let night: TimeOfDay | undefined;
    for (const one of asSaid(time.times, parts)) {
      const half = parts.length === 1 ? halfOf(parts[0]) : this.#halfInTitle(one, title);
      night = goesOn(night, one) ?? this.#atNight(one, parts, isOnly);
      times.push(night ?? afterwards(this.settleHour(one, half, isOnly), one.isExact, times.at(-1)));
    }
    return times.map((one) => this.#lagging(one)).sort((a, b) => a.hour - b.hour || a.minute - b.minute);
  }

  #halfInTitle(time: ClockTime, title: string): Half | undefined {
    const told = this.isSettled(time) ? undefined : halfInTitle(title, time.hour);
    if (!told || told.isSure || !this.#isOther('half')) return told?.half;
    return told.half === 'am' ? 'pm' : 'am';
  }

  #timesOf(parts: readonly PartOfDay[]): TimeOfDay[] {
    const isClear = parts.every((part) => part === 'morning' || part === 'noon');
    if (!isClear && !this.#found.repeat && this.#isOther('part')) return [];
    return parts.map((part) => this.#timeOf(part));
  }

  /** "tonight at 12" is midnight, and "tonight at 1" an hour later. */
  #atNight(time: ClockTime, [part]: readonly PartOfDay[], isOnly: boolean): TimeOfDay | undefined {
    if (part !== 'evening' && part !== 'night') return undefined;
    const { hour, minute, isExact } = time;
    if (hour === 12 && minute === 0) return { hour: 23, minute: 59 };
    // One rule has one set of days: at ten it is Friday, and at one Saturday.
    if (!this.#mayBeAfterMidnight(isOnly)) return undefined;
    if (!isAfterMidnight(time, this.#found.day?.isNight ? 'night' : part)) return undefined;
    const late = { hour: (hour % 12) + 12, minute };
    if ((!isExact || hour === 12) && this.#isOther('half')) return late;
    const early = { hour: hour % 12, minute };
    if (this.#found.repeat?.rule.freq === 'weekly') this.#isAfterNight = true;
    else if (!this.#isInNight(early)) this.#beginNight();
    return early;
  }

  /** "The last friday night of the month at 1" is no Saturday that a rule can name. */
  #mayBeAfterMidnight(isOnly: boolean): boolean {
    const { rule } = this.#found.repeat ?? {};
    if (!rule || rule.freq === 'daily' || isWithinDay(rule)) return true;
    return isOnly && rule.freq === 'weekly' && rule.by_weekday !== undefined;
  }

  /** "tonight at 3", written at one: in two hours. */
  #isInNight(time: TimeOfDay): boolean {
    const { day } = this.#found;
    const isTonight = !day || isSameDay(day.date, this.#today);
    return isTonight && this.#today.hour <= LAST_NIGHT_HOUR && !isPast({ ...this.#today, ...time }, this.#options);
  }

  #beginNight(): void {
    this.#dayOffset = 1;
    this.#nightOf = this.#found.day?.date;
  }

  #lagging(time: TimeOfDay): TimeOfDay {
    const { lag } = this.#found;
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
    const { day } = this.#found;
    const [usual, now] = [this.usualTimeOf(part), this.#today.hour];
    const isNow = day?.part === part && isSameDay(day.date, this.#today);
    if (!isNow || now < usual.hour || now >= PART_ENDS[part]) return usual;
    return now === 23 ? { hour: 23, minute: 59 } : { hour: now + 1, minute: 0 };
  }

  usualTimeOf(part: PartOfDay): TimeOfDay {
    const { dayStart } = this.#options;
    return part === 'morning' && dayStart ? toTimeOfDay(dayStart) : { hour: PART_HOURS[part], minute: 0 };
  }

  isSettled({ hour, isExact, isPrecise }: ClockTime): boolean {
    return isExact || hour >= 12 || (isPrecise === true && this.#options.is24Hour === true);
  }

  settleHour(time: ClockTime, half: Half | undefined, isOnly: boolean): TimeOfDay {
    const { hour, minute } = time;
    const [early, late] = [
      { hour, minute },
      { hour: hour + 12, minute },
    ];
    if (time.isExact || hour >= 12) return early;
    // "tonight at 7:30" is in the evening, also for those who write 19:30.
    if (half) return half === 'am' && (hour >= 4 || time.isPrecise) ? early : late;
    if (this.isSettled(time)) return early;
    const isOther = this.#isOther('half');
    const isLate = hour <= 6 || this.#isOverToday(early, late, isOnly);
    return isLate === isOther ? early : late;
  }

  /** "call mum at 8", written at ten: this evening. */
  #isOverToday(early: TimeOfDay, late: TimeOfDay, isOnly: boolean): boolean {
    const { day, repeat } = this.#found;
    const isForToday = isOnly && !repeat && (!day || isSameDay(day.date, this.#today));
    const isOver = (time: TimeOfDay) => isPast({ ...this.#today, ...time }, this.#options);
    return isForToday && isOver(early) && !isOver(late);
  }
}

/** "at 3 in the morning" is early, though a jog at 3 is in the afternoon. */
const asSaid = (times: readonly ClockTime[], parts: readonly PartOfDay[]): readonly ClockTime[] =>
  times.length === 1 && parts.join() === 'morning' ? times.map((time) => ({ ...time, isExact: true })) : times;

/** The last hour that follows another one of the same night. */
const LAST_HOUR_OF_NIGHT = 6;

/** "tonight at 2 and 5": five is three hours later. */
function goesOn(night: TimeOfDay | undefined, { hour, minute, isExact }: ClockTime): TimeOfDay | undefined {
  const isLater = night !== undefined && night.hour < hour && hour <= LAST_HOUR_OF_NIGHT;
  return isLater && !isExact ? { hour, minute } : undefined;
}
