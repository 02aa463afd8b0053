import type { Db } from '../db/schema.ts';

export interface AttemptCount {
  readonly count: number;
  readonly resets_at: Date;
}

/** Counts an attempt in the current window, or starts a new window if that one is over. */
export async function countAttempt(db: Db, key: string, now: Date, resetsAt: Date, amount = 1): Promise<AttemptCount> {
  return db
    .insertInto('throttles')
    .values({ key, count: amount, resets_at: resetsAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('throttles.resets_at', '<=', now);
        return {
          count: eb
            .case()
            .when(isOver)
            .then(amount)
            .else(eb('throttles.count', '+', amount))
            .end(),
          resets_at: eb.case().when(isOver).then(resetsAt).else(eb.ref('throttles.resets_at')).end(),
        };
      }),
    )
    .returning(['count', 'resets_at'])
    .executeTakeFirstOrThrow();
}

export async function uncountAttempt(db: Db, key: string, amount = 1): Promise<void> {
  await db
    .updateTable('throttles')
    .set((eb) => ({ count: eb('count', '-', amount) }))
    .where('key', '=', key)
    .where('count', '>=', amount)
    .execute();
}
