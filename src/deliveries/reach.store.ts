/** Reads what can reach a person. */
import { prepared } from '../db/prepared.ts';
import type { Db } from '../db/schema.ts';

/** In the order in which they are used. Also the ones that cannot be used. */
export const listChannels = prepared((db, userId: string) =>
  db
    .selectFrom('channels')
    .select(['id', 'provider', 'name', 'stages', 'tier', 'automatic', 'last_mail_at'])
    .select(['verified_at', 'valid', 'invalid_reason'])
    .where('user_id', '=', userId)
    .orderBy('tier')
    .orderBy('created_at')
    .orderBy('id'),
);

export const listDevices = prepared((db, userId: string) =>
  db
    .selectFrom('devices')
    .select(['id', 'platform', 'push_env'])
    .where('user_id', '=', userId)
    .where('valid', '=', true),
);

const fallbackOf = prepared((db, userId: string) =>
  db.selectFrom('users').select('fallback_minutes').where('id', '=', userId),
);

export async function findFallbackMinutes(db: Db, userId: string): Promise<number> {
  const [owner] = await fallbackOf(db, userId);
  return owner?.fallback_minutes ?? 0;
}
