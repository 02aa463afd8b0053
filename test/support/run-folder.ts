/**
 * One folder for all temporary files of a test run, on a file system in memory where there is room: SQLite
 * syncs at every commit, which costs milliseconds on a disk and nothing in memory.
 */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Docker gives a container 64 MB, which is not enough. */
const NEEDED_BYTES = 2 * 2 ** 30;
const PREFIX = 'crescendo-test-run-';

/** Creates the folder and makes it the TMPDIR of this process and of every process that it starts. */
export function createRunFolder(): string {
  const parent = isRoomy(MEMORY) ? MEMORY : tmpdir();
  removeStaleFolders(parent, PREFIX);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  // Where this is root, PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return folder;
}

function isRoomy(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/**
 * Removes folders of processes that no longer run; their names are the prefix and the process id. A PostgreSQL
 * that was left running ends within a minute of losing its folder.
 */
export function removeStaleFolders(parent: string, prefix: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    if (!isRunning(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
