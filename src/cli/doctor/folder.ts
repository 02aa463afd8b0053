/** Where the service keeps what is its own: the folder, what guards it, and the room left. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  type Stats,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { realFile } from '../../db/real-file.ts';
import { SIDE_FILES } from '../backup/durable-files.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const folder: Check = {
  name: 'data folder',
  settings: ['DATA_DIR', 'DATABASE_URL'],
  look: async ({ config }) => {
    if (config.DATABASE_URL.engine === 'postgres') return undefined;
    const found = [...[...foldersOf(config)].map(lookAt), ...filesOf(config).flatMap(lookAtFile)];
    return found.toSorted((a, b) => RANK[b.verdict] - RANK[a.verdict])[0];
  },
};

const RANK = { ok: 0, warning: 1, fault: 2 };

/** The database may lie elsewhere. */
function foldersOf({ DATA_DIR, DATABASE_URL }: Config): Set<string> {
  const beside = DATABASE_URL.engine === 'sqlite' ? [resolve(dirname(DATABASE_URL.file))] : [];
  return new Set([resolve(DATA_DIR), ...beside]);
}

function lookAt(path: string): Finding {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? lookInside(path, found) : lookAbove(path);
  } catch (error) {
    return fault(`${path} cannot be used: ${reasonOf(error)}`, MEND);
  }
}

const MEND = "Let the service's user write there, or set DATA_DIR to a folder where it may.";

function lookInside(path: string, { mode }: Stats & { readonly mode: number }): Finding {
  if (!statSync(path).isDirectory()) return fault(`${path} is no folder`, 'Remove it, or set DATA_DIR to a folder.');
  // Rights say little: the superuser ignores them, and a disk may be read-only. So it is tried.
  const probe = join(path, `.doctor-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(probe, 'written to see whether it can be', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
  } catch (error) {
    return fault(`${path} cannot be written to: ${reasonOf(error)}`, MEND);
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return warning(`${path} is open to other users of this machine`, `chmod 700 ${path}`);
  return fine(`${path} can be written to, and is private`);
}

/** The database and what lies beside it, as far as it is there. */
function filesOf({ DATABASE_URL }: Config): string[] {
  if (DATABASE_URL.engine === 'postgres' || !existsSync(DATABASE_URL.file)) return [];
  const file = realFile(DATABASE_URL.file);
  return ['', '.lock', ...SIDE_FILES].map((side) => file + side).filter((path) => existsSync(path));
}

/** Not tried by writing: whoever has the file open now must not notice. */
function lookAtFile(path: string): Finding[] {
  const remedy = `chown it to the owner of ${dirname(path)}, and chmod 600 ${path}`;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [fault(`${path} cannot be written to: ${reasonOf(error)}`, remedy)];
  }
  const isElsewhere = statSync(path).uid !== statSync(dirname(path)).uid;
  // The superuser may write everything, the service's user may not.
  if (process.getuid?.() !== 0 || !isElsewhere) return [];
  return [warning(`${path} belongs to another user than its folder`, remedy)];
}

/** The first start makes it, if it may. */
function lookAbove(path: string): Finding {
  let above = dirname(path);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  if (!statSync(above).isDirectory()) return fault(`${above} is no folder, so ${path} cannot be made`, MEND);
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
  } catch (error) {
    return fault(`${path} does not exist and cannot be made: ${reasonOf(error)}`, MEND);
  }
  return fine(`${path} does not exist yet; the first start makes it`);
}

const FAULT_BYTES = 100 * 2 ** 20;
const WARNING_BYTES = 2 ** 30;

const disk: Check = {
  name: 'disk space',
  settings: ['DATA_DIR', 'DATABASE_URL'],
  look: async ({ config: { DATABASE_URL } }) => {
    if (DATABASE_URL.engine === 'postgres') return undefined;
    let path = resolve(dirname(DATABASE_URL.file));
    while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
    const { bavail, bsize } = statfsSync(path);
    const free = bavail * bsize;
    const says = `${sizeOf(free)} are free at ${path}`;
    if (free < FAULT_BYTES) return fault(says, 'Make room: on a full disk nothing is taken any more.');
    return free < WARNING_BYTES ? warning(says, 'Make room before it is gone.') : fine(says);
  },
};

const sizeOf = (bytes: number) =>
  bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MB` : `${Math.round(bytes / 2 ** 30)} GB`;

export const folderChecks: readonly Check[] = [folder, disk];
