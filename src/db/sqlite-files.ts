/**
 * The files of an embedded database.
 *
 * Only one service may have them open; a lock file that the operating system releases with the
 * process sees to it, since a second engine on the same data would send every nudge twice. Commands
 * that run no engine may come alongside: see `sqlite-alongside.ts`.
 */
import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToFolderOwner, makeFolder } from '../lib/ownership.ts';
import { isBusy } from './faults.ts';

export interface Files {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  close(): void;
}

/** The file cannot be had, and not touched either. The message is one line for whoever starts the service. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** Somebody else has it. */
export class FileInUseError extends UnusableFileError {}

export function openFiles(file: string): Files {
  makeFolder(dirname(file));
  refuseOtherFiles(file);
  const lock = lockFile(file);
  try {
    // SQLite gives its side files the mode of the main one, so that mode is set before the first write.
    make(file);
    chmodSync(file, 0o600);
    const writer = new DatabaseSync(file, { timeout: 100 });
    writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    // No temp_store in memory: there each statement of a long unit would cost more than the one before it.
    writer.exec('pragma journal_size_limit = 67108864');
    const reader = new DatabaseSync(file, { readOnly: true, timeout: 100 });
    const close = () => {
      reader.close();
      writer.exec('pragma optimize');
      writer.close();
      lock.close();
    };
    return { writer, reader, close };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** A path that was mistyped may lead to anything: nothing is changed before the file is known to be ours. */
export function refuseOtherFiles(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const start = Buffer.alloc(HEADER.length);
  const opened = openSync(file, 'r');
  readSync(opened, start, 0, start.length, 0);
  closeSync(opened);
  if (start.toString('latin1') !== HEADER) throw new UnusableFileError(`DATABASE_URL: ${file} is no SQLite database.`);
}

const HEADER = 'SQLite format 3\0';

function make(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  giveToFolderOwner(file);
}

/** Holds an exclusive lock for as long as the process lives, however it ends. The file is named as `realFile` has it. */
export function lockFile(file: string): DatabaseSync {
  make(`${file}.lock`);
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new FileInUseError(`DATABASE_URL: another process already has ${file} open.`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnusableFileError(`DATABASE_URL: ${file}.lock cannot be locked: ${reason}.`);
  }
}
