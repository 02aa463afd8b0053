/** The SQL of the limits that mail has: it never floods a mailbox, and stops while nobody reads it. */
import { sql } from 'kysely';
import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { lastUsedAt } from '../lib/session-lifetime.ts';
import { LIMITED_MAIL_STAGE, MAIL } from './plan-channels.ts';

const DAY_MS = 86_400_000;
const MAILS_PER_DAY = 3;
const IDLE_MS = 14 * DAY_MS;

/** Accounts whose owner has not used a session for two weeks, and when they last did; null if no session is left. */
export async function listIdleOwners(
  trx: Db,
  userIds: readonly string[],
  now: Date,
): Promise<Map<string, Date | null>> {
  if (userIds.length === 0) return new Map();
  const sessions = await trx
    .selectFrom('sessions')
    .select(['user_id', 'expires_at'])
    .where('user_id', ...among(trx, userIds))
    .execute();
  const usedAt = new Map<string, Date>();
  for (const { user_id, expires_at } of sessions) {
    const at = lastUsedAt({ expires_at });
    if (at > (usedAt.get(user_id) ?? 0)) usedAt.set(user_id, at);
  }
  const idle = userIds.filter((id) => now.getTime() - (usedAt.get(id)?.getTime() ?? 0) >= IDLE_MS);
  return new Map(idle.map((id) => [id, usedAt.get(id) ?? null]));
}

/** Stores that the mail about the nudge of this entry is the last. False if another one is, in the meantime. */
export async function claimLastMail(
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

/** The tasks about which enough mails of the last stage were sent today. One that an answer cancelled in time was not. */
export async function listMailedOut(trx: Db, taskIds: readonly string[], now: Date): Promise<Set<string>> {
  if (taskIds.length === 0) return new Set();
  const [operator, ids] = among(trx, taskIds);
  const { rows } = await sql<{ task_id: string }>`
    select task_id from deliveries where task_id ${sql.raw(operator)} ${ids} and kind = 'nudge' and provider = ${MAIL}
      and stage = ${LIMITED_MAIL_STAGE} and created_at > ${new Date(now.getTime() - DAY_MS)}
      and (status = 'sent' or attempts > 0)
    group by task_id, target_id having count(*) >= ${MAILS_PER_DAY}`.execute(trx);
  return new Set(rows.map(({ task_id }) => task_id));
}
