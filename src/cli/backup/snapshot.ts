/**
 * Copies one consistent state of a SQLite database while a service writes to it.
 *
 * A read transaction sees one state of the database while it is open, and in WAL mode no writer waits for it.
 * SQLite's backup starts over whenever another process has written, unless its source is inside such a
 * transaction: then it copies that one state, in steps between which this process can handle a signal.
 * VACUUM INTO would copy the same state, but in one call that cannot be interrupted.
 */
import { backup, DatabaseSync } from 'node:sqlite';

/** 4 MB with pages of 4 KB. */
const PAGES_PER_STEP = 1_000;
const BUSY_TIMEOUT_MS = 5_000;

interface CopyOptions {
  readonly signal: AbortSignal;
  progress(percent: number): void;
}

/** Calls `atSnapshot` at the moment whose state is copied, and resolves with its result. */
export async function copySnapshot<T>(
  file: string,
  into: string,
  { signal, progress }: CopyOptions,
  atSnapshot: () => T,
): Promise<T> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // `begin` alone does not fix the state; the first read does.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    const result = atSnapshot();
    await backup(source, into, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => {
        signal.throwIfAborted();
        progress(Math.floor((100 * (totalPages - remainingPages)) / totalPages));
      },
    });
    return result;
  } finally {
    source.close();
  }
}
