/**
 * Lists the occurrences of a series after the present one, on the assumption that each is closed before the next. They
 * are the ones that `nextDueFields` would give one after the other, found in one expansion of the rule.
 */
import { toInstant } from '../../lib/date-time.ts';
import { datesAfter, isPastUntil, nextElapsed, wallTimesAfter } from '../../recurrence/occurrences.ts';
import { type ClockRule, type DayRule, isClockRule, type Rule } from '../../recurrence/rule.ts';
import { allDayDue, asByRule, closedInZone, dueDate, isStorable, type Series } from '../due.ts';

export interface LaterOccurrence {
  readonly at: Date;
  /** The day in the owner's zone. */
  readonly date: Temporal.PlainDate;
  /** Others follow on the same day and are left out. */
  readonly hasMore: boolean;
}

/** A rule with times of the day has at most as many. Every few minutes would fill each list. */
export const MOST_PER_DAY = 24;

/** A later instant has no year of four digits. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * On `from` or later, in ascending order. None of a rule that counts from completion: the next date depends on when the
 * present one is done.
 */
export function* laterOccurrences(
  task: Series,
  rule: Rule,
  zone: string,
  from: Temporal.PlainDate,
): Generator<LaterOccurrence> {
  if (task.due_at === null || task.series_first === null || rule.from === 'completion') return;
  const present = asByRule(task, zone);
  const first = Temporal.PlainDateTime.from(task.series_first);
  if (isClockRule(rule)) yield* onClock(present, rule, first, zone, from);
  else if (task.has_time) yield* timed(present, rule, first, zone, from);
  else yield* allDay(present, rule, first, zone, from);
}

function* onClock(
  present: Series,
  rule: ClockRule,
  first: Temporal.PlainDateTime,
  zone: string,
  from: Temporal.PlainDate,
): Generator<LaterOccurrence> {
  if (!present.has_time || present.due_at === null) return;
  const series = { first: startOf(first, zone), known: present.due_at, zone };
  const nextAfter = (after: number) => nextElapsed(rule, series, new Date(after));
  let next = nextAfter(Math.max(present.due_at.getTime(), startOf(from.toPlainDateTime(), zone).getTime() - 1));
  for (let [date, count]: [Temporal.PlainDate | undefined, number] = [undefined, 0]; next; ) {
    const day = dateOf(next.getTime(), zone);
    count = date?.equals(day) ? count + 1 : 1;
    date = day;
    const at: Date = next;
    next = nextAfter(at.getTime());
    const hasMore = count === MOST_PER_DAY && next !== null && dateOf(next.getTime(), zone).equals(day);
    yield { at, date: day, hasMore };
    if (hasMore) next = nextAfter(startOf(day.add({ days: 1 }).toPlainDateTime(), zone).getTime() - 1);
  }
}

function* timed(
  present: Series,
  rule: DayRule,
  first: Temporal.PlainDateTime,
  zone: string,
  from: Temporal.PlainDate,
): Generator<LaterOccurrence> {
  const presentAt = Math.max(present.due_at?.getTime() ?? 0, closedInZone(present, zone));
  let last = Math.max(presentAt, startOf(from.toPlainDateTime(), zone).getTime() - 1);
  // A zone can skip a whole day, which moves its time to the next one.
  const after = dateOf(last, zone).subtract({ days: 2 }).toPlainDateTime('23:59:59.999');
  for (const day of byDay(wallTimesAfter(rule, first, after))) {
    const walls = day.filter((wall) => rule.until === null || !isPastUntil(rule.until, wall, zone));
    // On the day of a gap, 02:15 can come after 03:05, and two times can be the same.
    for (const at of walls.map((wall) => startOf(wall, zone).getTime()).sort((a, b) => a - b)) {
      if (at > LAST_INSTANT) return;
      if (at <= last) continue;
      last = at;
      yield { at: new Date(at), date: dateOf(at, zone), hasMore: false };
    }
    if (walls.length < day.length) return;
  }
}

function* byDay(walls: Iterable<Temporal.PlainDateTime>): Generator<Temporal.PlainDateTime[]> {
  let day: Temporal.PlainDateTime[] = [];
  for (const wall of walls) {
    const [previous] = day;
    if (previous && !previous.toPlainDate().equals(wall.toPlainDate())) {
      yield day;
      day = [];
    }
    day.push(wall);
  }
  if (day.length > 0) yield day;
}

function* allDay(
  present: Series,
  rule: DayRule,
  first: Temporal.PlainDateTime,
  zone: string,
  from: Temporal.PlainDate,
): Generator<LaterOccurrence> {
  const presentDay = dueDate(present);
  const before = from.subtract({ days: 1 });
  const after = presentDay && Temporal.PlainDate.compare(presentDay, before) > 0 ? presentDay : before;
  for (const date of datesAfter(rule, first.toPlainDate(), after)) {
    const wall = date.toPlainDateTime(first.toPlainTime());
    if ((rule.until && isPastUntil(rule.until, wall, zone)) || !isStorable(wall)) return;
    yield { at: allDayDue(date, first.toPlainTime(), zone).due_at, date, hasMore: false };
  }
}

const startOf = (wall: Temporal.PlainDateTime, zone: string): Date => toInstant({ wall, offset: null }, zone);

const dateOf = (at: number, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
