/** The SQL of the tasks that have reached a stand-in. */
import { sql } from 'kysely';
import { sendLater } from '../../db/batch.ts';
import { preparedQuery } from '../../db/prepared.ts';
import { rowsAsTable } from '../../db/rows.ts';
import type { Db } from '../../db/schema.ts';
import { standInCounts } from '../visibility.sql.ts';

/** The run went on without what they were told: nothing of it is left. */
export async function forgetRun(trx: Db, taskId: string, now: Date): Promise<void> {
  await sendLater(trx, rowsForgotten(trx, taskId));
  await sendLater(trx, newsForgotten(trx, taskId, now));
}

export async function settleRun(trx: Db, taskId: string, run: number, { now, by, how }: Settling): Promise<void> {
  await sendLater(trx, rowsSettled(trx, taskId, run, now, by, how));
}

interface Settling {
  readonly now: Date;
  readonly by: string;
  readonly how: string;
}

const rowsForgotten = preparedQuery((db, taskId: string) =>
  db.deleteFrom('stand_in_tasks').where('task_id', '=', taskId),
);

const newsForgotten = preparedQuery((db, taskId: string, now: Date) =>
  db
    .updateTable('request_messages')
    .set({ settled_at: now, due_at: null })
    .where('task_id', '=', taskId)
    .where('kind', '=', sql.lit('stand_in_done'))
    .where('due_at', 'is not', null),
);

const rowsSettled = preparedQuery((db, taskId: string, run: number, now: Date, by: string, how: string) =>
  db
    .updateTable('stand_in_tasks')
    .set({ settled_at: now, settled_by: by, settled_how: how })
    .where('task_id', '=', taskId)
    .where('run', '=', run)
    .where('settled_at', 'is', null),
);

export type ReachedTask = NonNullable<Awaited<ReturnType<typeof findReached>>>;

/** With the name of the owner and of whoever settled it since then, while the agreement counts. */
const reachedTasks = (db: Db, personId: string, settledSince: Date) =>
  db
    .selectFrom('stand_in_tasks as reached')
    .innerJoin('tasks', 'tasks.id', 'reached.task_id')
    .innerJoin('stand_ins', 'stand_ins.id', 'reached.stand_in_id')
    .innerJoin('users as owner', 'owner.id', 'tasks.owner_id')
    .leftJoin('users as settler', 'settler.id', 'reached.settled_by')
    .selectAll('reached')
    .select(['tasks.title', 'tasks.notes', 'tasks.kind', 'tasks.has_time', 'tasks.break_quiet_hours', 'tasks.owner_id'])
    .select(['tasks.escalation_stage', 'tasks.space_id', 'tasks.run as present_run', 'tasks.status'])
    .select(['owner.display_name as owner_name', 'settler.display_name as settled_by_name'])
    .select(['stand_ins.from_rung', 'stand_ins.task_id as for_task', 'stand_ins.label as for_label'])
    .where('reached.person_id', '=', personId)
    .where(sql<boolean>`((reached.run = tasks.run and reached.settled_at is null) or reached.settled_at > ${settledSince})
      and ${standInCounts('stand_ins')}`);

export const findReached = (db: Db, personId: string, taskId: string, settledSince: Date) =>
  reachedTasks(db, personId, settledSince).where('reached.task_id', '=', taskId).executeTakeFirst();

export const listReached = (db: Db, personId: string, settledSince: Date, limit: number) =>
  reachedTasks(db, personId, settledSince)
    .orderBy('reached.last_told_at', 'desc')
    .orderBy('reached.task_id')
    .limit(limit)
    .execute();

/** Returns false if the person has said so before, also a moment ago. */
export async function setSeen(trx: Db, taskId: string, personId: string, seen_at: Date): Promise<boolean> {
  const { numUpdatedRows } = await reachedRow(trx, taskId, personId)
    .set({ seen_at })
    .where('seen_at', 'is', null)
    .where('settled_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setSnoozed(trx: Db, taskId: string, personId: string, snoozed_until: Date): Promise<void> {
  await reachedRow(trx, taskId, personId).set({ snoozed_until }).execute();
}

const reachedRow = (trx: Db, taskId: string, personId: string) =>
  trx.updateTable('stand_in_tasks').where('task_id', '=', taskId).where('person_id', '=', personId);

export interface NewlyReached {
  readonly task_id: string;
  readonly person_id: string;
  readonly stand_in_id: string;
  readonly run: number;
  readonly occurrence_due_at: Date | null;
  readonly told_at: Date;
}

const REACHED = {
  task_id: 'uuid',
  person_id: 'uuid',
  stand_in_id: 'uuid',
  run: 'integer',
  occurrence_due_at: 'timestamptz',
  told_at: 'timestamptz',
} as const;

/** A later nudge of the same run keeps when it was first told and seen; a snooze has ended with it. */
export async function storeReached(trx: Db, rows: readonly NewlyReached[]): Promise<void> {
  if (rows.length === 0) return;
  const added = rowsAsTable<keyof typeof REACHED>(trx, 'added', REACHED, rows);
  await sql`
    insert into stand_in_tasks (task_id, person_id, stand_in_id, run, occurrence_due_at, told_at, last_told_at)
    select task_id, person_id, stand_in_id, run, occurrence_due_at, told_at, told_at from ${added} where true
    on conflict (task_id, person_id) do update set stand_in_id = excluded.stand_in_id, run = excluded.run,
      occurrence_due_at = excluded.occurrence_due_at, last_told_at = excluded.last_told_at, snoozed_until = null,
      told_at = case when stand_in_tasks.run = excluded.run then stand_in_tasks.told_at else excluded.told_at end,
      seen_at = case when stand_in_tasks.run = excluded.run then stand_in_tasks.seen_at end,
      settled_at = null, settled_by = null, settled_how = null`.execute(trx);
}

/** Who snoozed which of these tasks for themselves, and until when. */
export async function listSnoozed(trx: Db, taskIds: readonly string[]) {
  if (taskIds.length === 0) return [];
  return trx
    .selectFrom('stand_in_tasks')
    .select(['task_id', 'person_id', 'run', 'snoozed_until'])
    .where('task_id', 'in', taskIds)
    .where('snoozed_until', 'is not', null)
    .execute();
}
