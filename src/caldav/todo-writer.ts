/**
 * Writes a task as an app gets it: our fields laid over what an app sent before. The lines of a field are given back as
 * they were sent while they mean what the task says.
 *
 * The text depends on nothing but its input, and a nudge changes none of that, so apps do not fetch a task again because
 * of nudges.
 */

import ICAL from 'ical.js';
import { isAtTimeOfSeries, isUnambiguous, isUtc, repetitionOf, wallOf } from '../calendar/feed.ts';
import { zoneComponent } from '../calendar/feed-zone.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { shortHash } from '../lib/short-hash.ts';
import { escapeText, fold } from './content-lines.ts';
import {
  BASE,
  dueKeyOf,
  type FieldKeys,
  type FieldName,
  isDay,
  NO_LABEL,
  ruleKey,
  textKey,
  WRITTEN,
  type WrittenTask,
  withoutControls,
  writeBase,
} from './todo-fields.ts';
import { type Kept, OWN_ALARM } from './todo-reader.ts';

export interface EntryView {
  /** The time zone of the owner. */
  readonly zone: string;
  /** How long after the due moment the alarm in the app rings; null for no alarm. */
  readonly alarmMinutes: number | null;
  /** When a day begins for tasks without a time, such as 09:00. */
  readonly dayStart: string;
}

export interface Entry {
  readonly task: WrittenTask;
  readonly uid: string;
  readonly kept: Kept | null;
}

/** Must be raised when the same task is written differently, so that apps fetch it again. */
export const FORMAT_VERSION = 2;

/** The ETag: strong, and written the same way everywhere. `keptHash` stands for what an app sent. */
export function tagOf(task: WrittenTask, uid: string, keptHash: string | null, view: EntryView): string {
  const columns: unknown[] = [FORMAT_VERSION, view, uid, keptHash];
  for (const name of WRITTEN) {
    const value = task[name];
    columns.push(value instanceof Date ? value.getTime() : value);
  }
  const content = JSON.stringify(columns);
  return `"${shortHash(content, 27)}"`;
}

/** What the fields of the task mean to an app, which is told apart by these keys. */
export function keysOfTask({ task, kept }: Entry, zone: string): FieldKeys {
  return {
    title: textKey(task.title),
    notes: textKey(task.notes),
    due: dueKeyOf(task),
    rule: ruleOf(task, kept, zone).key,
    label: task.kind,
    status: task.status === 'done' ? 'done' : 'open',
  };
}

export function writeEntry(entry: Entry, view: EntryView): string {
  const body = todoLines(entry, view);
  const zones = zonesOf(entry, view.zone, body);
  return (
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Crescendo//CalDAV//EN\r\n' +
    `${zones}BEGIN:VTODO\r\n${body}END:VTODO\r\nEND:VCALENDAR\r\n`
  );
}

function todoLines(entry: Entry, view: EntryView): string {
  const { task, uid, kept } = entry;
  const changed = utc(lastChange(task));
  const keys = keysOfTask(entry, view.zone);
  const rule = ruleOf(task, kept, view.zone);
  const kindOf = (name: FieldName) => (kept && kept.keys[name] === keys[name] ? kept.lines[name] : undefined);
  const hasCreated = kept !== null && /^CREATED[;:]/im.test(kept.rest);
  return [
    fold(`UID:${uid}`),
    fold(`DTSTAMP:${changed}`),
    hasCreated ? '' : fold(`CREATED:${utc(task.created_at)}`),
    fold(`LAST-MODIFIED:${changed}`),
    kindOf('title') ?? fold(`SUMMARY:${escapeText(withoutControls(task.title))}`),
    kindOf('notes') ?? (task.notes ? fold(`DESCRIPTION:${escapeText(withoutControls(task.notes))}`) : ''),
    withoutHidingStart(kindOf('due'), kept) ?? dueLines(task, kept, rule.text !== '', view.zone),
    rule.text,
    kindOf('label') ?? categoryLines(task.kind, kept),
    statusLines(task, kindOf('status')),
    fold(`${BASE}:${writeBase(keys)}`),
    kept?.rest ?? '',
    alarmOf(task, view),
  ].join('');
}

