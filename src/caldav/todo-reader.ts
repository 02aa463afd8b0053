/**
 * Reads what an app stores at one address: a VTODO, its overrides, and everything that has no field here.
 *
 * | iCalendar                     | becomes                                                                      |
 * | ----------------------------- | ---------------------------------------------------------------------------- |
 * | SUMMARY                       | title; without one the first line of the notes                               |
 * | DESCRIPTION                   | notes                                                                        |
 * | DUE, or DTSTART with DURATION | due; a date alone means the whole day. DTSTART alone is no due date           |
 * | RRULE                         | recurrence; one that we cannot follow is kept as text, and so are EXDATE, RDATE |
 * | CATEGORIES                    | the first is the label                                                       |
 * | STATUS, COMPLETED, PERCENT    | open, done or dropped                                                        |
 * | PRIORITY 1 to 4               | must not be missed, for people who have chosen that                          |
 *
 * The lines of a field are kept as well: they are given back for as long as the task means the same.
 */
import ICAL from 'ical.js';
import { dueOf, listTodos, stateOf } from '../calendar/vtodo.ts';
import { repetitionOf } from '../calendar/vtodo-rule.ts';
import { type TodoMoment, type TodoZones, UnreadableTodo } from '../calendar/vtodo-time.ts';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { toDueFields } from '../tasks/due.ts';
import { checkRuleRecurs, parseStoredRule, serialiseRecurrence } from '../tasks/task-input.ts';
import {
  type ContentLine,
  findLine,
  lineValue,
  listOf,
  type RawComponent,
  readComponents,
  unescapeText,
  writeComponent,
  writeLines,
} from './content-lines.ts';
import { notATask, notCalendarData, notOneTask } from './dav-refusal.ts';
import {
  BASE,
  type Base,
  type FieldKeys,
  type FieldName,
  NO_LABEL,
  readBase,
  ruleKey,
  secondOf,
  textKey,
} from './todo-fields.ts';

export interface TodoFields {
  readonly title: string;
  readonly notes: string | null;
  readonly due: TodoMoment | null;
  /** Null if it does not repeat, or not by a rule that we can follow. */
  readonly recurrence: { readonly rrule: string } | null;
  readonly kind: string;
  readonly status: 'open' | 'done' | 'dropped';
  readonly completedAt: Date | null;
  readonly isHigh: boolean;
}

/** What is kept of the text beside the task. */
export interface Kept {
  /** Lines and parts that have no field here. */
  readonly rest: string;
  /** The lines of each field as they were sent. */
  readonly lines: Readonly<Record<FieldName, string>>;
  /** What these lines mean: they are given back while the task means the same. */
  readonly keys: FieldKeys;
  /** The stored form of the rule that the lines mean. */
  readonly recurrence: string | null;
  /** VTIMEZONE components by TZID, as far as the lines name them. */
  readonly zones: Readonly<Record<string, string>>;
  /** The categories after the first. */
  readonly categories: readonly string[];
  /** How long before the due date DTSTART is: in days without a time, otherwise in seconds. */
  readonly startsBefore: number | null;
  readonly isHigh: boolean;
}

/** A VTODO with RECURRENCE-ID: one occurrence, by the key of its date. */
export interface Override {
  readonly occurrence: string;
  readonly isDone: boolean;
}

export interface ReadEntry {
  readonly uid: string;
  readonly fields: TodoFields;
  readonly keys: FieldKeys;
  readonly kept: Kept;
  readonly base: Base | undefined;
  readonly overrides: readonly Override[];
  /** Where KDE says that its series is, by the key of the date. */
  readonly kdeOccurrence: string | undefined;
}

export interface Reader {
  /** The owner's time zone, for date-times without one. */
  readonly zone: string;
  readonly now: Date;
}

const LONGEST_TITLE = 200;
const LONGEST_NOTES = 10_000;
const LONGEST_LABEL = 100;
const LONGEST_UID = 500;
const UNTITLED = '(no title)';
const KDE = 'X-KDE-LIBKCAL-DTRECURRENCE';
const DAY_SECONDS = 86_400;

