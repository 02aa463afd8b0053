/** The dates after the present one, for a person who looks at a rule before it is stored. */
import { isClockRule } from '../recurrence/rule.ts';
import { laterOccurrences } from './agenda/later-occurrences.ts';
import { nextDueFields, type Series } from './due.ts';
import { parseStoredRule } from './task-input.ts';

/**
 * At most `most`, on the assumption that each is done when it is due, and the present one now if it is overdue. Empty
 * if the task does not repeat, or not again.
 */
export function nextDates(
  task: Series & { readonly recurrence: string | null },
  zone: string,
  now: Date,
  most: number,
) {
  const rule = parseStoredRule(task.recurrence);
  if (!rule || task.due_at === null) return [];
  if (isClockRule(rule) || rule.from === 'completion') return oneByOne(task, rule, zone, now, most);
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  return laterOccurrences(task, rule, zone, today)
    .filter(({ at, date }) => (task.has_time ? at > now : Temporal.PlainDate.compare(date, today) > 0))
    .take(most)
    .map(({ at }) => at)
    .toArray();
}

function oneByOne(
  task: Series,
  rule: Parameters<typeof nextDueFields>[1],
  zone: string,
  now: Date,
  most: number,
): Date[] {
  const dates: Date[] = [];
  let series = task;
  while (dates.length < most && series.due_at !== null) {
    const doneAt = dates.length === 0 && now > series.due_at ? now : series.due_at;
    const next = nextDueFields(series, rule, zone, doneAt);
    if (!next?.due_at) break;
    dates.push(next.due_at);
    series = { ...series, ...next, occurrence_number: series.occurrence_number + 1 };
  }
  return dates;
}
