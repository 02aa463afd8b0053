/**
 * How an iCalendar task repeats, in our words. There a rule counts from DTSTART, wherever the task's
 * owner is; here from what is due, on the owner's wall clock. Where the two would fall on different
 * days, or drift apart when clocks change, the task is refused: one that repeats at the wrong moment is
 * worse than one that is missing.
 */
import ICAL from 'ical.js';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { UnreadableTodo } from './unreadable-todo.ts';
import type { TodoMoment, TodoZones } from './vtodo-time.ts';

type Component = InstanceType<typeof ICAL.Component>;

const BEYOND_US = ['exdate', 'rdate', 'exrule', 'recurrence-id'];

export function repetitionOf(
  todo: Component,
  zones: TodoZones,
  due: TodoMoment | undefined,
  zone: string,
): { readonly rrule: string } | null {
  const beyond = BEYOND_US.find((name) => todo.hasProperty(name));
  if (beyond) throw new UnreadableTodo(`${beyond.toUpperCase()} cannot be said here`);
  if (todo.getAllProperties('rrule').length > 1) throw new UnreadableTodo('It has more than one RRULE');
  const rule = todo.getFirstPropertyValue('rrule');
  if (!(rule instanceof ICAL.Recur)) return null;
  const begins = todo.getFirstProperty('dtstart') ?? todo.getFirstProperty('due');
  if (!due || !begins) return { rrule: rule.toString() };
  if (!zones.keepsTimeIn(begins, zone)) {
    throw new UnreadableTodo('Its series would drift: the clocks of its time zone change on other days than yours');
  }
  if (namesDays(rule)) refuseOtherDays(todo, zones, due, zone);
  return { rrule: endingByDue(rule, wallIn(zones.momentOf(begins), zone), wallIn(due, zone), zone).toString() };
}

type Recur = InstanceType<typeof ICAL.Recur>;

/** UNTIL bounds what begins; here it bounds what is due, which is as much later as in the first occurrence. */
function endingByDue(rule: Recur, begins: Temporal.PlainDateTime, due: Temporal.PlainDateTime, zone: string): Recur {
  if (!(rule.until instanceof ICAL.Time) || begins.equals(due)) return rule;
  const last = wallIn(untilMoment(rule.until), zone).add(begins.until(due));
  const moved = rule.clone();
  moved.until = ICAL.Time.fromString(last.toString({ smallestUnit: 'second' }), undefined as never);
  return moved;
}

/** A date includes its whole day. */
function untilMoment(until: InstanceType<typeof ICAL.Time>): TodoMoment {
  const text = until.toString();
  return until.isDate ? { text: `${text}T23:59:59`, hasTime: true } : { text, hasTime: true };
}

/** On the owner's wall clock; a date alone is the same everywhere. */
function wallIn({ text, hasTime }: TodoMoment, zone: string): Temporal.PlainDateTime {
  const written = parseDateTime(text);
  if (!written) throw new UnreadableTodo('It has a date-time that cannot be read');
  if (!hasTime) return written.wall;
  const at = Temporal.Instant.fromEpochMilliseconds(toInstant(written, zone).getTime());
  return at.toZonedDateTimeISO(zone).toPlainDateTime();
}

/** A rule that says no more than "every so many days or weeks" falls alike, wherever it is counted from. */
const namesDays = (rule: Recur): boolean =>
  Object.keys(rule.parts).length > 0 || rule.freq === 'MONTHLY' || rule.freq === 'YEARLY';

function refuseOtherDays(todo: Component, zones: TodoZones, due: TodoMoment, zone: string): void {
  const start = todo.getFirstProperty('dtstart');
  const counted = start ? zones.momentOf(start) : due;
  const written = counted.text.slice(0, 10);
  if (written === due.text.slice(0, 10) && written === wallIn(due, zone).toPlainDate().toString()) return;
  throw new UnreadableTodo('Its RRULE falls on other days when it is counted from what is due, in your time zone');
}
