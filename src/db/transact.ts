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
import { transactDirectly } from './direct-executor.ts';
import { isRetryable, unavailable } from './faults.ts';
import { type Database, type Db, isPostgres } from './schema.ts';

const MAX_ATTEMPTS = 6;
const BACK_OFF: BackOff = { firstMs: 10, longestMs: 320 };

/** Thrown by the work when a concurrent transaction got in first: rolls back and runs the work again. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
}

type Work<T> = (trx: Transaction<Database>) => Promise<T>;

interface Scope {
  isOpen: boolean;
  /** What is announced after the commit. */
  changed?: Set<string>;
}

const current = new AsyncLocalStorage<Scope>();

/** Databases whose last transaction failed because the database could not store it. */
const failedToWrite = new WeakSet<Db>();

export const hasFailedToWrite = (db: Db): boolean => failedToWrite.has(db);

export async function transact<T>(db: Db, work: Work<T>): Promise<T> {
  try {
    const result = await runUntilCommitted(db, work);
    failedToWrite.delete(db);
    return result;
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_unavailable') failedToWrite.add(db);
    throw error;
  }
}

async function runUntilCommitted<T>(db: Db, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await attemptOnce(db, work);
      const pending = firstCommits.getStore();
      if (pending) pending.write = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof RunAgain) && !isRetryable(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw unavailable(error);
      await delay(backOffMs(BACK_OFF, attempt) * Math.random());
    }
  }
}

const firstCommits = new AsyncLocalStorage<{ write: Work<void> | undefined }>();

/** The first transaction that `run` commits also does this write: both happen, or neither. */
export function withinFirstCommit(write: Work<void>, run: () => void): void {
  firstCommits.run({ write }, run);
}

/** What `run` commits does not count as the first commit. */
export const beforeFirstCommit = <T>(run: () => T): T => firstCommits.run({ write: undefined }, run);

async function attemptOnce<T>(db: Db, work: Work<T>): Promise<T> {
  const scope: Scope = { isOpen: true };
  const run: Work<T> = async (trx) => {
    try {
      const result = await current.run(scope, () => work(trx));
      await firstCommits.getStore()?.write?.(trx);
      return result;
    } finally {
      scope.isOpen = false;
    }
  };
  const direct = isPostgres(db) ? undefined : transactDirectly(db, run);
  const stored = await (direct ?? db.transaction().execute(run));
  if (scope.changed) announcers.get(db)?.(scope.changed);
  return stored;
}

/** The ids of people and of spaces. */
type Announcer = (ids: Iterable<string>) => void;

const announcers = new WeakMap<Db, Announcer>();

/** The announcer is called after each commit that announced something. It must not throw. */
export const onAnnouncement = (db: Db, announcer: Announcer): unknown => announcers.set(db, announcer);

/**
 * Announces that something changed which these people, or the members of these spaces, may see. Within a transaction
 * it waits for the commit, and is dropped with a rollback. It costs no statement.
 */
export function announce(db: Db, ids: Iterable<string>): void {
  const scope = current.getStore();
  if (scope?.isOpen) {
    scope.changed ??= new Set();
    for (const id of ids) scope.changed.add(id);
  } else announcers.get(db)?.(ids);
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
  name: 'billing' | `code for ${string}` | `tasks of ${string}`,
): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${`crescendo ${name}`}))`.execute(trx);
}
