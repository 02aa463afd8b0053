/**
 * Writes tasks as iCalendar (RFC 5545). The same tasks always give the same text: what would change
 * by itself, such as the moment of asking, is not in it, so that an unchanged calendar is not sent twice.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ICAL from 'ical.js';
import { dueDate } from '../tasks/due.ts';
import { readStoredRule } from '../tasks/task-input.ts';
import type { FedTask } from './calendar.store.ts';
import { type Repeats, repeatsOf } from './feed-rule.ts';
import { type Component, type Property, zoneComponent } from './feed-zone.ts';

export type FeedForm = 'vevent' | 'vtodo';

export interface FeedContent {
  readonly form: FeedForm;
  /** The owner's. */
  readonly zone: string;
  readonly now: Date;
  readonly tasks: readonly FedTask[];
}

/** Raised whenever the same tasks are written differently. */
const EDITION = 1;
/** Rules are expanded for each; between so many of them other requests have their turn. */
const TASKS_PER_TURN = 50;
const REFRESH = 'PT1H';
/** RFC 5545 allows 75 bytes a line; ical.js does not count the space that a continued line begins with. */
ICAL.foldLength = 74;

/** Changes exactly when the text would; made without writing it. */
export function feedTag({ form, zone, now, tasks }: FeedContent): string {
  const content = JSON.stringify([EDITION, form, zone, now.getUTCFullYear(), tasks]);
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

export async function writeFeed(content: FeedContent): Promise<string> {
  const { form, zone, tasks } = content;
  const written: Component[] = [];
  const walls: Temporal.PlainDateTime[] = [];
  for (const [index, task] of tasks.entries()) {
    if (index % TASKS_PER_TURN === 0) await nextTurn();
    const wall = wallOf(task, zone);
    if (!wall || wall.year < 1 || wall.year > 9_999) continue;
    if (task.has_time) walls.push(wall);
    written.push(form === 'vevent' ? eventOf(task, wall, zone) : todoOf(task, wall, zone));
  }
  const zones = walls.length === 0 || isUtc(zone) ? [] : [zoneComponent(zone, earliestOf(walls), content.now)];
  return ICAL.stringify(['vcalendar', headOf(zone), [...zones, ...written]]);
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
  const properties = [...wordsOf(task), timeProperty('dtstart', task, wall, zone), ...lasts];
  const transparent: Property = ['transp', {}, 'text', 'TRANSPARENT'];
  return ['vevent', [...properties, ...repeatProperties(task, wall, zone), transparent], []];
}

/** A rule counts from DTSTART, in a task too. */
function todoOf(task: FedTask, wall: Temporal.PlainDateTime, zone: string): Component {
  const repeats = repeatProperties(task, wall, zone);
  const begins = repeats.length > 0 ? [timeProperty('dtstart', task, wall, zone)] : [];
  const status: Property = ['status', {}, 'text', 'NEEDS-ACTION'];
  return ['vtodo', [...wordsOf(task), ...begins, timeProperty('due', task, wall, zone), ...repeats, status], []];
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
  return repeatsOf({ rule, first, current, hasTime: task.has_time, zone });
}

/** When the task is due on its owner's wall clock; without a time, the date as it was written. */
function wallOf(task: FedTask, zone: string): Temporal.PlainDateTime | null {
  if (!task.has_time) return dueDate(task)?.toPlainDateTime() ?? null;
  if (task.due_at === null) return null;
  return Temporal.Instant.fromEpochMilliseconds(task.due_at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
}

function timeProperty(name: string, task: FedTask, wall: Temporal.PlainDateTime, zone: string): Property {
  if (!task.has_time) return [name, {}, 'date', wall.toPlainDate().toString()];
  const text = wall.toString({ smallestUnit: 'second' });
  return isUtc(zone) ? [name, {}, 'date-time', `${text}Z`] : [name, { tzid: zone }, 'date-time', text];
}

const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'Etc/UTC';

const utcText = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

const earliestOf = (walls: readonly Temporal.PlainDateTime[]): Temporal.PlainDateTime =>
  walls.reduce((earliest, wall) => (Temporal.PlainDateTime.compare(wall, earliest) < 0 ? wall : earliest));
