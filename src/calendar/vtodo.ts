/**
 * Translates the tasks (VTODO) of an iCalendar file into archived tasks. The values are validated later,
 * like those of any archived task.
 *
 * | iCalendar                         | becomes                                                          |
 * | --------------------------------- | ---------------------------------------------------------------- |
 * | SUMMARY, DESCRIPTION              | title, notes; if a title is too long, the notes have all of it |
 * | DUE, or DTSTART with DURATION     | due; a date alone means the whole day                            |
 * | RRULE                             | recurrence; EXDATE, RDATE and RECURRENCE-ID are refused          |
 * | STATUS, COMPLETED, PERCENT        | open, done or dropped, and when                                  |
 * | PRIORITY 6 to 9 (low)             | mode `notify_once`; all others escalate                          |
 * | VALARM a day or more before       | lead time in days, the earliest, at most 30                      |
 * | UID                               | the id: the same file twice makes nothing twice                  |
 *
 * CATEGORIES and all other properties are ignored.
 */
import ICAL from 'ical.js';
import { idFromWords, isUuid } from '../lib/ids.ts';
import { LONGEST_LEAD_DAYS } from '../tasks/plan-task.ts';
import { repetitionOf } from './vtodo-rule.ts';
import { type TodoMoment, TodoZones, UnreadableTodo } from './vtodo-time.ts';

type Component = InstanceType<typeof ICAL.Component>;

export interface TodoReader {
  /** The owner's time zone, for date-times without one. */
  readonly zone: string;
  readonly now: Date;
}

/** One task of the file: as an archived task, or the reason why it is refused. */
export type ReadTodo =
  | { readonly title: string | undefined; readonly task: Readonly<Record<string, unknown>> }
  | { readonly title: string | undefined; readonly reason: string };

const LONGEST_TITLE = 200;
const DAY_SECONDS = 86_400;

/** Throws the error of ical.js if the text is not iCalendar. */
export function listTodos(text: string): { readonly todos: readonly Component[]; readonly zones: TodoZones } {
  const parsed: unknown[] = ICAL.parse(text);
  const roots = (typeof parsed[0] === 'string' ? [parsed] : parsed) as ConstructorParameters<
    typeof ICAL.Component
  >[0][];
  const calendars = roots.map((root) => new ICAL.Component(root)).filter(({ name }) => name === 'vcalendar');
  const todos = calendars.flatMap((calendar) => calendar.getAllSubcomponents('vtodo'));
  return { todos, zones: new TodoZones(calendars) };
}

export function readTodo(todo: Component, zones: TodoZones, reader: TodoReader): ReadTodo {
  let title: string | undefined;
  try {
    const texts = titleAndNotes(todo);
    title = texts.title;
    return { title, task: { ...texts, ...fieldsOf(todo, zones, reader) } };
  } catch (error) {
    if (error instanceof UnreadableTodo) return { title, reason: error.message };
    // Errors of ical.js quote the text, which may be megabytes long.
    return { title, reason: 'It cannot be read as RFC 5545 has it' };
  }
}

function fieldsOf(todo: Component, zones: TodoZones, reader: TodoReader): Record<string, unknown> {
  const due = dueOf(todo, zones);
  const created_at = instantOf(todo, 'created', reader.now) ?? reader.now.toISOString();
  const updated_at = instantOf(todo, 'last-modified', reader.now) ?? instantOf(todo, 'dtstamp', reader.now);
  const state = stateOf(todo, updated_at ?? reader.now.toISOString(), reader.now);
  return {
    id: idOf(todo),
    due_at: due?.text ?? null,
    has_time: due?.hasTime ?? false,
    recurrence: repetitionOf(todo, zones, due, reader.zone),
    lead_time_days: leadTimeOf(todo),
    mode: isLow(todo) ? 'notify_once' : 'escalate',
    created_at: earlier(created_at, state.closed_at),
    updated_at: updated_at ?? created_at,
    ...state,
    outcomes: state.status === 'done' ? [{ outcome: 'done', recorded_at: state.closed_at }] : [],
  };
}

