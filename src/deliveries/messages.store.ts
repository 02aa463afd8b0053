/** The SQL of channels in the outbox: where messages go, how they are retracted, and what channel owners are shown. */

import { sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter, preparedRows, rowsAsTable } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { DUE_NOW } from '../lib/clock.ts';
import { NOT_PROVEN } from '../push/gateway.ts';
import type { DeliveryKey } from './outgoing-push.ts';

/** A delivery, and what the provider calls its message. */
type Sent = DeliveryKey & { readonly ref: string | null };

export type Channel = Awaited<ReturnType<typeof listChannels>>[number];

/** With the email address of the account, for channels that have no address of their own. */
export async function listChannels(db: Db, ids: readonly string[]) {
  return ids.length === 0 ? [] : channelsById(db, idsParameter(db, ids));
}

const channelsById = prepared((db, ids: unknown) =>
  db
    .selectFrom('channels')
    .innerJoin('users', 'users.id', 'channels.user_id')
    .selectAll('channels')
    .select('users.email')
    .where('channels.id', ...amongParameter(db, ids)),
);

/** More messages than a person still sees of a run, and as many as Telegram deletes at once. */
const MOST_REFS = 100;

/** The provider's references of the messages that a nudge replaces or a retraction takes back, newest first. */
export async function listRefs(
  db: Db,
  { entry_id, task_id, target_id, kind }: DeliveryKey & { readonly task_id: string },
): Promise<string[]> {
  const shown = await shownMessages(db, task_id, target_id);
  return refsOf(kind === 'retract' ? takenBack(shown, entry_id) : shown);
}

type Shown = Awaited<ReturnType<typeof shownMessages>>[number];

const refsOf = (messages: readonly Shown[]): string[] => messages.flatMap(({ ref }) => ref ?? []);

/**
 * The messages that a retraction takes back. It may have waited for its provider until another run began, whose message must
 * stay. If that was accepted, it has replaced the earlier ones, often under the same reference; then only the message of the
 * retraction's own entry is taken back, if it has another reference. If not, the earlier ones are still shown.
 */
function takenBack(shown: readonly Shown[], entryId: string): Shown[] {
  const isOver = ({ entry_id, is_over }: Shown) => is_over === 1 || entry_id === entryId;
  const present = shown.filter((message) => !isOver(message));
  const over = shown.filter(isOver);
  const isReplaced = present.some(({ status }) => status === 'sent');
  const named = isReplaced ? over.filter(({ entry_id }) => entry_id === entryId) : over;
  const kept = new Set(refsOf(present));
  return named.filter(({ ref }) => ref !== null && !kept.has(ref));
}

const shownMessages = prepared((db, taskId: string, targetId: string) =>
  db
    .selectFrom('deliveries')
    .select(['entry_id', 'ref', 'status', sql<number>`case when ${isOfEndedRun} then 1 else 0 end`.as('is_over')])
    .where('task_id', '=', taskId)
    .where('target_id', '=', targetId)
    .where('kind', '=', 'nudge')
    .where('ref', 'is not', null)
    .orderBy('nudge', 'desc')
    .limit(MOST_REFS),
);

/** Whether the run of a nudge is over, or the stand-in whom it went to has snoozed it or is none any more. */
const isOfEndedRun = sql<boolean>`exists (select 1 from tasks where tasks.id = deliveries.task_id
  and (tasks.status <> 'open' or tasks.run <> deliveries.run
    or (tasks.owner_id <> deliveries.recipient_id and not exists (select 1 from stand_in_tasks as reached
      where reached.task_id = tasks.id and reached.person_id = deliveries.recipient_id and reached.run = deliveries.run
        and reached.snoozed_until is null))))`;

const KEY = { entry_id: 'uuid', target_id: 'uuid' } as const;

const REF = { ...KEY, kind: 'text', ref: 'text' } as const;

/** Call this before the messages are sent, because the process may end before it knows the answer. */
export async function recordRefs(db: Db, messages: readonly Sent[]): Promise<void> {
  const known = messages.filter(({ ref }) => ref !== null);
  if (known.length === 0) return;
  await sql`
    update deliveries set ref = chosen.ref from ${rowsAsTable<keyof typeof REF>(db, 'chosen', REF, known)}
    where deliveries.entry_id = chosen.entry_id and deliveries.target_id = chosen.target_id
      and deliveries.kind = chosen.kind`.execute(db);
}

