/**
 * How an iCalendar task repeats, in our words. There a rule counts from DTSTART, wherever the task's
 * owner is; here from what is due, on the owner's wall clock. Where the two would fall on different
 * days the task is refused: one that repeats on the wrong day is worse than one that is missing.
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
  if (due && namesDays(rule)) refuseOtherDays(todo, zones, due, zone);
  return { rrule: rule.toString() };
}

/** A rule that says no more than "every so many days or weeks" falls alike, wherever it is counted from. */
const namesDays = (rule: InstanceType<typeof ICAL.Recur>): boolean =>
  Object.keys(rule.parts).length > 0 || rule.freq === 'MONTHLY' || rule.freq === 'YEARLY';

function refuseOtherDays(todo: Component, zones: TodoZones, due: TodoMoment, zone: string): void {
  const start = todo.getFirstProperty('dtstart');
  const counted = start ? zones.momentOf(start) : due;
  const written = counted.text.slice(0, 10);
  if (written === due.text.slice(0, 10) && written === dateIn(due, zone)) return;
  throw new UnreadableTodo('Its RRULE falls on other days when it is counted from what is due, in your time zone');
}

function dateIn({ text, hasTime }: TodoMoment, zone: string): string {
  const written = parseDateTime(text);
  if (!hasTime || !written) return text.slice(0, 10);
  const at = Temporal.Instant.fromEpochMilliseconds(toInstant(written, zone).getTime());
  return at.toZonedDateTimeISO(zone).toPlainDate().toString();
}
