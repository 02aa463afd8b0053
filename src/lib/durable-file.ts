/**
 * Small private files that are there whole and on disk, or not there at all. The superuser who writes
 * one leaves it to whom it belonged, else to whom the folder belongs: a service that runs as somebody
 * else could not read it afterwards.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { keepOwner } from './ownership.ts';

/** False where the name is taken: then nothing was changed. */
export function createDurably(file: string, content: string): boolean {
  const temporary = writeBeside(file, content);
  try {
    return isNamed(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
    syncFolder(dirname(file));
  }
}

/** The file is the old one or the new one at every moment, whatever happens in between. */
export function replaceDurably(file: string, content: string): void {
  const temporary = writeBeside(file, content);
  try {
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(file));
}

function writeBeside(file: string, content: string): string {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const opened = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(opened, content);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    keepOwner(temporary, file);
    return temporary;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Gives a file another name as well; false where that is taken, by a link that leads nowhere too. A
 * link refuses a name that is taken, which a rename does not; not every disk can make one.
 */
export function isNamed(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isTaken || existsSync(file)) return false;
    renameSync(temporary, file);
    return true;
  }
}

/** A name is on disk when its folder is. Windows does not let a folder be opened, and needs none of this. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
