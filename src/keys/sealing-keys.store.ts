/** The ids of the keys that a database uses. */
import type { Db } from '../db/schema.ts';

export async function listSealingKeys(
  db: Db,
): Promise<readonly { readonly key_id: string; readonly retired_at: Date | null }[]> {
  return db.selectFrom('sealing_keys').select(['key_id', 'retired_at']).orderBy('first_used_at').execute();
}

/** A retired key that is used again counts as used. */
export const recordSealingKeys = (db: Db, keyIds: readonly string[], now: Date): Promise<void> =>
  upsert(db, keyIds, now, null);

/** Also adds keys that were never recorded: values of an older release may use them. */
export const retireSealingKeys = (db: Db, keyIds: readonly string[], now: Date): Promise<void> =>
  upsert(db, keyIds, now, now);

async function upsert(db: Db, keyIds: readonly string[], now: Date, retired_at: Date | null): Promise<void> {
  if (keyIds.length === 0) return;
  await db
    .insertInto('sealing_keys')
    .values(keyIds.map((key_id) => ({ key_id, first_used_at: now, retired_at })))
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ retired_at }))
    .execute();
}
