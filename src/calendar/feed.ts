/**
 * Writes tasks as iCalendar (RFC 5545). The same tasks always give the same text: nothing in it depends
 * on the time of the request, so an unchanged feed is not sent twice.
 */
import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import { stopwatch } from '../lib/clock.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { isClockRule } from '../recurrence/rule.ts';
import { dueDate } from '../tasks/due.ts';
import { parseStoredRule } from '../tasks/task-input.ts';
import type { FeedTask, FeedTaskVersion } from './calendar.store.ts';
import { type Repeats, repeatsOf } from './feed-rule.ts';
import { type Component, type Property, zoneComponent } from './feed-zone.ts';

export type FeedForm = 'vevent' | 'vtodo';

export interface FeedView {
  readonly form: FeedForm;
  /** The time zone of the owner. */
  readonly zone: string;
  readonly now: Date;
}

/** Must be raised when the same tasks are written differently, so that clients fetch them again. */
const FORMAT_VERSION = 2;
/** Rules are expanded for each task; after this time the event loop serves other requests. */
const TURN_MS = 5;
const REFRESH = 'PT1H';
/** RFC 5545 allows 75 bytes per line; ical.js does not count the leading space of a folded line. */
ICAL.foldLength = 74;

/** The ETag. Changes whenever the text would, and needs no task content. */
export function feedTag({ form, zone, now }: FeedView, versions: readonly FeedTaskVersion[]): string {
  const content = JSON.stringify([FORMAT_VERSION, form, zone, now.getUTCFullYear(), versions]);
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** Throws the signal's reason when it fires. */
export async function writeFeed(
  view: FeedView,
  pages: AsyncIterable<readonly FeedTask[]>,
  signal: AbortSignal,
): Promise<string> {
  const { form, zone, now } = view;
  const written: string[] = [];
  let earliest: Temporal.PlainDateTime | undefined;
  let elapsed = stopwatch();
  for await (const task of tasksOf(pages)) {
    if (elapsed() > TURN_MS) {
      await nextTurn();
      elapsed = stopwatch();
    }
    signal.throwIfAborted();
    const wall = wallOf(task, zone);
    if (!wall || wall.year < 1 || wall.year > 9_999) continue;
    if (task.has_time && (!earliest || Temporal.PlainDateTime.compare(wall, earliest) < 0)) earliest = wall;
    written.push(ICAL.stringify(form === 'vevent' ? eventOf(task, wall, zone) : todoOf(task, wall, zone)));
  }
  const zones = !earliest || isUtc(zone) ? '' : ICAL.stringify(zoneComponent(zone, earliest, now));
  // The tasks were serialised one by one to keep the event loop free, so the calendar is split around them.
  const [head = '', end = ''] = ICAL.stringify(['vcalendar', calendarProperties(zone), []]).split(/(?=END:VCALENDAR)/);
  return [head, zones, ...written, end].join('');
}

async function* tasksOf(pages: AsyncIterable<readonly FeedTask[]>): AsyncGenerator<FeedTask> {
  for await (const page of pages) yield* page;
}

const calendarProperties = (zone: string): Property[] => [
  ['version', {}, 'text', '2.0'],
  ['prodid', {}, 'text', '-//Crescendo//Tasks//EN'],
  ['calscale', {}, 'text', 'GREGORIAN'],
  // ical.js does not know these properties; with type `unknown` it writes the value as it is.
  ['name', {}, 'unknown', 'Crescendo'],
  ['x-wr-calname', {}, 'unknown', 'Crescendo'],
  ['x-wr-timezone', {}, 'unknown', zone],
  ['refresh-interval', {}, 'duration', REFRESH],
  ['x-published-ttl', {}, 'unknown', REFRESH],
];

/** Transparent, so a task does not make its owner busy. Without an alarm, since the service sends the nudges. */
function eventOf(task: FeedTask, wall: Temporal.PlainDateTime, zone: string): Component {
  const lasts: Property[] = task.has_time ? [['duration', {}, 'duration', 'PT15M']] : [];
  const properties = [...textProperties(task), dueProperty('dtstart', task, wall, zone), ...lasts];
  const transparent: Property = ['transp', {}, 'text', 'TRANSPARENT'];
  return ['vevent', [...properties, ...repeatProperties(task, wall, zone), transparent], []];
}

/** An RRULE needs DTSTART, in a VTODO too. */
function todoOf(task: FeedTask, wall: Temporal.PlainDateTime, zone: string): Component {
  const repeats = repeatProperties(task, wall, zone);
  const begins = repeats.length > 0 ? [dueProperty('dtstart', task, wall, zone)] : [];
  const status: Property = ['status', {}, 'text', 'NEEDS-ACTION'];
  return ['vtodo', [...textProperties(task), ...begins, dueProperty('due', task, wall, zone), ...repeats, status], []];
}

/** Without METHOD, DTSTAMP is the time of the last change. SEQUENCE only has to grow with each change. */
function textProperties({ id, title, notes, created_at, updated_at }: FeedTask): Property[] {
  const changed = utcText(updated_at);
  const sequence = Math.max(0, Math.floor((updated_at.getTime() - created_at.getTime()) / 1_000));
  return [
    ['uid', {}, 'text', id],
    ['dtstamp', {}, 'date-time', changed],
    ['created', {}, 'date-time', utcText(created_at)],
    ['last-modified', {}, 'date-time', changed],
    ['sequence', {}, 'integer', sequence],
    ['summary', {}, 'text', withoutControls(title)],
    ...(notes ? [['description', {}, 'text', withoutControls(notes)] satisfies Property] : []),
  ];
}

/** Some programs read a control character as the end of a line, and the text after it as a property. */
const withoutControls = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, ' ');

