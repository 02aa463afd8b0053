import type { Db } from '../db/schema.ts';

/** Both databases limit the number of values per statement. */
const SESSIONS_PER_STATEMENT = 500;

/** What each session hears: its person, and the spaces of that person. A session that has ended is left out. */
export async function listHeard(db: Db, sessionIds: readonly string[], now: Date): Promise<Map<string, Set<string>>> {
  const heard = new Map<string, Set<string>>();
  for (let start = 0; start < sessionIds.length; start += SESSIONS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('sessions')
      .leftJoin('space_members', 'space_members.user_id', 'sessions.user_id')
      .select(['sessions.id', 'sessions.user_id', 'space_members.space_id'])
      .where('sessions.id', 'in', sessionIds.slice(start, start + SESSIONS_PER_STATEMENT))
      .where('sessions.expires_at', '>', now)
      .execute();
    for (const { id, user_id, space_id } of rows) {
      const ids = heard.getOrInsertComputed(id, () => new Set([user_id]));
      if (space_id !== null) ids.add(space_id);
    }
  }
  return heard;
}