const LINES: Readonly<Record<FieldName, readonly string[]>> = {
  title: ['SUMMARY'],
  notes: ['DESCRIPTION'],
  due: ['DTSTART', 'DUE', 'DURATION'],
  rule: ['RRULE'],
  label: ['CATEGORIES'],
  status: ['STATUS', 'COMPLETED', 'PERCENT-COMPLETE'],
};
const FIELD_LINES: ReadonlySet<string> = new Set(Object.values(LINES).flat());
/** Written anew each time. */
const OWN_LINES: ReadonlySet<string> = new Set(['UID', 'DTSTAMP', 'LAST-MODIFIED', BASE, KDE]);
/** What iCalendar code of ours has to understand. */
const DATED = ['DTSTART', 'DUE', 'DURATION', 'RRULE', 'COMPLETED', 'STATUS', 'PERCENT-COMPLETE', 'LAST-MODIFIED'];

/** Throws a `DavRefusal` that says what is wrong with the text. */
export function readEntry(text: string, reader: Reader): ReadEntry {
  const { main, overrides, zones: zoneParts } = splitCalendar(text);
  const uid = uidOf(main);
  const { todo, zones } = parseTodo(main, zoneParts);
  const fields = fieldsOf(main, todo, zones, reader);
  const dated = todoDue(todo, zones);
  const keys = keysOf(main, fields, reader.zone);
  const repeated = recurrenceText(fields.recurrence);
  return {
    uid,
    fields,
    keys,
    kept: {
      ...keptLines(main, zoneParts),
      keys,
      recurrence: repeated,
      startsBefore: startsBefore(todo, zones, dated, reader.zone),
      isHigh: fields.isHigh,
    },
    base: readBase(valueIn(main, BASE)),
    overrides: overrides.flatMap((override) => readOverride(override, zoneParts, reader)),
    kdeOccurrence: kdeOccurrence(main, zoneParts, reader),
  };
}

const recurrenceText = (recurrence: TodoFields['recurrence']): string | null =>
  recurrence === null ? null : JSON.stringify(recurrence);

function splitCalendar(text: string) {
  const calendars = readComponents(text);
  const [calendar] = calendars;
  if (calendars.length !== 1 || calendar?.name !== 'VCALENDAR') throw notCalendarData('It is not one VCALENDAR');
  const todos = calendar.parts.filter(({ name }) => name === 'VTODO');
  if (todos.length === 0 || calendar.parts.some(({ name }) => name === 'VEVENT' || name === 'VJOURNAL'))
    throw notATask();
  if (new Set(todos.map(uidOf)).size > 1) throw notOneTask('It has tasks with several UIDs');
  const overrides = todos.filter((todo) => findLine(todo, 'RECURRENCE-ID'));
  const [main, ...others] = todos.filter((todo) => !overrides.includes(todo));
  if (!main || others.length > 0) throw notOneTask('It has not exactly one VTODO without RECURRENCE-ID');
  return { main, overrides, zones: calendar.parts.filter(({ name }) => name === 'VTIMEZONE') };
}

function uidOf(todo: RawComponent): string {
  const uid = valueIn(todo, 'UID')?.trim() ?? '';
  if (uid === '' || uid.length > LONGEST_UID)
    throw notOneTask(`A VTODO needs a UID of at most ${LONGEST_UID} characters`);
  return uid;
}

function valueIn(component: RawComponent, name: string): string | undefined {
  const line = findLine(component, name);
  return line && lineValue(line);
}

type Component = InstanceType<typeof ICAL.Component>;

/** Only what has to be understood is parsed, so that nothing else in the text can be refused. */
function parseTodo(main: RawComponent, zoneParts: readonly RawComponent[], names: readonly string[] = DATED) {
  const lines = main.lines.filter(({ name }) => names.includes(name)).map(withValueType);
  const described = zoneParts.map(writeComponent).join('');
  // A time zone that cannot be read may have a name that is known, and a rule that cannot be read is kept as text.
  for (const left of [lines, lines.filter(({ name }) => name !== 'RRULE')]) {
    for (const zones of [described, '']) {
      const todo = writeComponent({ name: 'VTODO', lines: left, parts: [] });
      const parsed = tryList(`BEGIN:VCALENDAR\r\n${zones}${todo}END:VCALENDAR\r\n`);
      if (parsed?.todos[0]) return { todo: parsed.todos[0], zones: parsed.zones };
    }
  }
  throw notCalendarData('A date or a rule cannot be read');
}

function tryList(text: string): ReturnType<typeof listTodos> | undefined {
  try {
    return listTodos(text);
  } catch {
    return undefined;
  }
}