function repeatProperties(task: FeedTask, wall: Temporal.PlainDateTime, zone: string): Property[] {
  const repeats = repetitionOf(task, wall, zone);
  switch (repeats.kind) {
    case 'rule':
      return [['rrule', {}, 'recur', ICAL.Recur.fromString(repeats.rrule).toJSON()]];
    case 'dates':
      return repeats.dates.map((date) => timeProperty('rdate', task, date, zone));
    case 'never':
      return [];
  }
}

/** What the date and the rule of a task depend on. */
type Dated = Pick<FeedTask, 'due_at' | 'due_written' | 'has_time' | 'recurrence' | 'series_first'>;

export function repetitionOf(task: Dated, current: Temporal.PlainDateTime, zone: string): Repeats {
  const rule = parseStoredRule(task.recurrence);
  if (!rule || task.series_first === null) return { kind: 'never' };
  const first = Temporal.PlainDateTime.from(task.series_first);
  const isRepeatedHour = !isUnambiguous(task, current, zone);
  return repeatsOf({ rule, first, current, hasTime: task.has_time, zone, isRepeatedHour });
}

/** Not after a change of time zone: the series goes on at its own time of day, not at that of the current occurrence. */
export function isAtTimeOfSeries(task: Dated, current: Temporal.PlainDateTime): boolean {
  const rule = parseStoredRule(task.recurrence);
  if (!rule || isClockRule(rule) || !task.has_time || task.series_first === null) return true;
  return current.toPlainTime().equals(Temporal.PlainDateTime.from(task.series_first).toPlainTime());
}

/** When the task is due on the owner's wall clock; for an all-day task, its written date. */
export function wallOf(task: Dated, zone: string): Temporal.PlainDateTime | null {
  if (!task.has_time) return dueDate(task)?.toPlainDateTime() ?? null;
  if (task.due_at === null) return null;
  return Temporal.Instant.fromEpochMilliseconds(task.due_at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
}

/** When clocks go back, a calendar reads a repeated wall-clock time as the first of the two. */
export const isUnambiguous = ({ has_time, due_at }: Dated, wall: Temporal.PlainDateTime, zone: string): boolean =>
  !has_time || wall.toZonedDateTime(zone).epochMilliseconds === due_at?.getTime();

/** The current occurrence, in UTC if its wall-clock time is ambiguous. */
function dueProperty(name: string, task: FeedTask, wall: Temporal.PlainDateTime, zone: string): Property {
  if (task.due_at === null || isUnambiguous(task, wall, zone)) return timeProperty(name, task, wall, zone);
  return [name, {}, 'date-time', utcText(task.due_at)];
}

function timeProperty(name: string, task: FeedTask, wall: Temporal.PlainDateTime, zone: string): Property {
  if (!task.has_time) return [name, {}, 'date', wall.toPlainDate().toString()];
  const text = wall.toString({ smallestUnit: 'second' });
  return isUtc(zone) ? [name, {}, 'date-time', `${text}Z`] : [name, { tzid: zone }, 'date-time', text];
}

export const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'Etc/UTC';

const utcText = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
