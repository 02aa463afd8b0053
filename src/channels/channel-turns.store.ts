import type { Db } from '../db/schema.ts';

/** Makes this process the one that polls the provider until then. Undefined if another process does. */
export async function claimTurn(
  db: Db,
  provider: string,
  holder: string,
  now: Date,
  until: Date,
): Promise<{ readonly cursor: string | null } | undefined> {
  return db
    .insertInto('channel_turns')
    .values({ provider, holder, until, cursor: null })
    .onConflict((conflict) =>
      conflict
        .column('provider')
        .doUpdateSet({ holder, until })
        .where((eb) => eb.or([eb('channel_turns.holder', '=', holder), eb('channel_turns.until', '<=', now)])),
    )
    .returning('cursor')
    .executeTakeFirst();
}

export async function saveCursor(db: Db, provider: string, holder: string, cursor: string | null): Promise<void> {
  const turn = db.updateTable('channel_turns').set({ cursor }).where('provider', '=', provider);
  await turn.where('holder', '=', holder).execute();
}
