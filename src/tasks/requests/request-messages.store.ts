/** The SQL of messages about requests, in the transactions that change their tasks. */
import { type Insertable, sql } from 'kysely';
import { sendLater } from '../../db/batch.ts';
import { preparedInsert, preparedQuery } from '../../db/prepared.ts';
import { countRows } from '../../db/results.ts';
import type { Database, Db } from '../../db/schema.ts';
import { DUE_NOW } from '../../lib/clock.ts';

type NewMessage = Insertable<Database['request_messages']>;

const messageInserted = preparedInsert('request_messages');

export async function insertRequestMessage(trx: Db, message: NewMessage): Promise<void> {
  await sendLater(trx, messageInserted(trx, message));
}

/** How often the person was asked to do this task. */
export async function countAsked(trx: Db, taskId: string, recipientId: string): Promise<number> {
  return countRows(
    trx
      .selectFrom('request_messages')
      .where('task_id', '=', taskId)
      .where('recipient_id', '=', recipientId)
      .where('kind', '=', sql.lit('asked'))
      .where('sent_at', 'is not', null),
  );
}

const QUESTIONS = ['asked', 'unanswered'] as const;

/**
 * The request was answered, taken back or given to somebody else: what waits is not sent, and what was shown is taken
 * back where the channel can.
 */
export async function settleQuestions(trx: Db, taskId: string, now: Date): Promise<void> {
  await sendLater(trx, questionsCancelled(trx, taskId));
  await sendLater(trx, questionsRetracted(trx, taskId));
  await sendLater(trx, questionsSettled(trx, taskId, now));
}

/** A later answer replaces one that was not sent yet, and reopening takes it back. */
export async function settleWaitingNews(trx: Db, taskId: string, now: Date): Promise<void> {
  await sendLater(trx, waitingNewsSettled(trx, taskId, now));
}

const ofQuestions = (taskId: string) =>
  sql`select id from request_messages
    where task_id = ${taskId} and kind in ('asked', 'unanswered') and settled_at is null`;

const questionsCancelled = preparedQuery((db, taskId: string) => ({
  compile: () =>
    sql`update deliveries set status = 'cancelled', waits_for = null
      where task_id = ${taskId} and status = 'pending' and kind = 'request'
        and entry_id in (${ofQuestions(taskId)})`.compile(db),
}));

/** Where a repeat replaced the message before it under the same reference, only the newest is taken back. */
const questionsRetracted = preparedQuery((db, taskId: string) => ({
  compile: () =>
    sql`insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, server, stage,
        tier, status, waits_for, attempts, next_attempt_at, created_at)
      select entry_id, target_id, 'request_retract', task_id, recipient_id, run, nudge, provider, server, stage, tier,
        'pending', 'capacity', 0, ${DUE_NOW}, created_at
      from deliveries
      where task_id = ${taskId} and kind = 'request' and ref is not null and entry_id in (${ofQuestions(taskId)})
        and not exists (select 1 from deliveries as later where later.task_id = ${taskId} and later.kind = 'request'
          and later.target_id = deliveries.target_id and later.ref = deliveries.ref
          and later.entry_id > deliveries.entry_id)
      on conflict (entry_id, target_id, kind) do nothing`.compile(db),
}));

const questionsSettled = preparedQuery((db, taskId: string, now: Date) =>
  db
    .updateTable('request_messages')
    .set({ settled_at: now, due_at: null })
    .where('task_id', '=', taskId)
    .where('kind', 'in', QUESTIONS)
    .where('settled_at', 'is', null),
);

const waitingNewsSettled = preparedQuery((db, taskId: string, now: Date) =>
  db
    .updateTable('request_messages')
    .set({ settled_at: now, due_at: null })
    .where('task_id', '=', taskId)
    .where('kind', 'not in', QUESTIONS)
    .where('due_at', 'is not', null),
);
