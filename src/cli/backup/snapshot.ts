/**
 * One consistent copy of a SQLite database while a service writes to it.
 *
 * A transaction that only reads holds one state of the database for as long as it is open, and in
 * WAL mode no writer waits for it. SQLite's backup starts over whenever another process has written,
 * unless its source is inside such a transaction: then it copies that one state, in steps that leave
 * this process free to hear a signal. VACUUM INTO would copy the same state, but in one call that
 * nothing can interrupt.
 */
import { backup, DatabaseSync } from 'node:sqlite';

/** 4 MB with pages of 4 KB. */
const PAGES_PER_STEP = 1_000;
const BUSY_TIMEOUT_MS = 5_000;

export interface Watch {
  readonly signal: AbortSignal;
  progress(percent: number): void;
}

/** Resolves with what `atTheMoment` found when the state was fixed. */
export async function copyState<T>(file: string, into: string, watch: Watch, atTheMoment: () => T): Promise<T> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // The state is fixed by the first read and not by the beginning.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    const found = atTheMoment();
    await backup(source, into, { rate: PAGES_PER_STEP, progress: (step) => follow(step, watch) });
    return found;
  } finally {
    source.close();
  }
}

function follow({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }, watch: Watch): void {
  watch.signal.throwIfAborted();
  watch.progress(Math.floor((100 * (totalPages - remainingPages)) / totalPages));
}
