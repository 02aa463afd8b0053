/**
 * Parses a task in plain words: "pay rent every 1st 9am". The user sees the result before it is saved;
 * still, leaving words in the title is better than misreading them.
 */
import { casual } from 'chrono-node/en';
import { parseRecurrence } from '../recurrence/parse-recurrence.ts';
import { beginsOn, type Recurrence } from '../recurrence/recurrence.ts';
import { addDays, toInstant, toWallTime, type WallTime } from '../time/wall-time.ts';

export interface ParsedTask {
  readonly title: string;
  readonly due: WallTime | null;
  readonly hasTime: boolean;
  readonly recurrence: Recurrence | null;
  readonly mustNotMiss: boolean;
  readonly once: boolean;
  readonly leadDays: number | null;
}

/** A part of the result that the user can reject; its words then stay in the title. */
export type ParsedPart = 'due' | 'recurrence' | 'mustNotMiss' | 'once' | 'leadDays';

const MUST_NOT_MISS = /(?:^|\s)(?:!!?|must[\s-]not[\s-]miss|important!?)(?=\s|$)/i;
const ONCE = /(?:^|\s)(?:just once|only once|remind (?:me )?once|notify once|once only)(?=\s|$)/i;
const LEAD =
  /(?:^|\s)(?:(?:with\s+)?(?:a\s+)?heads[\s-]?up\s+)?(\d{1,2})\s+days?\s+(?:before|ahead|earlier|heads[\s-]?up)(?=\s|$)/i;
const MAX_LEAD_DAYS = 30;
const MAX_TITLE_LENGTH = 200;
/** Reaches the next 29 February, up to eight years ahead. */
const MAX_SEARCH_DAYS = 366 * 8;

export function parseTask(
  text: string,
  now: number,
  zone: string,
  ignored: ReadonlySet<ParsedPart> = new Set(),
): ParsedTask {
  const rest = new RemainingText(text);
  const takeUnlessIgnored = (part: ParsedPart, pattern: RegExp) => (ignored.has(part) ? null : rest.take(pattern));
  const mustNotMiss = takeUnlessIgnored('mustNotMiss', MUST_NOT_MISS) !== null;
  const once = takeUnlessIgnored('once', ONCE) !== null;
  const lead = Number(takeUnlessIgnored('leadDays', LEAD)?.[1] ?? Number.NaN);
  const repeat = ignored.has('recurrence') ? undefined : parseRecurrence(rest.text);
  if (repeat) rest.remove(repeat.text);
  const until = repeat ? takeUntil(rest, now, zone) : undefined;
  const found = ignored.has('due') ? undefined : takeMoment(rest, now, zone);
  const rule = repeat ? { ...repeat.rule, ...(until === undefined ? {} : { until }) } : null;
  const moment =
    found ?? (repeat?.hour === undefined ? undefined : { date: null, time: { hour: repeat.hour, minute: 0 } });
  return {
    title: rest.title(text),
    ...dueOf(moment, rule, now, zone),
    recurrence: rule,
    mustNotMiss,
    once,
    leadDays: Number.isNaN(lead) ? null : Math.min(lead, MAX_LEAD_DAYS),
  };
}

interface Moment {
  /** Null when the words name only a time. */
  readonly date: Pick<WallTime, 'year' | 'month' | 'day'> | null;
  readonly time: Pick<WallTime, 'hour' | 'minute'> | null;
}

/** The words that no part of the parser has consumed yet; in the end they are the title. */
class RemainingText {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text);
    if (match) this.remove(match[0].trim());
    return match;
  }

  remove(words: string): void {
    this.text = this.text.replace(words, ' ');
  }

  title(whole: string): string {
    const bare = this.text
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s,;:–-]+|[\s,;:–-]+$/g, '')
      .replace(/\s+(?:on|at|by|from|due|starting|until|and|,)$/i, '')
      .replace(/^(?:remind me to|remember to|on|at|by)\s+/i, '')
      .trim();
    return (bare || whole.trim()).slice(0, MAX_TITLE_LENGTH);
  }
}

function readMoments(text: string, now: number, zone: string) {
  const offset = Math.round((Date.UTC(...asNumbers(toWallTime(now, zone))) - now) / 60_000);
  return casual.parse(text, { instant: new Date(now), timezone: offset }, { forwardDate: true });
}

const asNumbers = ({ year, month, day, hour, minute }: WallTime): [number, number, number, number, number] => [
  year,
  month - 1,
  day,
  hour,
  minute,
];

function takeMoment(rest: RemainingText, now: number, zone: string): Moment | undefined {
  // The last moment counts: "call the 9am people tomorrow at 10".
  const found = readMoments(rest.text, now, zone).at(-1);
  if (!found) return undefined;
  const { start } = found;
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute') => start.get(name) ?? 0;
  const hasDay =
    start.isCertain('day') || start.isCertain('weekday') || start.isCertain('month') || isRelative(found.text);
  const hasTime =
    start.isCertain('hour') || /\b(?:noon|midnight|morning|afternoon|evening|tonight|night)\b/i.test(found.text);
  if (!hasDay && !hasTime) return undefined;
  rest.remove(found.text);
  return {
    date: hasDay ? { year: part('year'), month: part('month'), day: part('day') } : null,
    time: hasTime ? { hour: part('hour'), minute: part('minute') } : null,
  };
}

/** "In 20 minutes" implies a day without naming it. */
const isRelative = (text: string) =>
  /\b(?:in|within|after|next|this|tonight|today|tomorrow|later|from now)\b/i.test(text);

function takeUntil(rest: RemainingText, now: number, zone: string): string | undefined {
  const match = /\s(?:until|till)\s+(.+)$/i.exec(rest.text);
  const found = match ? readMoments(match[1] ?? '', now, zone)[0] : undefined;
  if (!match || !found || found.index > 0) return undefined;
  rest.remove(match[0].slice(0, match[0].indexOf(found.text) + found.text.length));
  const { start } = found;
  const two = (value: number | null) => String(value ?? 1).padStart(2, '0');
  return `${start.get('year')}-${two(start.get('month'))}-${two(start.get('day'))}`;
}

function dueOf(moment: Moment | undefined, rule: Recurrence | null, now: number, zone: string) {
  if (!moment && !rule) return { due: null, hasTime: false };
  const today = toWallTime(now, zone);
  const time = moment?.time ?? null;
  const hasTime = time !== null;
  // A date without a time is at noon, so that it stays the same date when the account's zone changes by some hours.
  let due: WallTime = { ...today, ...(moment?.date ?? {}), ...(time ?? { hour: 12, minute: 0 }) };
  if (moment?.date && !rule) return { due, hasTime };
  const isPast = (wall: WallTime) => (hasTime ? toInstant(wall, zone) <= now : false);
  for (let day = 0; day < MAX_SEARCH_DAYS; day += 1) {
    if (!isPast(due) && (rule === null || beginsOn(rule, due))) break;
    due = addDays(due, 1);
  }
  return { due, hasTime };
}
