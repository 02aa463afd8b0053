/** Files that are either there, whole and on disk, or not there at all. */
import { chmodSync, closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isNamed, syncFolder } from '../../lib/durable-file.ts';
import { giveToFolderOwner } from '../../lib/ownership.ts';

/** What SQLite may put beside a database. */
export const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

/** Thrown before anything was changed. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
  constructor(file: string) {
    super(`${file} already exists, and is not overwritten.`);
  }
}

/** Nobody else may read what is made here. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
  chmodSync(file, 0o600);
}

/** For the service, which need not run as whoever runs this. */
export function writePrivate(file: string, content: string): void {
  writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
  chmodSync(file, 0o600);
  giveToFolderOwner(file);
}

/** Gives a finished file its name. A crash leaves it under the old name or the new one, never half of it. */
export function publish(temporary: string, file: string): void {
  syncFile(temporary);
  if (!isNamed(temporary, file)) throw new FileExistsError(file);
  rmSync(temporary, { force: true });
  syncFolder(dirname(file));
}

export function removeDatabase(file: string): void {
  for (const side of ['', ...SIDE_FILES]) rmSync(file + side, { force: true });
}

function syncFile(file: string): void {
  const opened = openSync(file, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
