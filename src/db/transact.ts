/**
 * The one way to open a transaction.
 *
 * The work runs again, a bounded number of times, if the database refused it for reasons of timing (a
 * serialisation failure, a deadlock, a busy file, a rolled-back batch), or if it threw `RunAgain`. So it
 * must only touch the database: no network call, no wake-up, nothing that must not happen twice. What
 * should happen once the data is stored belongs after the `await`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { type BackOff, backOffMs } from '../lib/back-off.ts';
import { AppError } from '../lib/errors.ts';
import { DirectDatabase } from './direct-executor.ts';
import { isRetryable, unavailable } from './faults.ts';
import { type Database, type Db, isPostgres } from './schema.ts';

const MAX_ATTEMPTS = 6;
const BACK_OFF: BackOff = { firstMs: 10, longestMs: 320 };

/** Thrown by the work when a concurrent transaction got in first: rolls back and runs the work again. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
}

type Work<T> = (trx: Transaction<Database>) => Promise<T>;

/** The transaction that the running code is part of. Without one, only `firstCommit` matters. */
interface Scope {
  isOpen: boolean;
  /** The ids to announce after the commit. */
  changed?: Set<string>;
  readonly firstCommit: FirstCommit | undefined;
}

interface FirstCommit {
  /** Undefined once it is committed. */
  write: Work<void> | undefined;
}

const current = new AsyncLocalStorage<Scope>();

interface TransactOptions {
  /** More transactions of the same work follow: the write of `withinFirstCommit` waits for one of those. */
  readonly isPart?: boolean;
}

export async function transact<T>(db: Db, work: Work<T>, { isPart = false }: TransactOptions = {}): Promise<T> {
  const firstCommit = isPart ? undefined : current.getStore()?.firstCommit;
  try {
    const result = await runUntilCommitted(db, work, firstCommit);
    noteWrite(db, true);
    return result;
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_unavailable') noteWrite(db, false);
    throw error;
  }
}

function noteWrite(db: Db, hasWorked: boolean): void {
  if (db instanceof DirectDatabase) db.hasFailedToWrite = !hasWorked;
}

async function runUntilCommitted<T>(db: Db, work: Work<T>, firstCommit: FirstCommit | undefined): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await attemptOnce(db, work, firstCommit);
      if (firstCommit) firstCommit.write = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof RunAgain) && !isRetryable(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw unavailable(error);
      await delay(backOffMs(BACK_OFF, attempt) * Math.random());
    }
  }
}

/** The first transaction that `run` commits also does this write: both happen, or neither. */
export function withinFirstCommit(write: Work<void>, run: () => void): void {
  current.run({ isOpen: false, firstCommit: { write } }, run);
}

async function attemptOnce<T>(db: Db, work: Work<T>, firstCommit: FirstCommit | undefined): Promise<T> {
  const scope: Scope = { isOpen: true, firstCommit: undefined };
  const run: Work<T> = async (trx) => {
    try {
      const result = await current.run(scope, () => work(trx));
      await firstCommit?.write?.(trx);
      return result;
    } finally {
      scope.isOpen = false;
    }
  };
  const isDirect = db instanceof DirectDatabase && !isPostgres(db);
  const stored = await (isDirect ? db.transactDirectly(run) : db.transaction().execute(run));
  if (scope.changed) tell(db, scope.changed);
  return stored;
}

/**
 * Announces to these people, and to the members of these spaces, that something changed which they may see. Within a
 * transaction it waits for the commit, and a rollback drops it. It costs no statement.
 */
export function announce(db: Db, ids: Iterable<string>): void {
  const scope = current.getStore();
  if (scope?.isOpen) {
    scope.changed ??= new Set();
    for (const id of ids) scope.changed.add(id);
  } else tell(db, ids);
}

function tell(db: Db, ids: Iterable<string>): void {
  if (db instanceof DirectDatabase) db.announcer?.announce(ids);
}

/**
 * Both drivers call this when a connection is requested outside of a transaction. Inside a transaction
 * that is a bug: on SQLite a write would wait for itself for ever, on PostgreSQL it would survive a
 * rollback, and a read would not see what the transaction wrote.
 */
export function refuseInsideTransaction(): void {
  if (current.getStore()?.isOpen) {
    throw new Error('The database was used inside a transaction without going through it: pass the transaction on.');
  }
}

/**
 * Takes an advisory lock that ends with the transaction: transactions with the same lock run one after
 * the other, in every process. SQLite has a single writer and needs no lock.
 */
export async function lockUntilCommit(
  trx: Db,
  name:
    | 'billing'
    | `code for ${string}`
    | `tasks of ${string}`
    | `caldav of ${string}`
    | `messages to ${string}`
    | `stand-ins of ${string}`,
): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${`crescendo ${name}`}))`.execute(trx);
}
