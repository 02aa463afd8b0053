/**
 * Writes small private files atomically: the whole file is on disk, or none of it. If the superuser writes a
 * file, it keeps its owner, or gets the owner of its folder; otherwise the service, which runs as another user,
 * could not read it.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { copyOwner } from './ownership.ts';

/** Returns false if the file exists already; then nothing is changed. */
export function createDurably(file: string, content: string): boolean {
  const temporary = writeTemporary(file, content);
  try {
    return linkUnlessTaken(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
    syncFolder(dirname(file));
  }
}

/** At every moment, even after a crash, the file has either the old or the new content. */
export function replaceDurably(file: string, content: string): void {
  const temporary = writeTemporary(file, content);
  try {
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(file));
}

function writeTemporary(file: string, content: string): string {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const opened = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(opened, content);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    copyOwner(temporary, file);
    return temporary;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Gives the file a second name. Returns false if that name is taken, even by a dangling link. A hard link fails
 * if the name is taken, which a rename does not; not every file system has hard links.
 */
export function linkUnlessTaken(temporary: string, file: string): boolean {
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

/** A new file name is durable once its folder is synced. Windows cannot open folders, and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
