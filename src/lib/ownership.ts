/**
 * The superuser may run a command in a folder of the service's user. Files created there must belong to that
 * user, or the service could not open them. Windows has no owners of this kind.
 */
import { accessSync, chownSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export function chownToFolderOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (statSync(path).uid !== uid) chownSync(path, uid, gid);
}

/** Gives `file` the owner of `like`, or of its folder if `like` does not exist. */
export function copyOwner(file: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like, { throwIfNoEntry: false }) ?? statSync(dirname(like));
  chownSync(file, uid, gid);
}

/** Creates the folder and its missing parents, for the owner of the closest folder that exists. */
export function createFolder(path: string): void {
  const first = makeFolders(path);
  if (first === undefined) return;
  let created = first;
  chownToFolderOwner(created);
  for (const name of relative(first, path).split(sep).filter(Boolean)) {
    created = join(created, name);
    chownToFolderOwner(created);
  }
}

function makeFolders(path: string): string | undefined {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // On a read-only disk Node.js says that there is no such folder. Its parent says why.
    accessSync(existingParent(path), constants.W_OK);
    throw error;
  }
}

/** The nearest folder above the path that exists. */
export function existingParent(path: string): string {
  let parent = dirname(path);
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  return parent;
}
