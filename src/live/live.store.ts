import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';

/**
 * The ids that each session hears: its person, and the spaces of that person. Leaves out sessions that have ended and
 * sessions of suspended accounts.
 */
export async function listHeard(db: Db, sessionIds: readonly string[], now: Date): Promise<Map<string, Set<string>>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('space_members', 'space_members.user_id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id', 'space_members.space_id'])
    .where('sessions.id', ...among(db, sessionIds))
    .where('sessions.expires_at', '>', now)
    .where('users.suspended_at', 'is', null)
    .execute();
  const heard = new Map<string, Set<string>>();
  for (const { id, user_id, space_id } of rows) {
    const ids = heard.getOrInsertComputed(id, () => new Set([user_id]));
    if (space_id !== null) ids.add(space_id);
  }
  return heard;
}
