import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Where a file really lies, or would be made: one file has one name, whichever links lead to it.
 * The lock goes by that name, and so does SQLite when it looks for its side files.
 */
export function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const path = resolve(file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return realFile(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  return dirname(path) === path ? path : join(realFile(dirname(path)), basename(path));
}
