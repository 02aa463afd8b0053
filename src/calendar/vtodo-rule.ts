/**
 * Translates the RRULE of an iCalendar task. An RRULE counts from DTSTART in the time zone of the file;
 * our rules count from the due date on the owner's wall clock. If the two would fall on different days,
 * or drift apart when clocks change, the task is refused: a task that repeats at the wrong time is worse
 * than a missing one.
 */
import ICAL from 'ical.js';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { type TodoMoment, type TodoZones, UnreadableTodo } from './vtodo-time.ts';

type Component = InstanceType<typeof ICAL.Component>;

const UNSUPPORTED = ['exdate', 'rdate', 'exrule', 'recurrence-id'];

export function repetitionOf(
  todo: Component,
  zones: TodoZones,
  due: TodoMoment | undefined,
  zone: string,
): { readonly rrule: string } | null {
  const unsupported = UNSUPPORTED.find((name) => todo.hasProperty(name));
  if (unsupported) throw new UnreadableTodo(`${unsupported.toUpperCase()} cannot be said here`);
  if (todo.getAllProperties('rrule').length > 1) throw new UnreadableTodo('It has more than one RRULE');
  const rule = todo.getFirstPropertyValue('rrule');
  if (!(rule instanceof ICAL.Recur)) return null;
  const start = todo.getFirstProperty('dtstart') ?? todo.getFirstProperty('due');
  if (!due || !start) return { rrule: rule.toString() };
  if (!zones.keepsTimeIn(start, zone)) {
    throw new UnreadableTodo('Its series would drift: the clocks of its time zone change on other days than yours');
  }
  if (namesDays(rule)) refuseOtherDays(todo, zones, due, zone);
  return { rrule: endingByDue(rule, wallIn(zones.momentOf(start), zone), wallIn(due, zone), zone).toString() };
}

type Recur = InstanceType<typeof ICAL.Recur>;

/** UNTIL limits the starts, ours the due dates, so it moves by the distance between the first start and due date. */
function endingByDue(rule: Recur, start: Temporal.PlainDateTime, due: Temporal.PlainDateTime, zone: string): Recur {
  if (!(rule.until instanceof ICAL.Time) || start.equals(due)) return rule;
  const last = wallIn(untilMoment(rule.until), zone).add(start.until(due));
  const moved = rule.clone();
  moved.until = ICAL.Time.fromString(last.toString({ smallestUnit: 'second' }), undefined as never);
  return moved;
}

/** UNTIL as a date includes the whole day. */
function untilMoment(until: InstanceType<typeof ICAL.Time>): TodoMoment {
  const text = until.toString();
  return until.isDate ? { text: `${text}T23:59:59`, hasTime: true } : { text, hasTime: true };
}

/** The moment on the owner's wall clock; a date without a time is the same everywhere. */
function wallIn({ text, hasTime }: TodoMoment, zone: string): Temporal.PlainDateTime {
  const written = parseDateTime(text);
  if (!written) throw new UnreadableTodo('It has a date-time that cannot be read');
  if (!hasTime) return written.wall;
  const at = Temporal.Instant.fromEpochMilliseconds(toInstant(written, zone).getTime());
  return at.toZonedDateTimeISO(zone).toPlainDateTime();
}

/** A plain "every n days or weeks" names no days, so it can be counted from the due date as well. */
const namesDays = (rule: Recur): boolean =>
  Object.keys(rule.parts).length > 0 || rule.freq === 'MONTHLY' || rule.freq === 'YEARLY';

function refuseOtherDays(todo: Component, zones: TodoZones, due: TodoMoment, zone: string): void {
  const start = todo.getFirstProperty('dtstart');
  const counted = start ? zones.momentOf(start) : due;
  const written = counted.text.slice(0, 10);
  if (written === due.text.slice(0, 10) && written === wallIn(due, zone).toPlainDate().toString()) return;
  throw new UnreadableTodo('Its RRULE falls on other days when it is counted from what is due, in your time zone');
}