/** A date without `VALUE=DATE`, as jtx Board writes it. */
const withValueType = (line: ContentLine): ContentLine =>
  /^\d{8}$/.test(lineValue(line).trim()) && !/;VALUE=/i.test(line.text)
    ? { name: line.name, text: `${line.name};VALUE=DATE:${lineValue(line).trim()}` }
    : line;

function fieldsOf(main: RawComponent, todo: Component, zones: TodoZones, reader: Reader): TodoFields {
  const description = textIn(main, 'DESCRIPTION');
  const summary = textIn(main, 'SUMMARY') || description.split('\n', 1)[0]?.trim() || UNTITLED;
  const due = todoDue(todo, zones);
  const { status, completed_at } = stateOf(todo, reader.now.toISOString(), reader.now);
  const [label = NO_LABEL] = categoriesOf(main);
  const priority = Number(valueIn(main, 'PRIORITY') ?? 0);
  return {
    title: cut(withoutNulls(summary), LONGEST_TITLE),
    notes: description === '' ? null : cut(withoutNulls(description), LONGEST_NOTES),
    due,
    recurrence: due && readRule(todo, zones, due, reader.zone),
    kind: [...label].slice(0, LONGEST_LABEL).join(''),
    status,
    completedAt: completed_at === null ? null : new Date(completed_at),
    isHigh: priority >= 1 && priority <= 4,
  };
}

const textIn = (component: RawComponent, name: string): string =>
  unescapeText(valueIn(component, name) ?? '')
    .replaceAll('\r\n', '\n')
    .trim();

/** A lone surrogate is not a character, and PostgreSQL cannot store U+0000. */
const withoutNulls = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();

/** Limits on text count code points. */
function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

const categoriesOf = ({ lines }: RawComponent): string[] =>
  lines.filter(({ name }) => name === 'CATEGORIES').flatMap((line) => listOf(withoutNulls(lineValue(line))));

/** A start alone hides a task until then in some apps, and is no due date; but a series needs one. */
function todoDue(todo: Component, zones: TodoZones): TodoMoment | null {
  const isDue = todo.hasProperty('due') || todo.hasProperty('duration') || todo.hasProperty('rrule');
  try {
    const due = isDue ? dueOf(todo, zones) : undefined;
    if (due && !parseDateTime(due.text)) throw new UnreadableTodo('It has a date that cannot be read');
    return due ?? null;
  } catch (error) {
    throw notCalendarData(error instanceof UnreadableTodo ? error.message : 'It has a date that cannot be read');
  }
}

/**
 * By the owner's clock, in which our series are counted. A series in another zone keeps its present time there. EXDATE
 * and RDATE are left out: a series that comes once too often is better than one that ends.
 */
function readRule(todo: Component, zones: TodoZones, due: TodoMoment, zone: string): TodoFields['recurrence'] {
  try {
    const local = new ICAL.Component('vtodo');
    for (const name of ['dtstart', 'due']) {
      const moment = name === 'due' ? due : startOf(todo, zones);
      if (moment) local.addProperty(localProperty(name, moment, zone));
    }
    for (const rule of todo.getAllProperties('rrule')) local.addProperty(rule);
    const recurrence = repetitionOf(local, zones, { ...due, text: localText(due, zone) }, zone);
    const stored = serialiseRecurrence(recurrence);
    checkRuleRecurs(stored, toDueFields(parseDateTime(due.text) ?? null, due.hasTime, zone));
    return parseStoredRule(stored) ? recurrence : null;
  } catch (error) {
    if (error instanceof UnreadableTodo || error instanceof InvalidInput || error instanceof RangeError) return null;
    throw error;
  }
}

function startOf(todo: Component, zones: TodoZones): TodoMoment | undefined {
  const start = todo.getFirstProperty('dtstart');
  try {
    return start ? zones.momentOf(start) : undefined;
  } catch {
    return undefined;
  }
}

function localProperty(name: string, moment: TodoMoment, zone: string) {
  const property = new ICAL.Property(name);
  property.setValue(
    moment.hasTime
      ? ICAL.Time.fromDateTimeString(localText(moment, zone))
      : ICAL.Time.fromDateString(moment.text.slice(0, 10)),
  );
  return property;
}

