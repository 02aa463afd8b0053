/** The keys that a database names. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';

export async function listSealingKeys(
  db: Kysely<Database>,
): Promise<readonly { readonly key_id: string; readonly retired_at: Date | null }[]> {
  return db.selectFrom('sealing_keys').select(['key_id', 'retired_at']).orderBy('first_used_at').execute();
}

/** One that was retired and is used again counts as before. */
export async function noteSealingKeys(db: Kysely<Database>, keyIds: readonly string[], now: Date): Promise<void> {
  if (keyIds.length === 0) return;
  await db
    .insertInto('sealing_keys')
    .values(keyIds.map((key_id) => ({ key_id, first_used_at: now, retired_at: null })))
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ retired_at: null }))
    .execute();
}

/** Also those that were never noted: what is sealed may name a key of before there was this table. */
export async function retireSealingKeys(db: Kysely<Database>, keyIds: readonly string[], now: Date): Promise<void> {
  if (keyIds.length === 0) return;
  await db
    .insertInto('sealing_keys')
    .values(keyIds.map((key_id) => ({ key_id, first_used_at: now, retired_at: now })))
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ retired_at: now }))
    .execute();
}
