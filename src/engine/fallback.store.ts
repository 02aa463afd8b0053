/** The SQL of fallback: what a run has seen so far, and that a nudge fell to the next tier. */
import { type Insertable, sql } from 'kysely';
import { among } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import type { FallbackState } from '../escalation/fallback.ts';

interface StateRow {
  readonly task_id: string;
  readonly since: Date | number | null;
  readonly reached: number | null;
}

/**
 * By task. The clock of a run starts at its first nudge that came after the last answered one. Heads-ups do not count:
 * nothing is due yet.
 */
export async function listFallbackStates(db: Db, taskIds: readonly string[]): Promise<Map<string, FallbackState>> {
  if (taskIds.length === 0) return new Map();
  const [operator, ids] = among(db, taskIds);
  const { rows } = await sql<StateRow>`
    with run as (
      select deliveries.task_id, deliveries.created_at, deliveries.tier, deliveries.status,
        deliveries.attempts, (acked_at is not null or confirmed_at is not null) as is_answered
      from deliveries inner join tasks on tasks.id = deliveries.task_id
      where deliveries.task_id ${sql.raw(operator)} ${ids} and deliveries.kind = 'nudge'
        and deliveries.stage >= 0 and deliveries.created_at >= tasks.run_started_at),
    answered as (select task_id, max(created_at) as last_at from run where is_answered group by task_id)
    select run.task_id,
      min(case when last_at is null or created_at > last_at then created_at end) as since,
      max(case when status = 'sent' or attempts > 0 then tier end) as reached
    from run left join answered on answered.task_id = run.task_id group by run.task_id`.execute(db);
  return new Map(
    rows.map(({ task_id, since, reached }) => [
      task_id,
      { unansweredSince: since === null ? null : new Date(since), reachedTier: reached },
    ]),
  );
}

/** A delivery that is leased again has its entry already. */
export async function insertFalls(db: Db, entries: readonly Insertable<Database['timeline']>[]): Promise<void> {
  if (entries.length === 0) return;
  const inserted = db.insertInto('timeline').values(entries);
  await inserted.onConflict((conflict) => conflict.column('id').doNothing()).execute();
}
