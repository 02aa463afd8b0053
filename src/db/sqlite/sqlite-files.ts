/**
 * The files of an SQLite database.
 *
 * Only one service may have them open, because a second engine on the same data would send every nudge
 * twice. A lock file, which the operating system releases when the process ends, ensures it. Commands
 * run no engine and may open the files next to the service: see `open-for-command.ts`.
 */
import { chmodSync, closeSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { chownToFolderOwner, createFolder } from '../../lib/ownership.ts';
import { isBusy } from '../faults.ts';
import { FileGuard } from './file-guard.ts';

export interface Files {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  /** What happened to the files on disk since they were opened; undefined if nothing did. */
  findFault(): string | undefined;
  close(): void;
}

/** The file cannot be used, and was not changed. The message is one line for the person who starts the service. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** Another process has the file open. */
export class FileInUseError extends UnusableFileError {}

export function openServiceFiles(file: string): Files {
  createFolder(dirname(file));
  refuseForeignFormat(file);
  const lock = lockFile(file);
  try {
    // SQLite gives its side files the mode of the main file, so that mode is set before the first write.
    createPrivateFile(file);
    chmodSync(file, 0o600);
    const writer = new DatabaseSync(file, { timeout: 100 });
    writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    // What is deleted is overwritten, in this file and so in later backups.
    writer.exec('pragma secure_delete = on');
    // No temp_store in memory: with it, each statement of a long transaction costs more than the one before.
    writer.exec('pragma journal_size_limit = 67108864');
    // Plans are tested without statistics. Statistics of one account make SQLite read whole tables when others sign up.
    writer.exec('drop table if exists sqlite_stat1; drop table if exists sqlite_stat4; analyze sqlite_schema');
    const reader = new DatabaseSync(file, { readOnly: true, timeout: 100 });
    const guard = new FileGuard(file);
    const close = () => {
      reader.close();
      writer.close();
      lock.close();
    };
    return { writer, reader, findFault: () => guard.findFault(), close };
  } catch (error) {
    lock.close();
    throw error;
  }
}

const HEADER = 'SQLite format 3\0';

/** A mistyped path may lead to any file, so nothing is changed before it is known to be an SQLite file. */
export function refuseForeignFormat(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const start = Buffer.alloc(HEADER.length);
  const opened = openSync(file, 'r');
  readSync(opened, start, 0, start.length, 0);
  closeSync(opened);
  if (start.toString('latin1') !== HEADER)
    throw new UnusableFileError(`DATABASE_URL: ${file} is not an SQLite database.`);
}

function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chownToFolderOwner(file);
}

/** Keeps an exclusive lock until the process ends, however it ends. Expects the path from `canonicalPath`. */
export function lockFile(file: string): DatabaseSync {
  createPrivateFile(`${file}.lock`);
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

/**
 * The path with all links resolved; the file need not exist. A file that is reached through different
 * links gets one path, and so one lock. SQLite names its side files after the same path.
 */
export function canonicalPath(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const path = resolve(file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return canonicalPath(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  return dirname(path) === path ? path : join(canonicalPath(dirname(path)), basename(path));
}
