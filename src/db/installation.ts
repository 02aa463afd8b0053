/** Facts about the whole installation, by name. Sign-up, administrators, backups and the doctor use them. */
import { newId } from '../lib/ids.ts';
import { changesAny } from './results.ts';
import type { Db } from './schema.ts';

/**
 * `sign_up`: who gets an account where SIGN_UP is not set. `last_backup`: when `crescendo backup` last wrote a file.
 * `sync_given_until`: the latest moment that sync may have told a client (`given-moments.ts`). `claim`: set while nobody
 * administers the installation (`admin/claim.service.ts`). `instance`: a random id, by which the doctor recognises a service
 * on this database. `sign_of_life`: when an engine was last alive, by the service's clock (`outages/signs-of-life.ts`).
 */
export type InstallationFact = 'sign_up' | 'last_backup' | 'sync_given_until' | 'claim' | 'instance' | 'sign_of_life';

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

/** Leaves a value that is there as it is. */
export async function addFact(db: Db, name: InstallationFact, value: string, now: Date): Promise<void> {
  await db
    .insertInto('installation')
    .values({ name, value, changed_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** The first process of an installation makes it. It is no secret: `/health` shows it to anyone. */
export async function findOrMakeInstanceId(db: Db, now: Date): Promise<string> {
  const stored = await findFact(db, 'instance');
  if (stored) return stored.value;
  await addFact(db, 'instance', newId(), now);
  return (await findFact(db, 'instance'))?.value ?? '';
}

/** True for exactly one of several concurrent callers. */
export async function deleteFact(db: Db, name: InstallationFact): Promise<boolean> {
  return changesAny(db.deleteFrom('installation').where('name', '=', name));
}
