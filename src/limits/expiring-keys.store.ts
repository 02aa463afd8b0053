/** Remembers a key until it expires. The keys are rows of `throttles`, which housekeeping deletes once they expire. */
import { returnsAny } from '../db/results.ts';
import type { Db } from '../db/schema.ts';

/** True for exactly one of several concurrent callers. */
export async function addKey(db: Db, key: string, until: Date): Promise<boolean> {
  return returnsAny(
    db
      .insertInto('throttles')
      .values({ key, count: 1, resets_at: until })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key'),
  );
}

/** The same for a key that is added again: one that has expired counts as absent, also before housekeeping deletes it. */
export async function addKeyAgain(db: Db, key: string, now: Date, until: Date): Promise<boolean> {
  return returnsAny(
    db
      .insertInto('throttles')
      .values({ key, count: 1, resets_at: until })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({ resets_at: until }).where('throttles.resets_at', '<=', now),
      )
      .returning('key'),
  );
}

export async function extendKey(db: Db, key: string, until: Date): Promise<void> {
  await db.updateTable('throttles').set({ resets_at: until }).where('key', '=', key).execute();
}

export async function hasKey(db: Db, key: string, now: Date): Promise<boolean> {
  return returnsAny(db.selectFrom('throttles').select('key').where('key', '=', key).where('resets_at', '>', now));
}
