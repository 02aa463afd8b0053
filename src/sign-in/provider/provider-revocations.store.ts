import type { Selectable } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';

export type Revocation = Selectable<Database['provider_revocations']>;

export async function insertRevocations(db: Db, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length > 0)
    await db
      .insertInto('provider_revocations')
      .values([...revocations])
      .execute();
}

export async function listDueRevocations(db: Db, now: Date, limit: number): Promise<Revocation[]> {
  return db
    .selectFrom('provider_revocations')
    .selectAll()
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
}

export async function deleteRevocation(db: Db, id: string): Promise<void> {
  await db.deleteFrom('provider_revocations').where('id', '=', id).execute();
}

export async function postponeRevocation(db: Db, id: string, attempts: number, nextAt: Date): Promise<void> {
  await db
    .updateTable('provider_revocations')
    .set({ attempts, next_attempt_at: nextAt })
    .where('id', '=', id)
    .execute();
}
