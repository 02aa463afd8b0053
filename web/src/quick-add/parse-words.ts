/**
 * Reads a task from plain words: "pay rent every 1st 9am". What was understood is shown before it is
 * saved, so reading too little is better than reading something that was not meant.
 */
import { casual } from 'chrono-node/en';
import { addDays, instantOf, type Wall, wallOf } from '../time/zone.ts';
import { readRepeat } from './read-repeat.ts';
import { beginsOn, type Recurrence } from './recurrence.ts';

export interface Understood {
  readonly title: string;
  readonly due: Wall | null;
  readonly hasTime: boolean;
  readonly recurrence: Recurrence | null;
  readonly mustNotMiss: boolean;
  readonly once: boolean;
  readonly leadDays: number | null;
}

/** What the person said was not meant. */
export type Part = 'due' | 'recurrence' | 'mustNotMiss' | 'once' | 'leadDays';

const MUST_NOT_MISS = /(?:^|\s)(?:!!?|must[\s-]not[\s-]miss|important!?)(?=\s|$)/i;
const ONCE = /(?:^|\s)(?:just once|only once|remind (?:me )?once|notify once|once only)(?=\s|$)/i;
const LEAD =
  /(?:^|\s)(?:(?:with\s+)?(?:a\s+)?heads[\s-]?up\s+)?(\d{1,2})\s+days?\s+(?:before|ahead|earlier|heads[\s-]?up)(?=\s|$)/i;
const MOST_LEAD_DAYS = 30;
const LONGEST_TITLE = 200;
/** Far enough for 29 February. */
const FURTHEST_DAYS = 366 * 8;

export function parseWords(
  text: string,
  now: number,
  zone: string,
  ignored: ReadonlySet<Part> = new Set(),
): Understood {
  const rest = new Rest(text);
  const takes = (part: Part, pattern: RegExp) => (ignored.has(part) ? null : rest.take(pattern));
  const mustNotMiss = takes('mustNotMiss', MUST_NOT_MISS) !== null;
  const once = takes('once', ONCE) !== null;
  const lead = Number(takes('leadDays', LEAD)?.[1] ?? Number.NaN);
  const repeat = ignored.has('recurrence') ? undefined : readRepeat(rest.text);
  if (repeat) rest.remove(repeat.text);
  const until = repeat ? takeUntil(rest, now, zone) : undefined;
  const said = ignored.has('due') ? undefined : takeMoment(rest, now, zone);
  const rule = repeat ? { ...repeat.rule, ...(until === undefined ? {} : { until }) } : null;
  const moment =
    said ?? (repeat?.hour === undefined ? undefined : { date: null, time: { hour: repeat.hour, minute: 0 } });
  return {
    title: rest.title(text),
    ...dueOf(moment, rule, now, zone),
    recurrence: rule,
    mustNotMiss,
    once,
    leadDays: Number.isNaN(lead) ? null : Math.min(lead, MOST_LEAD_DAYS),
  };
}

interface Moment {
  /** Null where only a time was said. */
  readonly date: Pick<Wall, 'year' | 'month' | 'day'> | null;
  readonly time: Pick<Wall, 'hour' | 'minute'> | null;
}

/** What is left of the words after something in them was understood. */
class Rest {
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
    return (bare || whole.trim()).slice(0, LONGEST_TITLE);
  }
}

function readMoments(text: string, now: number, zone: string) {
  const offset = Math.round((Date.UTC(...asNumbers(wallOf(now, zone))) - now) / 60_000);
  return casual.parse(text, { instant: new Date(now), timezone: offset }, { forwardDate: true });
}

const asNumbers = ({ year, month, day, hour, minute }: Wall): [number, number, number, number, number] => [
  year,
  month - 1,
  day,
  hour,
  minute,
];

function takeMoment(rest: Rest, now: number, zone: string): Moment | undefined {
  // The last thing said is what counts: "call the 9am people tomorrow at 10".
  const found = readMoments(rest.text, now, zone).at(-1);
  if (!found) return undefined;
  const { start } = found;
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute') => start.get(name) ?? 0;
  const saysDay =
    start.isCertain('day') || start.isCertain('weekday') || start.isCertain('month') || isRelative(found.text);
  const saysTime =
    start.isCertain('hour') || /\b(?:noon|midnight|morning|afternoon|evening|tonight|night)\b/i.test(found.text);
  if (!saysDay && !saysTime) return undefined;
  rest.remove(found.text);
  return {
    date: saysDay ? { year: part('year'), month: part('month'), day: part('day') } : null,
    time: saysTime ? { hour: part('hour'), minute: part('minute') } : null,
  };
}

/** "In 20 minutes" names a day too, although it does not say so. */
const isRelative = (text: string) =>
  /\b(?:in|within|after|next|this|tonight|today|tomorrow|later|from now)\b/i.test(text);

function takeUntil(rest: Rest, now: number, zone: string): string | undefined {
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
  const today = wallOf(now, zone);
  const time = moment?.time ?? null;
  const hasTime = time !== null;
  // Noon, for a date alone: it stays the same date when the account's zone moves by some hours.
  let due: Wall = { ...today, ...(moment?.date ?? {}), ...(time ?? { hour: 12, minute: 0 }) };
  if (moment?.date && !rule) return { due, hasTime };
  const isPast = (wall: Wall) => (hasTime ? instantOf(wall, zone) <= now : false);
  for (let day = 0; day < FURTHEST_DAYS; day += 1) {
    if (!isPast(due) && (rule === null || beginsOn(rule, due))) break;
    due = addDays(due, 1);
  }
  return { due, hasTime };
}
