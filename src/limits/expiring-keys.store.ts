/** Remembers a key until it expires. The keys are rows of `throttles`, which housekeeping deletes once they expire. */
import type { Db } from '../db/schema.ts';

/** True for exactly one of several concurrent callers. */
export async function addKey(db: Db, key: string, until: Date): Promise<boolean> {
  const added = await db
    .insertInto('throttles')
    .values({ key, count: 1, resets_at: until })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return added !== undefined;
}

export async function extendKey(db: Db, key: string, until: Date): Promise<void> {
  await db.updateTable('throttles').set({ resets_at: until }).where('key', '=', key).execute();
}

export async function hasKey(db: Db, key: string, now: Date): Promise<boolean> {
  const found = await db
    .selectFrom('throttles')
    .select('key')
    .where('key', '=', key)
    .where('resets_at', '>', now)
    .executeTakeFirst();
  return found !== undefined;
}

/** True for exactly one of several concurrent callers, and only before the key has expired. */
export async function takeKey(db: Db, key: string, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('throttles')
    .where('key', '=', key)
    .where('resets_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
