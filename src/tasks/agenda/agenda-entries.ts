/**
 * What of a task belongs into an agenda: its present occurrence, later ones, the end of a snooze, or a nudge that comes
 * in the span although the task is due outside of it. A task is in the agenda once for each of its occurrences.
 */
import type { Hold } from '../../escalation/holds.ts';
import { releaseFrom } from '../../escalation/holds.ts';
import type { Rule } from '../../recurrence/rule.ts';
import { dueDate, type Series } from '../due.ts';
import { forecastTask, type UnplannedTask } from '../plan-task.ts';
import type { Task } from '../task-state.ts';
import type { Owner } from '../tasks.store.ts';
import { laterOccurrences } from './later-occurrences.ts';

export type AgendaTask = UnplannedTask &
  Series &
  Pick<Task, 'id' | 'title' | 'recurrence' | 'next_fire_at' | 'overdue_at'>;

export interface AgendaEntry {
  /** Where it stands in the order of time. */
  readonly at: Date;
  /** Of the task, or of the outcome with which occurrences were missed: entries of one moment are in order of it. */
  readonly id: string;
  readonly taskId: string;
  readonly title: string;
  readonly date: Temporal.PlainDate;
  readonly hasTime: boolean;
  readonly kind: 'due' | 'occurrence' | 'snoozed' | 'nudge';
  readonly status: 'open' | 'overdue' | 'snoozed' | 'pending' | 'missed';
  readonly dueAt: Date | null;
  /** Undefined for what was missed earlier. */
  readonly task?: AgendaTask;
  readonly missed: number | null;
  readonly missedTo: Date | null;
  readonly hasMore: boolean;
}

/** The days of the owner, both included, and their instants. */
export interface Span {
  readonly from: Temporal.PlainDate;
  readonly start: Date;
  /** The first moment after it. */
  readonly end: Date;
}

const KINDS = ['snoozed', 'due', 'nudge', 'occurrence'] as const;

/** The place of an entry: no two entries have the same. */
export type AgendaPosition = readonly [at: number, id: string, kind: number];

export const positionOf = ({ at, id, kind }: AgendaEntry): AgendaPosition => [at.getTime(), id, KINDS.indexOf(kind)];

export function comparePositions([at, id, kind]: AgendaPosition, [other, otherId, otherKind]: AgendaPosition): number {
  if (at !== other) return at - other;
  if (id !== otherId) return id < otherId ? -1 : 1;
  return kind - otherKind;
}

const isWithin = (at: Date | null, { start, end }: Span): at is Date => at !== null && at >= start && at < end;

/** The present occurrence. Undefined if nothing of it falls into the span. */
export function presentEntry(task: AgendaTask, owner: Owner, now: Date, span: Span): AgendaEntry | undefined {
  const { due_at, deferred_until, next_fire_at, overdue_at } = task;
  const isSnoozed = deferred_until !== null && deferred_until > now;
  const common = { ...commonOf(task), dueAt: due_at, missed: null, missedTo: null, hasMore: false };
  const openStatus = overdue_at !== null && overdue_at <= now ? 'overdue' : 'open';
  const status = task.accepted_by_owner ? (isSnoozed ? 'snoozed' : openStatus) : 'pending';
  const at = (moment: Date, kind: AgendaEntry['kind']): AgendaEntry => ({
    ...common,
    at: moment,
    date: dateOf(moment, owner.timezone),
    hasTime: true,
    kind,
    status,
  });
  // A snooze that ends before the task is due delays nothing.
  if (isSnoozed && isWithin(deferred_until, span) && (due_at === null || deferred_until >= due_at))
    return at(deferred_until, 'snoozed');
  if (isWithin(due_at, span)) {
    const date = task.has_time ? null : dueDate(task);
    const due = at(due_at, 'due');
    return date ? { ...due, date, hasTime: false } : due;
  }
  return isWithin(next_fire_at, span) ? at(next_fire_at, 'nudge') : undefined;
}

const commonOf = (task: AgendaTask) => ({ id: task.id, taskId: task.id, title: task.title, task });

/** Those that passed while the present one was open are missed. */
export function* laterEntries(
  task: AgendaTask,
  rule: Rule,
  owner: Owner,
  now: Date,
  span: Span,
  from: Temporal.PlainDate,
): Generator<AgendaEntry> {
  // Whoever has not accepted the task may never have another occurrence of it.
  if (!task.accepted_by_owner) return;
  for (const { at, date, hasMore } of laterOccurrences(task, rule, owner.timezone, from)) {
    if (at >= span.end) return;
    const isMissed = task.has_time ? at < now : Temporal.PlainDate.compare(date, dateOf(now, owner.timezone)) < 0;
    yield {
      ...commonOf(task),
      at,
      date,
      hasTime: task.has_time,
      kind: 'occurrence',
      status: isMissed ? 'missed' : 'open',
      dueAt: at,
      missed: isMissed ? 1 : null,
      missedTo: null,
      hasMore,
    };
  }
}

export interface EntryNudge {
  readonly at: Date;
  readonly holds: readonly Hold[];
}

/** When the entry is nudged next: the present occurrence as it is planned, a later one from its due moment on. */
export function nudgeOf({ task, kind, status, at, date }: AgendaEntry, owner: Owner, now: Date): EntryNudge | null {
  if (!task || status === 'missed') return null;
  if (kind !== 'occurrence') return forecastTask(task, owner, now, 1)[0] ?? null;
  if (owner.suspended_at !== null) return null;
  const wanted = task.has_time ? at : startOfDay(date, owner);
  return releaseFrom(wanted, task.break_quiet_hours, owner);
}

const startOfDay = (date: Temporal.PlainDate, { timezone, day_start }: Owner): Date =>
  new Date(date.toZonedDateTime({ timeZone: timezone, plainTime: day_start }).epochMilliseconds);

const dateOf = (at: Date, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
