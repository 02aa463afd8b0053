/**
 * Writes tasks as iCalendar (RFC 5545). The same tasks always give the same text: what would change
 * by itself, such as the moment of asking, is not in it, so that an unchanged calendar is not sent twice.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ICAL from 'ical.js';
import { stopwatch } from '../lib/clock.ts';
import { dueDate } from '../tasks/due.ts';
import { readStoredRule } from '../tasks/task-input.ts';
import type { FedMark, FedTask } from './calendar.store.ts';
import { type Repeats, repeatsOf } from './feed-rule.ts';
import { type Component, type Property, zoneComponent } from './feed-zone.ts';

export type FeedForm = 'vevent' | 'vtodo';

export interface FeedView {
  readonly form: FeedForm;
  /** The owner's. */
  readonly zone: string;
  readonly now: Date;
}

/** Raised whenever the same tasks are written differently. */
const EDITION = 2;
/** Rules are expanded for each task; after so long other requests have their turn. */
const TURN_MS = 5;
const REFRESH = 'PT1H';
/** RFC 5545 allows 75 bytes a line; ical.js does not count the space that a continued line begins with. */
ICAL.foldLength = 74;

/** Changes whenever the text would; made without reading what the tasks say. */
export function feedTag({ form, zone, now }: FeedView, marks: readonly FedMark[]): string {
  const content = JSON.stringify([EDITION, form, zone, now.getUTCFullYear(), marks]);
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** Stops, throwing, once the signal fires. */
export async function writeFeed(
  view: FeedView,
  pages: AsyncIterable<readonly FedTask[]>,
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
  // The calendar around its parts, which were written one by one so that none holds the others up for long.
  const [head = '', end = ''] = ICAL.stringify(['vcalendar', headOf(zone), []]).split(/(?=END:VCALENDAR)/);
  return [head, zones, ...written, end].join('');
}

async function* tasksOf(pages: AsyncIterable<readonly FedTask[]>): AsyncGenerator<FedTask> {
  for await (const page of pages) yield* page;
}

const headOf = (zone: string): Property[] => [
  ['version', {}, 'text', '2.0'],
  ['prodid', {}, 'text', '-//Crescendo//Tasks//EN'],
  ['calscale', {}, 'text', 'GREGORIAN'],
  // Newer than ical.js: it writes the value as it is, and says no type where the type is unknown to it.
  ['name', {}, 'unknown', 'Crescendo'],
  ['x-wr-calname', {}, 'unknown', 'Crescendo'],
  ['x-wr-timezone', {}, 'unknown', zone],
  ['refresh-interval', {}, 'duration', REFRESH],
  ['x-published-ttl', {}, 'unknown', REFRESH],
];

/** Transparent: what is to be done does not make its owner unavailable. No alarm: the nudging is ours. */
function eventOf(task: FedTask, wall: Temporal.PlainDateTime, zone: string): Component {
  const lasts: Property[] = task.has_time ? [['duration', {}, 'duration', 'PT15M']] : [];
  const properties = [...wordsOf(task), dueProperty('dtstart', task, wall, zone), ...lasts];
  const transparent: Property = ['transp', {}, 'text', 'TRANSPARENT'];
  return ['vevent', [...properties, ...repeatProperties(task, wall, zone), transparent], []];
}

/** A rule counts from DTSTART, in a task too. */
function todoOf(task: FedTask, wall: Temporal.PlainDateTime, zone: string): Component {
  const repeats = repeatProperties(task, wall, zone);
  const begins = repeats.length > 0 ? [dueProperty('dtstart', task, wall, zone)] : [];
  const status: Property = ['status', {}, 'text', 'NEEDS-ACTION'];
  return ['vtodo', [...wordsOf(task), ...begins, dueProperty('due', task, wall, zone), ...repeats, status], []];
}

/** Without METHOD, DTSTAMP is when the task was last changed. SEQUENCE only has to grow with each change. */
function wordsOf({ id, title, notes, created_at, updated_at }: FedTask): Property[] {
  const changed = utcText(updated_at);
  const sequence = Math.max(0, Math.floor((updated_at.getTime() - created_at.getTime()) / 1_000));
  return [
    ['uid', {}, 'text', id],
    ['dtstamp', {}, 'date-time', changed],
    ['created', {}, 'date-time', utcText(created_at)],
    ['last-modified', {}, 'date-time', changed],
    ['sequence', {}, 'integer', sequence],
    ['summary', {}, 'text', plain(title)],
    ...(notes ? [['description', {}, 'text', plain(notes)] satisfies Property] : []),
  ];
}

/** A control character would be read as the end of a line, and what follows it as a property. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, ' ');

function repeatProperties(task: FedTask, wall: Temporal.PlainDateTime, zone: string): Property[] {
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

function repetitionOf(task: FedTask, current: Temporal.PlainDateTime, zone: string): Repeats {
  const rule = readStoredRule(task.recurrence);
  if (!rule || task.series_first === null) return { kind: 'never' };
  const first = Temporal.PlainDateTime.from(task.series_first);
  const isRepeatedHour = !namesItsInstant(task, current, zone);
  return repeatsOf({ rule, first, current, hasTime: task.has_time, zone, isRepeatedHour });
}

/** When the task is due on its owner's wall clock; without a time, the date as it was written. */
function wallOf(task: FedTask, zone: string): Temporal.PlainDateTime | null {
  if (!task.has_time) return dueDate(task)?.toPlainDateTime() ?? null;
  if (task.due_at === null) return null;
  return Temporal.Instant.fromEpochMilliseconds(task.due_at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
}

/** A calendar takes a time that the clocks show twice for the earlier one. */
const namesItsInstant = ({ has_time, due_at }: FedTask, wall: Temporal.PlainDateTime, zone: string): boolean =>
  !has_time || wall.toZonedDateTime(zone).epochMilliseconds === due_at?.getTime();

/** The present occurrence; in UTC where its time in the zone would be taken for another. */
function dueProperty(name: string, task: FedTask, wall: Temporal.PlainDateTime, zone: string): Property {
  if (task.due_at === null || namesItsInstant(task, wall, zone)) return timeProperty(name, task, wall, zone);
  return [name, {}, 'date-time', utcText(task.due_at)];
}

function timeProperty(name: string, task: FedTask, wall: Temporal.PlainDateTime, zone: string): Property {
  if (!task.has_time) return [name, {}, 'date', wall.toPlainDate().toString()];
  const text = wall.toString({ smallestUnit: 'second' });
  return isUtc(zone) ? [name, {}, 'date-time', `${text}Z`] : [name, { tzid: zone }, 'date-time', text];
}

const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'Etc/UTC';

const utcText = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
