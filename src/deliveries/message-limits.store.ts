/** The SQL of `MessageLimits`: when owners were last seen, how many messages they got today, and the last message. */
import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { lastUsedAt } from '../lib/session-lifetime.ts';

/** When each of these owners last used a session; null if none is left. */
export async function listLastSeen(trx: Db, userIds: readonly string[]): Promise<Map<string, Date | null>> {
  const seen = new Map<string, Date | null>(userIds.map((id) => [id, null]));
  if (userIds.length === 0) return seen;
  const sessions = await trx
    .selectFrom('sessions')
    .select(['user_id', 'expires_at'])
    .where('user_id', ...among(trx, userIds))
    .execute();
  for (const { user_id, expires_at } of sessions) {
    const at = lastUsedAt({ expires_at });
    if (at > (seen.get(user_id) ?? 0)) seen.set(user_id, at);
  }
  return seen;
}

/** Stores that the message about the nudge of this entry is the last. False if another message has become the last. */
export async function claimLastMessage(
  trx: Db,
  { id, last_mail_entry_id }: { readonly id: string; readonly last_mail_entry_id: string | null },
  entryId: string,
  now: Date,
): Promise<boolean> {
  const unchanged = trx
    .updateTable('channels')
    .set({ last_mail_at: now, last_mail_entry_id: entryId })
    .where('id', '=', id)
    .where('last_mail_entry_id', last_mail_entry_id === null ? 'is' : '=', last_mail_entry_id);
  return (await unchanged.executeTakeFirst()).numUpdatedRows > 0n;
}

interface MessageCount {
  readonly task_id: string;
  /** The channel. */
  readonly target_id: string;
  readonly count: number;
}

/** Messages about these tasks since then, at any stage. One that was cancelled before its first attempt was not sent. */
const sentMessages = (db: Db, taskIds: readonly string[], since: Date) =>
  db
    .selectFrom('deliveries')
    .where('task_id', ...among(db, taskIds))
    .where('kind', '=', 'nudge')
    .where('created_at', '>', since)
    .where((eb) => eb.or([eb('status', '=', 'sent'), eb('attempts', '>', 0)]));

/** How many messages each channel got about these tasks since then. */
export async function countMessages(db: Db, taskIds: readonly string[], since: Date): Promise<MessageCount[]> {
  if (taskIds.length === 0) return [];
  return sentMessages(db, taskIds, since)
    .select(['task_id', 'target_id'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(['task_id', 'target_id'])
    .execute();
}

/** When each channel got messages about the task since then. */
export const listMessages = (db: Db, taskId: string, since: Date) =>
  sentMessages(db, [taskId], since).select(['target_id', 'created_at']).execute();
