/** The filters of the lists. They are part of the address, so that back and links keep them. Pure. */
import type { Task } from '../api/client.ts';
import { isRepeating } from '../recurrence/recurrence.ts';
import { isSnoozed } from '../time/due-moment.ts';

export interface Filters {
  readonly space?: string;
  readonly kind?: string;
  readonly repeating?: true;
  readonly snoozed?: true;
}

/** Anything else in the address is ignored. A label such as "2026" arrives as a number. */
export function readFilters({ space, kind, repeating, snoozed }: Record<string, unknown>): Filters {
  const isLabel = (typeof kind === 'string' && kind !== '') || typeof kind === 'number';
  return {
    ...(typeof space === 'string' && space !== '' && { space }),
    ...(isLabel && { kind: String(kind) }),
    ...(repeating === true && { repeating }),
    ...(snoozed === true && { snoozed }),
  };
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

export function filterTasks(tasks: readonly Task[], filters: Filters, now: number): readonly Task[] {
  if (!isFiltered(filters)) return tasks;
  return tasks.filter(
    (task) =>
      (filters.space === undefined || task.space_id === filters.space) &&
      (filters.kind === undefined || task.kind === filters.kind) &&
      (!filters.repeating || isRepeating(task.recurrence)) &&
      (!filters.snoozed || isSnoozed(task, now)),
  );
}