function localText({ text, hasTime }: TodoMoment, zone: string): string {
  const written = parseDateTime(text);
  if (!written) throw new UnreadableTodo('It has a date that cannot be read');
  if (!hasTime) return text;
  const at = Temporal.Instant.fromEpochMilliseconds(toInstant(written, zone).getTime());
  return at.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'second' });
}

function keysOf(main: RawComponent, fields: TodoFields, zone: string): FieldKeys {
  return {
    title: textKey(fields.title),
    notes: textKey(fields.notes),
    due: keyOfMoment(fields.due, zone),
    rule: ruleKey(valueIn(main, 'RRULE') ?? ''),
    label: fields.kind,
    status: fields.status,
  };
}

function keyOfMoment(moment: TodoMoment | null, zone: string): string {
  if (!moment) return '';
  if (!moment.hasTime) return moment.text.slice(0, 10);
  const written = parseDateTime(moment.text);
  return written ? secondOf(toInstant(written, zone)) : '';
}

function startsBefore(todo: Component, zones: TodoZones, due: TodoMoment | null, zone: string): number | null {
  const start = startOf(todo, zones);
  if (!start || !due || start.hasTime !== due.hasTime) return null;
  const [from, to] = [start, due].map((moment) => parseDateTime(moment.text));
  if (!from || !to) return null;
  const seconds = (toInstant(to, zone).getTime() - toInstant(from, zone).getTime()) / 1_000;
  return due.hasTime ? seconds : Math.round(seconds / DAY_SECONDS);
}

type KeptLines = Pick<Kept, 'rest' | 'lines' | 'zones' | 'categories'>;

function keptLines(main: RawComponent, zoneParts: readonly RawComponent[]): KeptLines {
  const rest = main.lines.filter(({ name }) => !FIELD_LINES.has(name) && !OWN_LINES.has(name));
  const alarms = main.parts.filter((part) => !isOwnAlarm(part));
  const lines = Object.fromEntries(
    Object.entries(LINES).map(([field, names]) => [
      field,
      writeLines(main.lines.filter(({ name }) => names.includes(name))),
    ]),
  ) as KeptLines['lines'];
  const zones = zoneParts.flatMap((part) => {
    const tzid = valueIn(part, 'TZID');
    return tzid !== undefined && main.lines.some(({ text }) => namesZone(text, tzid))
      ? [[tzid, writeComponent(part)]]
      : [];
  });
  return {
    rest: `${writeLines(rest)}${alarms.map(writeComponent).join('')}`,
    lines,
    zones: Object.fromEntries(zones),
    categories: categoriesOf(main).slice(1),
  };
}

const namesZone = (line: string, tzid: string): boolean =>
  line.includes(`TZID=${tzid}`) || line.includes(`TZID="${tzid}"`);

/** The one that we add for people who want it: apps send it back. */
export const OWN_ALARM = 'X-CRESCENDO-ALARM';
const isOwnAlarm = (part: RawComponent): boolean =>
  part.name === 'VALARM' &&
  (findLine(part, OWN_ALARM) !== undefined || /^crescendo-/i.test(valueIn(part, 'UID') ?? ''));

function readOverride(part: RawComponent, zoneParts: readonly RawComponent[], reader: Reader): Override[] {
  const occurrence = keyOfLine(findLine(part, 'RECURRENCE-ID'), zoneParts, reader);
  if (occurrence === undefined) return [];
  const { todo } = parseTodo(part, zoneParts, ['STATUS', 'COMPLETED', 'PERCENT-COMPLETE']);
  return [{ occurrence, isDone: stateOf(todo, reader.now.toISOString(), reader.now).status === 'done' }];
}

const kdeOccurrence = (main: RawComponent, zoneParts: readonly RawComponent[], reader: Reader): string | undefined =>
  keyOfLine(findLine(main, KDE), zoneParts, reader);

/** Undefined if there is no such line, or its date cannot be read. */
function keyOfLine(
  line: ContentLine | undefined,
  zoneParts: readonly RawComponent[],
  reader: Reader,
): string | undefined {
  if (!line) return undefined;
  const lines = [withValueType({ name: 'DUE', text: `DUE${line.text.slice(line.name.length)}` })];
  try {
    const { todo, zones } = parseTodo({ name: 'VTODO', lines, parts: [] }, zoneParts);
    return keyOfMoment(todoDue(todo, zones), reader.zone) || undefined;
  } catch {
    return undefined;
  }
}
