/** Checks the data folder: permissions, owner of the files, and free disk space. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { canonicalPath } from '../../db/sqlite/sqlite-files.ts';
import { existingParent } from '../../lib/ownership.ts';
import { SIDE_FILES } from '../backup/durable-files.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const SEVERITY = { ok: 0, warning: 1, fault: 2 };

/** Reports the worst finding. */
const folder: Check = {
  name: 'data folder',
  settings: ['DATA_DIR', 'DATABASE_URL'],
  run: async ({ config }) => {
    if (config.DATABASE_URL.engine === 'postgres') return undefined;
    const { DATA_DIR, DATABASE_URL } = config;
    const folders = new Set([resolve(DATA_DIR), resolve(dirname(DATABASE_URL.file))]);
    const findings = [...[...folders].map(checkFolder), ...databaseFiles(DATABASE_URL.file).flatMap(checkFile)];
    return findings.toSorted((a, b) => SEVERITY[b.verdict] - SEVERITY[a.verdict])[0];
  },
};

/** The code that Node.js has for a write to such a disk. */
const isReadOnlyDisk = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EROFS';

/** Nothing on such a disk is damaged, so nothing has to be restored. */
export function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(existingParent(resolve(path)), constants.W_OK);
    return false;
  } catch (error) {
    return isReadOnlyDisk(error);
  }
}

const readOnlyDisk = (path: string) =>
  fault(
    `${path} is on a read-only disk, and the service must write there`,
    'Mount the disk for writing, or set DATA_DIR to a folder on another disk. A disk that became read-only by itself may be ' +
      'failing: see what the system log says.',
  );

const REMEDY = "Let the service's user write there, or set DATA_DIR to a folder where it may.";

function checkFolder(path: string): Finding {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return checkMissingFolder(path);
    if (!found.isDirectory()) return fault(`${path} is not a folder`, 'Remove it, or set DATA_DIR to a folder.');
    return checkWritable(path, found.mode);
  } catch (error) {
    return fault(`${path} cannot be used: ${reasonOf(error)}`, REMEDY);
  }
}

function checkWritable(path: string, mode: number): Finding {
  // Writes a file, because the permission bits are not enough: root ignores them, and the disk may be read-only.
  const probe = join(path, `.doctor-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(probe, 'written by crescendo doctor', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
  } catch (error) {
    if (isReadOnlyDisk(error)) return readOnlyDisk(path);
    return fault(`${path} is not writable: ${reasonOf(error)}`, REMEDY);
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return warning(`${path} is open to other users of this machine`, `chmod 700 ${path}`);
  return fine(`${path} is writable and private`);
}

/** The first start creates the folder, if it may. */
function checkMissingFolder(path: string): Finding {
  const parent = existingParent(path);
  if (!statSync(parent).isDirectory()) return fault(`${parent} is not a folder, so ${path} cannot be created`, REMEDY);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isReadOnlyDisk(error)) return readOnlyDisk(path);
    return fault(`${path} does not exist and cannot be created: ${reasonOf(error)}`, REMEDY);
  }
  return fine(`${path} does not exist yet; the first start creates it`);
}

/** The database and the files next to it that exist. */
function databaseFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  const file = canonicalPath(path);
  return ['', '.lock', ...SIDE_FILES].map((suffix) => file + suffix).filter((name) => existsSync(name));
}

/** Does not write to the file, since the service may have it open. */
function checkFile(path: string): Finding[] {
  const remedy = `chown it to the owner of ${dirname(path)}, and chmod 600 ${path}`;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (isReadOnlyDisk(error)) return [readOnlyDisk(path)];
    return [fault(`${path} is not writable: ${reasonOf(error)}`, remedy)];
  }
  const hasOtherOwner = statSync(path).uid !== statSync(dirname(path)).uid;
  // Root may write every file; the service's user may not.
  if (process.getuid?.() !== 0 || !hasOtherOwner) return [];
  return [warning(`${path} belongs to another user than its folder`, remedy)];
}

const FAULT_BYTES = 100 * 2 ** 20;
const WARNING_BYTES = 2 ** 30;

const disk: Check = {
  name: 'disk space',
  settings: ['DATA_DIR', 'DATABASE_URL'],
  run: async ({ config: { DATABASE_URL } }) => {
    if (DATABASE_URL.engine === 'postgres') return undefined;
    const path = existingParent(resolve(DATABASE_URL.file));
    const { bavail, bsize } = statfsSync(path);
    const freeBytes = bavail * bsize;
    const says = `${formatBytes(freeBytes)} are free at ${path}`;
    if (freeBytes < FAULT_BYTES) return fault(says, 'Free some space: on a full disk every write is refused.');
    return freeBytes < WARNING_BYTES ? warning(says, 'Free some space before the disk is full.') : fine(says);
  },
};

const formatBytes = (bytes: number) =>
  bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MB` : `${Math.round(bytes / 2 ** 30)} GB`;

export const folderChecks: readonly Check[] = [folder, disk];
