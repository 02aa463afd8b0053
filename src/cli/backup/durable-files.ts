/** Large private files that exist under their name only when they are complete and on disk. */
import { chmodSync, closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { linkUnlessTaken, syncFolder } from '../../lib/durable-file.ts';
import { CommandError } from '../command.ts';

/** The suffixes of the files that SQLite creates next to a database. */
export const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

export const fileExists = (file: string) => new CommandError(`${file} already exists and is not overwritten.`);

/** Only the owner may read the file. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
  chmodSync(file, 0o600);
}

/** Gives a complete file its name; throws where the name is taken. After a crash it has one of its two names. */
export function publish(temporary: string, file: string): void {
  syncFile(temporary);
  if (!linkUnlessTaken(temporary, file)) throw fileExists(file);
  rmSync(temporary, { force: true });
  syncFolder(dirname(file));
}

export function removeDatabase(file: string): void {
  for (const suffix of ['', ...SIDE_FILES]) rmSync(file + suffix, { force: true });
}

function syncFile(file: string): void {
  const opened = openSync(file, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