const earlier = (text: string, other: string | null): string => (other !== null && other < text ? other : text);

function titleAndNotes(todo: Component): { title: string; notes: string | null } {
  const summary = textOf(todo, 'summary');
  const description = textOf(todo, 'description');
  const title = summary ?? description?.split('\n', 1)[0]?.trim();
  if (!title) throw new UnreadableTodo('It has neither SUMMARY nor DESCRIPTION');
  // Limits on text count code points, which spreading a string yields.
  const characters = [...title];
  if (characters.length <= LONGEST_TITLE) return { title, notes: description ?? null };
  const short = `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
  return { title: short, notes: [summary, description].filter((text) => text !== undefined).join('\n\n') };
}

function textOf(todo: Component, name: string): string | undefined {
  const value = todo.getFirstPropertyValue(name);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The UID itself if it is one of our ids, otherwise an id that is always the same for the same UID. */
function idOf(todo: Component): string {
  const uid = textOf(todo, 'uid');
  if (uid !== undefined && isUuid(uid)) return uid.toLowerCase();
  return idFromWords('vtodo', uid ?? JSON.stringify(todo.toJSON()));
}

export function dueOf(todo: Component, zones: TodoZones): TodoMoment | undefined {
  const due = todo.getFirstProperty('due');
  if (due) return zones.momentOf(due);
  const start = todo.getFirstProperty('dtstart');
  if (!start) return undefined;
  const duration = todo.getFirstPropertyValue('duration');
  if (!(duration instanceof ICAL.Duration) || duration.toSeconds() <= 0) return zones.momentOf(start);
  const days = duration.weeks * 7 + duration.days;
  return zones.momentAfter(start, days, duration.toSeconds() - days * DAY_SECONDS);
}

/** RFC 5545 requires UTC for these. One in the future comes from a wrong clock and is read as now. */
function instantOf(todo: Component, name: string, now: Date): string | undefined {
  const value = todo.getFirstPropertyValue(name);
  if (!(value instanceof ICAL.Time)) return undefined;
  const at = value.toUnixTime() * 1_000;
  if (!Number.isFinite(at) || at < -62_135_596_800_000) return undefined;
  return new Date(Math.min(at, now.getTime())).toISOString();
}

interface State {
  readonly status: 'open' | 'done' | 'dropped';
  readonly completed_at: string | null;
  readonly closed_at: string | null;
}

export function stateOf(todo: Component, changedAt: string, now: Date): State {
  const status = textOf(todo, 'status')?.toUpperCase();
  const completedAt = instantOf(todo, 'completed', now);
  const isDone = status === 'COMPLETED' || Number(todo.getFirstPropertyValue('percent-complete')) === 100;
  if (status === 'CANCELLED') return { status: 'dropped', completed_at: null, closed_at: changedAt };
  if (!isDone && (status !== undefined || completedAt === undefined)) {
    return { status: 'open', completed_at: null, closed_at: null };
  }
  const at = completedAt ?? changedAt;
  return { status: 'done', completed_at: at, closed_at: at };
}

/** RFC 5545: 1 is the highest, 9 the lowest, 0 is undefined. */
function isLow(todo: Component): boolean {
  const priority = Number(todo.getFirstPropertyValue('priority'));
  return priority >= 6 && priority <= 9;
}

/** Alarms on the day itself are ignored: the ladder covers that day. */
function leadTimeOf(todo: Component): number | null {
  const triggers = todo.getAllSubcomponents('valarm').map((alarm) => alarm.getFirstPropertyValue('trigger'));
  const days = triggers.map((trigger) =>
    trigger instanceof ICAL.Duration ? Math.floor(-trigger.toSeconds() / DAY_SECONDS) : 0,
  );
  const earliest = days.reduce((most, count) => Math.max(most, count), 0);
  return earliest >= 1 ? Math.min(earliest, LONGEST_LEAD_DAYS) : null;
}
