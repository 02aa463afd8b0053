/** The SQL of the limits that mail has: it is made for an account that nothing else reaches, and never floods a mailbox. */
import { sql } from 'kysely';
import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { workingChannel } from '../db/working-channel.ts';
import { toStageBits } from '../escalation/ladder.ts';
import { newId } from '../lib/ids.ts';
import { lastUsedAt } from '../lib/session-lifetime.ts';
import { LIMITED_MAIL_STAGE, MAIL } from './plan-channels.ts';

const DAY_MS = 86_400_000;
const MAILS_PER_DAY = 3;
const IDLE_MS = 14 * DAY_MS;
/** Instead of an address: the one that the person signs in with. */
const OWN_ADDRESS = 'own';

/**
 * Mails the sign-in address of accounts that have no channel for mail. One that is switched off counts: its owner has
 * decided. Returns whether it made any.
 */
export async function addOwnMail(trx: Db, userIds: readonly string[], now: Date): Promise<boolean> {
  if (userIds.length === 0) return false;
  const users = await trx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', ...among(trx, userIds))
    .where('email', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('channels')
            .select('channels.id')
            .whereRef('channels.user_id', '=', 'users.id')
            .where('channels.provider', '=', MAIL),
        ),
      ),
    )
    .execute();
  if (users.length === 0) return false;
  const channels = users.map(({ id: user_id, email }) => ({
    id: newId(),
    user_id,
    provider: MAIL,
    name: null,
    address: null,
    address_hash: OWN_ADDRESS,
    label: email ?? '',
    stages: toStageBits([1, 2]),
    tier: 0,
    private_title: false,
    automatic: true,
    verified_at: now,
    ...workingChannel(now),
    created_at: now,
  }));
  const inserted = trx.insertInto('channels').values(channels);
  await inserted.onConflict((conflict) => conflict.columns(['user_id', 'address_hash']).doNothing()).execute();
  return true;
}

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

/** Stores that the mail about the nudge of that moment is the last. False if another one is, in the meantime. */
export async function claimLastMail(
  trx: Db,
  { id, last_mail_at }: { readonly id: string; readonly last_mail_at: Date | null },
  nudgedAt: Date,
): Promise<boolean> {
  const unchanged = trx
    .updateTable('channels')
    .set({ last_mail_at: nudgedAt })
    .where('id', '=', id)
    .where('last_mail_at', last_mail_at === null ? 'is' : '=', last_mail_at);
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
