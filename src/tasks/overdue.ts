/**
 * Finds open tasks that are overdue by the present settings of their owners. A task without a time is overdue after its
 * day in the owner's zone. When the owner changes the zone, `overdue_at` follows slice by slice, so until the last
 * slice the due days of that owner's tasks are compared with today in the new zone.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Database } from '../db/schema.ts';

/** An owner with a running replan, and the date in their present zone. */
export interface ReplannedOwner {
  readonly id: string;
  readonly today: string;
}

/** Two zones are at most 26 hours apart. */
const ZONES_APART_MS = 48 * 3_600_000;

export function isOverdue(
  eb: ExpressionBuilder<Database, 'tasks'>,
  now: Date,
  replanned: readonly ReplannedOwner[],
): Expression<SqlBool> {
  if (replanned.length === 0) return eb('overdue_at', '<=', now);
  const ids = replanned.map(({ id }) => id);
  const dueDay = eb.fn<string>('substr', ['due_written', eb.lit(1), eb.lit(10)]);
  return eb.and([
    // Lets the index on `overdue_at` find the few tasks that are compared.
    eb('overdue_at', '<=', new Date(now.getTime() + ZONES_APART_MS)),
    eb.or([
      eb.and([eb('overdue_at', '<=', now), eb.or([eb('has_time', '=', true), eb('owner_id', 'not in', ids)])]),
      ...replanned.map(({ id, today }) =>
        eb.and([eb('owner_id', '=', id), eb('has_time', '=', false), eb(dueDay, '<', today)]),
      ),
    ]),
  ]);
}
