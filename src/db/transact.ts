/**
 * The one way to open a transaction.
 *
 * Work is run again, a bounded number of times, when the database refused it for reasons of timing
 * (a serialisation failure, a deadlock, a busy file, a lost shared commit). So it must only touch
 * the database: no network call, no wake-up, nothing that cannot be done twice. What should happen
 * once the data is safe belongs after the `await`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { isWorthRetrying, unavailable } from './faults.ts';
import type { Database } from './schema.ts';

const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 5;

const current = new AsyncLocalStorage<{ open: boolean }>();

export async function transact<T>(db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await attemptOnce(db, work);
      const mark = marks.getStore();
      if (mark) mark.write = undefined;
      return result;
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
      if (attempt === MOST_ATTEMPTS) throw unavailable(error);
      await delay(FIRST_PAUSE_MS * 2 ** attempt * Math.random());
    }
  }
}

type Mark = (trx: Transaction<Database>) => Promise<void>;

const marks = new AsyncLocalStorage<{ write: Mark | undefined }>();

/** The first transaction that `run` commits also writes the mark: both happen, or neither. */
export function withMark(write: Mark, run: () => void): void {
  marks.run({ write }, run);
}

async function attemptOnce<T>(db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    const scope = { open: true };
    try {
      const result = await current.run(scope, () => work(trx));
      await marks.getStore()?.write?.(trx);
      return result;
    } finally {
      scope.open = false;
    }
  });
}

/**
 * Called by both drivers whenever a connection outside of a transaction is asked for. Inside one
 * that is a mistake: on SQLite a write would wait for itself for ever, on PostgreSQL it would
 * succeed and survive a rollback; a read would not see what the transaction wrote.
 */
export function refuseInsideTransaction(): void {
  if (current.getStore()?.open) {
    throw new Error('The database was used inside a transaction without going through it: pass the transaction on.');
  }
}
