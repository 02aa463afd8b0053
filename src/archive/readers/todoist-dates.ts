/**
 * Reads the dates of Todoist, which are words: `Oct 5 2026`, `every! 3 days`, `every thursday at 7pm`. Plain dates are
 * read here; everything else by the reader of dates in words, which knows English. What it does not understand goes into
 * the notes as it is written: a reminder at the wrong time is worse than none.
 */

import { findTimeZone } from '../../lib/time-zone.ts';
import { parseRule } from '../../recurrence/parse-rule.ts';
import { readSchedule } from '../../words/parse-task.ts';
import type { Schedule } from '../../words/schedule.ts';
import type { ForeignFields, ReaderContext } from './foreign-task.ts';

export interface TodoistDate {
  readonly date: string;
  readonly language: string;
  readonly zone: string;
  readonly deadline: string;
  readonly deadlineLanguage: string;
}

interface ReadDate extends Pick<ForeignFields, 'due' | 'recurrence'> {
  readonly notes: readonly string[];
  readonly remarks: readonly string[];
}

interface Found {
  readonly wall: string;
  readonly hasTime: boolean;
  readonly recurrence?: Readonly<Record<string, unknown>>;
  readonly remark?: string;
}

/** Reading one text takes some milliseconds. A person has far fewer rules than this. */
const MOST_TEXTS = 1_500;
const LONGEST_TEXT = 200;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = String.raw`(?:[T ,]+(?:at |@ ?)?(?<hour>\d{1,2})(?::(?<minute>\d\d))(?::\d\d)?(?: ?(?<half>[ap]m))?)?`;
const ISO = new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)${TIME}Z?$`, 'i');
const MONTH_FIRST = new RegExp(String.raw`^(?<name>[a-z]{3})[a-z]* (?<day>\d{1,2})(?:,? (?<year>\d{4}))?${TIME}$`, 'i');
const DAY_FIRST = new RegExp(
  String.raw`^(?<day>\d{1,2})\.? (?<name>[a-z]{3})[a-z]*(?:,? (?<year>\d{4}))?${TIME}$`,
  'i',
);

export class TodoistDates {
  readonly #context: ReaderContext;
  readonly #read = new Map<string, Found | undefined>();
  readonly #zones = new Map<string, string | undefined>();

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  read({ date, language, zone, deadline, deadlineLanguage }: TodoistDate): ReadDate {
    const deadlineNote = date !== '' && deadline !== '' ? [`Deadline: ${deadline}`] : [];
    const text = date || deadline;
    if (text === '') return { notes: [], remarks: [] };
    const written = (date ? language : deadlineLanguage) || 'en';
    const isEnglish = written.toLowerCase().startsWith('en');
    const found = isEnglish ? this.#find(text) : findPlainDate(text, this.#context.now);
    if (!found) {
      const says = isEnglish
        ? 'Its date was not understood, so it comes without one. The words are in its notes.'
        : `Its date is in another language (${languageName(written)}). Only English is read, so it comes without a date. The words are in its notes.`;
      return { notes: [`Date in Todoist: ${text}`, ...deadlineNote], remarks: [says] };
    }
    const { due, remark } = this.#placeIn(found, zone);
    return {
      due,
      recurrence: found.recurrence,
      notes: deadlineNote,
      remarks: [found.remark, remark].filter((says) => says !== undefined),
    };
  }

  #find(text: string): Found | undefined {
    const key = text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
    if (this.#read.has(key)) return this.#read.get(key);
    if (key.length > LONGEST_TEXT || this.#read.size >= MOST_TEXTS) return undefined;
    const found = findPlainDate(key, this.#context.now) ?? this.#findInWords(key);
    this.#read.set(key, found);
    return found;
  }

  #findInWords(text: string): Found | undefined {
    const { words, isFromCompletion } = toOurWords(text);
    const { zone, now } = this.#context;
    const schedule = readSchedule(words, { now: now.getTime(), zone, dayFirst: false, is24Hour: true });
    if (!schedule?.due) return undefined;
    const { recurrence } = schedule;
    if (!recurrence) return { wall: wallOf(schedule), hasTime: schedule.hasTime };
    const rule = isFromCompletion ? { ...recurrence, from: 'completion' } : { ...recurrence };
    const counted = isValid(rule) ? rule : { ...recurrence };
    return {
      wall: wallOf(schedule),
      hasTime: schedule.hasTime,
      recurrence: counted,
      ...(counted !== rule && { remark: 'It counted from when it was done. Here it counts from its date.' }),
    };
  }

  /** A moment in another zone keeps its instant. A series follows the clock of the account. */
  #placeIn({ wall, hasTime, recurrence }: Found, zoneName: string): { due: ForeignFields['due']; remark?: string } {
    const zone = this.#zoneOf(zoneName);
    if (!hasTime || zone === undefined || zone === this.#context.zone) return { due: { text: wall, hasTime } };
    const there = Temporal.PlainDateTime.from(wall).toZonedDateTime(zone);
    const here = there.withTimeZone(this.#context.zone).toPlainDateTime();
    if (here.equals(there.toPlainDateTime())) return { due: { text: wall, hasTime } };
    if (!recurrence) return { due: { text: there.toInstant().toString(), hasTime } };
    return {
      due: { text: wall, hasTime },
      remark: `Its time was on the clock of ${zone}. Here it repeats at the same time on your clock.`,
    };
  }

  #zoneOf(name: string): string | undefined {
    if (name === '') return undefined;
    if (!this.#zones.has(name) && this.#zones.size < MOST_TEXTS) this.#zones.set(name, findTimeZone(name));
    return this.#zones.get(name);
  }
}

/** What Todoist writes in another way than people. */
function toOurWords(text: string): { readonly words: string; readonly isFromCompletion: boolean } {
  const isFromCompletion = /\b(?:every|ev) ?!|^after \d/.test(text);
  const words = text
    .replace(/^after (?=\d)/, 'every ')
    .replaceAll(/\b(?:every|ev) ?!/g, 'every')
    .replaceAll(/\bev\b/g, 'every')
    .replace(/^every (\d{1,2})(?=$| at | @| \d)/, (_, day: string) => `every ${ordinal(Number(day))}`);
  return { words, isFromCompletion };
}

const ordinal = (day: number): string => {
  const isTeen = day > 10 && day < 14;
  return `${day}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`;
};

function isValid(rule: Readonly<Record<string, unknown>>): boolean {
  try {
    return parseRule(rule) !== undefined;
  } catch {
    return false;
  }
}

const two = (number: number) => String(number).padStart(2, '0');

function wallOf({ due, hasTime }: Schedule): string {
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = due ?? {};
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return hasTime ? `${date}T${two(hour)}:${two(minute)}:00` : `${date}T00:00:00`;
}

/** A date as Todoist writes it, which needs no reader of words. */
function findPlainDate(text: string, now: Date): Found | undefined {
  const { groups } = ISO.exec(text) ?? MONTH_FIRST.exec(text) ?? DAY_FIRST.exec(text) ?? {};
  if (!groups) return undefined;
  const month =
    groups.month === undefined ? MONTHS.indexOf(groups.name?.toLowerCase() ?? '') + 1 : Number(groups.month);
  const parts = { month, day: Number(groups.day), ...clockOf(groups) };
  const year = groups.year === undefined ? nearestYear(parts, now) : Number(groups.year);
  if (month === 0 || year === undefined) return undefined;
  try {
    const wall = Temporal.PlainDateTime.from({ year, ...parts }, { overflow: 'reject' });
    return {
      wall: wall.toString({ smallestUnit: 'second' }),
      hasTime: groups.hour !== undefined,
      ...(groups.year === undefined && { remark: `Its date has no year. It is read as ${year}.` }),
    };
  } catch {
    return undefined;
  }
}

function clockOf({ hour, minute, half }: Readonly<Record<string, string | undefined>>) {
  const given = Number(hour ?? 0);
  if (half === undefined) return { hour: given, minute: Number(minute ?? 0) };
  return { hour: (given % 12) + (half.toLowerCase() === 'pm' ? 12 : 0), minute: Number(minute ?? 0) };
}

const HALF_YEAR_DAYS = 183;

/** Todoist leaves out the year of dates that are near, before and after. */
function nearestYear({ month, day }: { month: number; day: number }, now: Date): number | undefined {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO('UTC').toPlainDate();
  for (const year of [today.year, today.year + 1, today.year - 1]) {
    try {
      const date = Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
      if (Math.abs(today.until(date).days) <= HALF_YEAR_DAYS) return year;
    } catch {
      // 29 February of another year.
    }
  }
  return undefined;
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** `German, de`, or the code where it is no language. */
function languageName(code: string): string {
  const short = code.slice(0, 10);
  try {
    const name = languageNames.of(short);
    return name ? `${name}, ${short}` : short;
  } catch {
    return 'unknown';
  }
}
