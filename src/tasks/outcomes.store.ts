import { type Selectable, sql } from 'kysely';
import { sendLater } from '../db/batch.ts';
import { preparedInsert, preparedQuery } from '../db/prepared.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';
import type { PassedOver } from './due.ts';
import { isOverdue, type ReplannedOwner } from './overdue.ts';
import { type Counts, countsOf, NO_COUNTS } from './task-counts.sql.ts';
import type { ActionResult, Task } from './task-state.ts';

export type Outcome = Selectable<Database['outcomes']>;

const outcomeInserted = preparedInsert('outcomes');

/** Stores or withdraws the outcome of an action, and returns how the counts change. */
export async function recordOutcome(
  trx: Db,
  task: Pick<Task, 'id' | 'owner_id' | 'title' | 'due_at' | 'occurrence_started_at'>,
  { outcome, withdrawnOutcomeId }: Pick<Extract<ActionResult, { kind: 'changed' }>, 'outcome' | 'withdrawnOutcomeId'>,
  id: string,
  now: Date,
  missed: PassedOver | undefined,
): Promise<Partial<Counts>> {
  if (outcome) {
    const seconds_taken = Math.max(0, Math.round((now.getTime() - task.occurrence_started_at.getTime()) / 1_000));
    const inserted = outcomeInserted(trx, {
      id,
      owner_id: task.owner_id,
      task_id: task.id,
      title: task.title,
      occurrence_due_at: task.due_at,
      outcome,
      seconds_taken,
      recorded_at: now,
      missed: missed?.count ?? null,
      missed_from: missed?.first ?? null,
      missed_to: missed?.last ?? null,
    });
    await sendLater(trx, inserted);
    return countsWith(outcome, seconds_taken, 1);
  }
  const withdrawn = withdrawnOutcomeId && (await deleteOutcome(trx, withdrawnOutcomeId));
  return withdrawn ? countsWith(withdrawn.outcome, withdrawn.seconds_taken, -1) : {};
}

const countsWith = (outcome: string, seconds: number, sign: 1 | -1) =>
  outcome === 'done' ? { done: sign, seconds_to_done: sign * seconds } : { skipped: sign };

async function deleteOutcome(trx: Db, id: string): Promise<Outcome | undefined> {
  return trx.deleteFrom('outcomes').where('id', '=', id).returningAll().executeTakeFirst();
}

export interface OutcomeQuery {
  readonly outcome: string | undefined;
  readonly limit: number;
  readonly since: Date | undefined;
}

/** Newest first. */
export async function listOutcomes(db: Db, ownerId: string, asked: OutcomeQuery): Promise<Outcome[]> {
  const { outcome, limit, since } = asked;
  let query = db.selectFrom('outcomes').selectAll().where('owner_id', '=', ownerId);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (since !== undefined) query = query.where('recorded_at', '>=', since);
  return query.orderBy('recorded_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** The outcomes of occurrences during which others were missed. Newest first. */
export async function listMissed(db: Db, ownerId: string, since: Date | undefined, limit: number): Promise<Outcome[]> {
  let query = db.selectFrom('outcomes').selectAll().where('owner_id', '=', ownerId).where('missed', 'is not', null);
  if (since !== undefined) query = query.where('recorded_at', '>=', since);
  return query.orderBy('recorded_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** More than the transactions of one account that usually run at the same time. */
const SHARDS = 32;

/**
 * A shard that no other transaction has locked, or a new one. SQLite has a single writer, and one shard. If all are
 * locked, the write waits for the first.
 */
const freeShard = (db: Db, userId: string) =>
  isPostgres(db)
    ? sql<number>`coalesce(
        (select shard from task_count_shards where user_id = ${userId} limit 1 for update skip locked),
        (select free from generate_series(0, ${sql.lit(SHARDS - 1)}) as free
          where not exists (select from task_count_shards where user_id = ${userId} and shard = free)
          order by (free + pg_backend_pid()) % ${sql.lit(SHARDS)} limit 1),
        0)`
    : sql<number>`0`;

const countsAdded = preparedQuery(
  (
    db,
    user_id: string,
    open: number,
    done: number,
    skipped: number,
    nudges_sent: number,
    seconds_to_done: number,
    stored: number,
  ) =>
    db
      .insertInto('task_count_shards')
      .values({ user_id, shard: freeShard(db, user_id), open, done, skipped, nudges_sent, seconds_to_done, stored })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'shard']).doUpdateSet((eb) => ({
          open: eb('task_count_shards.open', '+', eb.ref('excluded.open')),
          done: eb('task_count_shards.done', '+', eb.ref('excluded.done')),
          skipped: eb('task_count_shards.skipped', '+', eb.ref('excluded.skipped')),
          nudges_sent: eb('task_count_shards.nudges_sent', '+', eb.ref('excluded.nudges_sent')),
          seconds_to_done: eb('task_count_shards.seconds_to_done', '+', eb.ref('excluded.seconds_to_done')),
          stored: eb('task_count_shards.stored', '+', eb.ref('excluded.stored')),
        })),
      ),
);

/** Adds to the running sums, in the transaction that changes the counted rows, so that the sums stay exact. */
export async function addToCounts(trx: Db, userId: string, change: Partial<Counts>): Promise<void> {
  const { open, done, skipped, nudges_sent, seconds_to_done, stored } = { ...NO_COUNTS, ...change };
  await sendLater(trx, countsAdded(trx, userId, open, done, skipped, nudges_sent, seconds_to_done, stored));
}

export async function getCounts(db: Db, userId: string): Promise<Counts> {
  const { rows } = await db.executeQuery(countsOf(db, userId));
  return rows[0] ?? NO_COUNTS;
}

/** Each count is answered from a partial index that contains open tasks only. */
export async function countOverdueAndSnoozed(
  db: Db,
  ownerId: string,
  now: Date,
  replanned: readonly ReplannedOwner[],
): Promise<{ overdue: number; snoozed: number }> {
  const open = db.selectFrom('tasks').where('owner_id', '=', ownerId).where('status', '=', sql.lit('open'));
  const count = (query: typeof open) =>
    query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const overdue = await count(open.where((eb) => isOverdue(eb, now, replanned)));
  const snoozed = await count(open.where('deferred_until', '>', now));
  return { overdue: overdue.count, snoozed: snoozed.count };
}
