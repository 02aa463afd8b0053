/** Facts about the whole installation, by name. Sign-up, administrators and the backup command use them. */
import type { Db } from './schema.ts';

/**
 * `sign_up`: who gets an account where SIGN_UP is not set. `last_backup`: when `crescendo backup` last wrote a file.
 * `sync_given_until`: the latest moment that sync may have told a client (`given-moments.ts`).
 */
export type InstallationFact = 'sign_up' | 'last_backup' | 'sync_given_until';

export async function findFact(
  db: Db,
  name: InstallationFact,
): Promise<{ readonly value: string; readonly changed_at: Date } | undefined> {
  return db.selectFrom('installation').select(['value', 'changed_at']).where('name', '=', name).executeTakeFirst();
}

export async function setFact(db: Db, name: InstallationFact, value: string, now: Date): Promise<void> {
  await db
    .insertInto('installation')
    .values({ name, value, changed_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, changed_at: now }))
    .execute();
}

/** Leaves a larger value as it is. */
export async function raiseFact(db: Db, name: InstallationFact, value: string, now: Date): Promise<void> {
  await db
    .insertInto('installation')
    .values({ name, value, changed_at: now })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value, changed_at: now }).where('installation.value', '<', value),
    )
    .execute();
}
