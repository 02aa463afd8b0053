/** The SQL of fallback: reads what has happened in a run, and records that a nudge fell to the next tier. */
import { type Insertable, sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import type { FallbackState } from '../escalation/fallback.ts';

interface StateRow {
  readonly task_id: string;
  readonly recipient_id: string;
  readonly since: Date | number | null;
  readonly reached: number | null;
}

/** An owner and a stand-in answer each for themselves. */
export const fallbackKey = (taskId: string, recipientId: string): string => `${taskId} ${recipientId}`;

/**
 * By task and recipient (`fallbackKey`). The wait for an answer starts at the first nudge after the last answer, because a person who answers an old
 * nudge knows of the later ones as well. A heads-up does not start it: nothing is due yet.
 */
export async function listFallbackStates(db: Db, taskIds: readonly string[]): Promise<Map<string, FallbackState>> {
  if (taskIds.length === 0) return new Map();
  const rows = await statesOf(db, idsParameter(db, taskIds));
  return new Map(
    rows.map(({ task_id, recipient_id, since, reached }) => [
      fallbackKey(task_id, recipient_id),
      { unansweredSince: since === null ? null : new Date(since), reachedTier: reached },
    ]),
  );
}

const statesOf = prepared((db, taskIds: unknown) => {
  const [operator, ids] = amongParameter(db, taskIds);
  const query = sql<StateRow>`
    with run as (
      select deliveries.task_id, deliveries.recipient_id, deliveries.nudge, deliveries.created_at, deliveries.stage, deliveries.tier,
        deliveries.status, deliveries.attempts, deliveries.answered_nudge
      from deliveries inner join tasks on tasks.id = deliveries.task_id and tasks.run = deliveries.run
      where deliveries.task_id ${sql.raw(operator)} ${ids} and deliveries.kind = 'nudge'),
    answered as (
      select task_id, recipient_id, coalesce(max(answered_nudge), 0) as nudge from run group by task_id, recipient_id)
    select run.task_id, run.recipient_id, min(case when run.nudge > answered.nudge then created_at end) as since,
      max(case when status = 'sent' or attempts > 0 then tier end) as reached
    from run inner join answered on answered.task_id = run.task_id and answered.recipient_id = run.recipient_id
    where run.stage >= 0 group by run.task_id, run.recipient_id`;
  return { compile: () => query.compile(db) };
});

/** Ignores an entry that exists: a delivery that is leased again has its entry already. */
export async function insertFalls(db: Db, entries: readonly Insertable<Database['timeline']>[]): Promise<void> {
  if (entries.length === 0) return;
  const inserted = db.insertInto('timeline').values(entries);
  await inserted.onConflict((conflict) => conflict.column('id').doNothing()).execute();
}
