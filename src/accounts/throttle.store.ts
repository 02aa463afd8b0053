import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';

export interface Tally {
  readonly count: number;
  readonly resets_at: Date;
}

/** Counts one more attempt in the running window, or the first of a new one. */
export async function countAttempt(db: Kysely<Database>, key: string, now: Date, resetsAt: Date): Promise<Tally> {
  return db
    .insertInto('throttles')
    .values({ key, count: 1, resets_at: resetsAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('throttles.resets_at', '<=', now);
        return {
          count: eb
            .case()
            .when(isOver)
            .then(1)
            .else(eb('throttles.count', '+', 1))
            .end(),
          resets_at: eb.case().when(isOver).then(resetsAt).else(eb.ref('throttles.resets_at')).end(),
        };
      }),
    )
    .returning(['count', 'resets_at'])
    .executeTakeFirstOrThrow();
}

export async function takeBackAttempt(db: Kysely<Database>, key: string): Promise<void> {
  await db
    .updateTable('throttles')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}
