/**
 * The superuser may run a command in the folder of the service's user. What is made there must
 * belong to that user, or the service cannot open it afterwards.
 */
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** For what was made a moment ago. Windows has no owners of this kind. */
export function giveToFolderOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (statSync(path).uid !== uid) chownSync(path, uid, gid);
}

/** Leaves a file to whom another belongs, or would belong if it were there. */
export function keepOwner(file: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like, { throwIfNoEntry: false }) ?? statSync(dirname(like));
  chownSync(file, uid, gid);
}

/** Makes the folder and those above it that are missing, for the owner of the first that is there. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  let made = first;
  giveToFolderOwner(made);
  for (const name of relative(first, path).split(sep).filter(Boolean)) {
    made = join(made, name);
    giveToFolderOwner(made);
  }
}