/** When somebody last changed what the text says; not when it last nudged. */
export function lastChange({ created_at, occurrence_started_at, run_started_at, completed_at }: WrittenTask): Date {
  const moments = [created_at, occurrence_started_at, run_started_at, completed_at ?? created_at];
  return new Date(Math.max(...moments.map((moment) => moment.getTime())));
}

/** For filters by time, in milliseconds. */
export interface EntryTimes {
  readonly start: number | null;
  readonly due: number | null;
  readonly completed: number | null;
  readonly created: number;
}

export function timesOf(task: WrittenTask, kept: Kept | null, zone: string): EntryTimes {
  const due = task.has_time
    ? (task.due_at?.getTime() ?? null)
    : (wallOf(task, zone)?.toZonedDateTime(zone).epochMilliseconds ?? null);
  const before = (kept?.startsBefore ?? 0) * (task.has_time ? 1_000 : 86_400_000);
  const completed = task.status === 'done' ? (task.completed_at?.getTime() ?? null) : null;
  return {
    start: due !== null && before > 0 ? due - before : null,
    due,
    completed,
    created: task.created_at.getTime(),
  };
}

/**
 * RRULE as it is written, and its key. A rule that iCalendar cannot say is left out, and the date moves instead; so is one
 * that an app sent while the series had another time, because by counting on from the date it would find other dates.
 */
function ruleOf(task: WrittenTask, kept: Kept | null, zone: string): { readonly text: string; readonly key: string } {
  const wall = wallOf(task, zone);
  const isAsSent = wall !== null && kept?.keys.due === dueKeyOf(task) && isAtTimeOfSeries(task, wall);
  const isSame = kept?.recurrence === task.recurrence && (task.recurrence === null || isAsSent);
  if (kept && isSame) return { text: kept.lines.rule, key: kept.keys.rule };
  const repeats = wall && repetitionOf(task, wall, zone);
  return repeats?.kind === 'rule'
    ? { text: fold(`RRULE:${repeats.rrule}`), key: ruleKey(repeats.rrule) }
    : { text: '', key: '' };
}

/** A start at the due date says nothing, and hides the task until then in some apps. */
const withoutHidingStart = (lines: string | undefined, kept: Kept | null): string | undefined =>
  kept?.startsBefore === 0 ? lines?.replace(/^DTSTART[;:].*\r\n(?:[ \t].*\r\n)*/im, '') : lines;

function dueLines(task: WrittenTask, kept: Kept | null, repeats: boolean, zone: string): string {
  const wall = wallOf(task, zone);
  if (!wall || wall.year < 1 || wall.year > 9_999) return '';
  return `${startLine(task, wall, kept, repeats, zone)}${timeLine('DUE', task, wall, repeats, zone)}`;
}