/**
 * Retracts messages that the provider accepted after their task was dealt with, even if a newer nudge superseded them.
 * Returns whether there are any. Call this before `recordSent`.
 */
export async function retractCancelled(trx: Db, sent: readonly Sent[]): Promise<boolean> {
  const withRef = sent.filter(({ ref, kind }) => ref !== null && kind === 'nudge');
  return withRef.length > 0 && (await retracted(trx, withRef)).length > 0;
}

const retracted = preparedRows<keyof typeof KEY>(
  'accepted',
  KEY,
  (_, accepted) => sql`
    insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, server, stage, tier,
      status, waits_for, attempts, next_attempt_at, created_at)
    select deliveries.entry_id, deliveries.target_id, 'retract', task_id, recipient_id, run, nudge, provider, server, stage,
      tier, 'pending', 'capacity', 0, ${DUE_NOW}, created_at
    from deliveries inner join ${accepted}
      on deliveries.entry_id = accepted.entry_id and deliveries.target_id = accepted.target_id
    where deliveries.kind = 'nudge'
      and (deliveries.status = 'cancelled' or (deliveries.status = 'superseded' and ${isOfEndedRun}))
    on conflict (entry_id, target_id, kind) do nothing
    returning entry_id`,
);

/**
 * Forgets the references of messages that an accepted retraction took back, so that no later retraction names them.
 * Keeps the references of later messages, and of messages that wait for their own retraction. If the retraction's own
 * entry has a message, the retraction took back that message alone.
 */
export async function forgetRetracted(trx: Db, sent: readonly Sent[]): Promise<void> {
  for (const { entry_id, target_id } of sent.filter(({ kind }) => kind === 'retract')) {
    await sql`
      update deliveries set ref = null
      from deliveries as retraction
      where retraction.entry_id = ${entry_id} and retraction.target_id = ${target_id} and retraction.kind = 'retract'
        and deliveries.task_id = retraction.task_id and deliveries.target_id = retraction.target_id
        and deliveries.kind = 'nudge' and deliveries.ref is not null
        and (deliveries.entry_id = retraction.entry_id or (deliveries.nudge <= retraction.nudge
          and not exists (select 1 from deliveries as message where message.entry_id = retraction.entry_id
            and message.target_id = retraction.target_id and message.kind = 'nudge')))
        and not exists (select 1 from deliveries as own where own.entry_id = deliveries.entry_id
          and own.target_id = deliveries.target_id and own.kind = 'retract' and own.status = 'pending')`.execute(trx);
  }
}

export interface ChannelResult {
  readonly id: string;
  /** Null if the provider accepted the message. */
  readonly error: string | null;
  /** The provider refuses what the person entered. */
  readonly isRefused: boolean;
}

/** After this many in a row the channel is stopped: an ntfy server locks out an address that keeps trying. */
const MOST_REFUSALS = 3;

const recovered = prepared((trx, ids: unknown) =>
  trx
    .updateTable('channels')
    .set({ refusals: 0, last_error: null })
    .where('id', ...amongParameter(trx, ids))
    .where('last_error', 'is not', null)
    // Until its owner has confirmed it, the bound may refuse the next message as well.
    .where('last_error', '<>', NOT_PROVEN),
);

/** Stores what the owner of a channel is shown about it. The last result of a channel counts. */
export async function recordChannelResults(trx: Db, results: readonly ChannelResult[]): Promise<void> {
  const last = [...new Map(results.map((result) => [result.id, result])).values()];
  const working = last.filter(({ error }) => error === null).map(({ id }) => id);
  if (working.length > 0) await recovered(trx, idsParameter(trx, working));
  for (const { id, error, isRefused } of last.filter(({ error }) => error !== null)) {
    const failing = trx.updateTable('channels').set({ last_error: error }).where('id', '=', id);
    await failing.$if(isRefused, (query) => query.set((eb) => ({ refusals: eb('refusals', '+', 1) }))).execute();
    if (!isRefused) continue;
    const stopped = trx.updateTable('channels').set({ valid: false, invalid_reason: error }).where('id', '=', id);
    await stopped.where('refusals', '>=', MOST_REFUSALS).execute();
  }
}
