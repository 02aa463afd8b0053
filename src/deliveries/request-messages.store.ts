/** The SQL of messages about requests in the outbox: which ones a message replaces, and how they are taken back. */
import { sql } from 'kysely';
import { preparedRows } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { DUE_NOW } from '../lib/clock.ts';
import type { DeliveryKey } from './outgoing-push.ts';

type Sent = DeliveryKey & { readonly ref: string | null };

/**
 * The provider's references of earlier messages of the same kind about the same request, newest first; for a retraction,
 * that of its own message, unless a newer message is shown under the same reference.
 */
export async function listReplacedRefs(
  db: Db,
  { entry_id, task_id, target_id, kind }: DeliveryKey & { readonly task_id: string },
): Promise<string[]> {
  const { rows } = await sql<{ entry_id: string; ref: string; is_over: number }>`
    select deliveries.entry_id, deliveries.ref, case when message.settled_at is null then 0 else 1 end as is_over
    from deliveries inner join request_messages as message on message.id = deliveries.entry_id
    where deliveries.task_id = ${task_id} and deliveries.target_id = ${target_id} and deliveries.kind = 'request'
      and deliveries.ref is not null
      and message.kind = (select own.kind from request_messages as own where own.id = ${entry_id})
    order by deliveries.entry_id desc limit 20`.execute(db);
  if (kind === 'request') return rows.filter((row) => row.entry_id !== entry_id).map(({ ref }) => ref);
  const present = rows.filter(({ is_over }) => is_over === 0).map(({ ref }) => ref);
  return rows.filter((row) => row.entry_id === entry_id && !present.includes(row.ref)).map(({ ref }) => ref);
}

const KEY = { entry_id: 'uuid', target_id: 'uuid' } as const;

/** Takes back messages that the provider accepted after their request was settled. Returns whether there are any. */
export async function retractSettled(trx: Db, sent: readonly Sent[]): Promise<boolean> {
  const withRef = sent.filter(({ ref, kind }) => ref !== null && kind === 'request');
  return withRef.length > 0 && (await settledRetracted(trx, withRef)).length > 0;
}

const settledRetracted = preparedRows<keyof typeof KEY>(
  'accepted',
  KEY,
  (_, accepted) => sql`
    insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, server, stage, tier,
      status, waits_for, attempts, next_attempt_at, created_at)
    select deliveries.entry_id, deliveries.target_id, 'request_retract', task_id, recipient_id, run, nudge, provider,
      server, stage, tier, 'pending', 'capacity', 0, ${DUE_NOW}, created_at
    from deliveries inner join ${accepted}
      on deliveries.entry_id = accepted.entry_id and deliveries.target_id = accepted.target_id
    where deliveries.kind = 'request' and deliveries.status = 'cancelled'
    on conflict (entry_id, target_id, kind) do nothing
    returning entry_id`,
);

/** Forgets the references of messages that were taken back. */
export async function forgetRetractedRequests(trx: Db, sent: readonly Sent[]): Promise<void> {
  const retracted = sent.filter(({ kind }) => kind === 'request_retract');
  if (retracted.length > 0) await refsForgotten(trx, retracted);
}

const refsForgotten = preparedRows<keyof typeof KEY>(
  'retracted',
  KEY,
  (_, retracted) => sql`
    update deliveries set ref = null from ${retracted}
    where deliveries.entry_id = retracted.entry_id and deliveries.target_id = retracted.target_id
      and deliveries.kind = 'request'`,
);