/** The start moves with the due date. A start at the due date is no use, and hides the task until then in some apps. */
function startLine(
  task: WrittenTask,
  wall: Temporal.PlainDateTime,
  kept: Kept | null,
  repeats: boolean,
  zone: string,
): string {
  const before = kept?.startsBefore ?? 0;
  const due = kept?.keys.due ?? '';
  if (before === 0 || due === '' || isDay(due) === task.has_time) return '';
  if (!task.has_time) return timeLine('DTSTART', task, wall.subtract({ days: before }), repeats, zone);
  const due_at = new Date((task.due_at?.getTime() ?? 0) - before * 1_000);
  const start = Temporal.Instant.fromEpochMilliseconds(due_at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
  return timeLine('DTSTART', { ...task, due_at }, start, repeats, zone);
}

/** A series keeps its time on the wall clock of its zone. Everything else is an instant. */
function timeLine(
  name: string,
  task: WrittenTask,
  wall: Temporal.PlainDateTime,
  repeats: boolean,
  zone: string,
): string {
  if (!task.has_time || task.due_at === null)
    return fold(`${name};VALUE=DATE:${compact(wall.toPlainDate().toString())}`);
  if (!repeats || isUtc(zone) || !isUnambiguous(task, wall, zone)) return fold(`${name}:${utc(task.due_at)}`);
  return fold(`${name};TZID=${zone}:${compact(wall.toString({ smallestUnit: 'second' }))}`);
}

function categoryLines(kind: string, kept: Kept | null): string {
  const categories = [...(kind === NO_LABEL ? [] : [kind]), ...(kept?.categories ?? [])];
  return categories.length === 0 ? '' : fold(`CATEGORIES:${categories.map(escapeCategory).join(',')}`);
}

const escapeCategory = (category: string): string => escapeText(withoutControls(category).replaceAll('\n', ' '));

/** Always with STATUS: some apps take a task without it for nothing. */
function statusLines({ status, completed_at }: WrittenTask, sent: string | undefined): string {
  if (sent !== undefined && /^STATUS[;:]/im.test(sent)) return sent;
  if (sent) return `STATUS:${status === 'done' ? 'COMPLETED' : 'NEEDS-ACTION'}\r\n${sent}`;
  if (status !== 'done') return 'STATUS:NEEDS-ACTION\r\n';
  const completed = completed_at === null ? '' : `COMPLETED:${utc(completed_at)}\r\n`;
  return `STATUS:COMPLETED\r\n${completed}PERCENT-COMPLETE:100\r\n`;
}

/** For the hour in which the service is down: an absolute alarm some minutes after the task is due. */
function alarmOf(task: WrittenTask, { alarmMinutes, dayStart, zone }: EntryView): string {
  const wall = alarmMinutes === null || task.status !== 'open' ? null : wallOf(task, zone);
  if (alarmMinutes === null || !wall) return '';
  const due = task.has_time ? task.due_at?.getTime() : morningOf(wall, dayStart, zone);
  const at = new Date((due ?? 0) + alarmMinutes * 60_000);
  return (
    `BEGIN:VALARM\r\nUID:crescendo-${task.id}\r\nACTION:DISPLAY\r\nTRIGGER;VALUE=DATE-TIME:${utc(at)}\r\n` +
    `${fold(`DESCRIPTION:${escapeText(withoutControls(task.title))}`)}${OWN_ALARM}:1\r\nEND:VALARM\r\n`
  );
}

const morningOf = (wall: Temporal.PlainDateTime, dayStart: string, zone: string): number =>
  wall.withPlainTime(Temporal.PlainTime.from(dayStart)).toZonedDateTime(zone).epochMilliseconds;

/** A description of every time zone that the lines name. */
function zonesOf({ kept, task }: Entry, zone: string, body: string): string {
  const named = new Set([...body.matchAll(/;TZID="?([^":;\r\n]+)/g)].map(([, tzid = '']) => tzid));
  return [...named].map((tzid) => kept?.zones[tzid] ?? (tzid === zone ? describeZone(zone, task) : '')).join('');
}

const described = new BoundedMap<string, string>(500);

/** Depends on the year of the task alone, so that the text of a task does not change with the present year. */
function describeZone(zone: string, task: WrittenTask): string {
  const year = wallOf(task, zone)?.year ?? 1970;
  const key = `${zone} ${year}`;
  const known = described.get(key);
  if (known !== undefined) return known;
  const first = Temporal.PlainDateTime.from({ year, month: 1, day: 1 });
  const text = `${ICAL.stringify(zoneComponent(zone, first, new Date(Date.UTC(year, 0, 1)))).trimEnd()}\r\n`;
  described.set(key, text);
  return text;
}

const compact = (text: string): string => text.replaceAll(/[-:]/g, '');
const utc = (at: Date): string => `${compact(at.toISOString().slice(0, 19))}Z`;
