/** Finds the service's secret key, or makes one where a single machine keeps everything. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export const SECRET_KEY_FILE = 'secret.key';

/** The first is the newest. */
export type SecretKeys = readonly [string, ...string[]];

/**
 * One key per line, the newest first. Losing the file makes second factors and emailed codes
 * useless, so it belongs into the backup, and nobody else may read it.
 */
export function readOrMakeSecretKeys(folder: string): SecretKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, SECRET_KEY_FILE);
  try {
    writeFileSync(file, `${newSecretKey()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  chmodSync(file, 0o600);
  return readSecretKeys(folder);
}

/** For whoever must not make one: beside data that another key protects, a new key would only hide that it is lost. */
export function readSecretKeys(folder: string): SecretKeys {
  const file = join(folder, SECRET_KEY_FILE);
  const [first, ...older] = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (first === undefined || first.length < 32)
    throw new Error(`${file} holds no key: restore it from a backup, or remove it to make a new one.`);
  return [first, ...older];
}

export const hasSecretKeys = (folder: string): boolean => existsSync(join(folder, SECRET_KEY_FILE));

export const newSecretKey = (): string => randomBytes(48).toString('base64url');

/** The file is the old one or the new one at every moment, whatever happens in between, and on disk when this returns. */
export function replaceSecretKeys(folder: string, keys: SecretKeys): void {
  const file = join(folder, SECRET_KEY_FILE);
  const next = `${file}.${randomBytes(6).toString('hex')}`;
  const opened = openSync(next, 'wx', 0o600);
  try {
    writeFileSync(opened, `${keys.join('\n')}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(next, file);
  syncFolder(folder);
}

/** A rename is on disk when its folder is. Windows does not let a folder be opened, and needs none of this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
