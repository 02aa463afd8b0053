/** Finds the service's secret key, or makes one where a single machine keeps everything. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SECRET_KEY_FILE = 'secret.key';

/**
 * One key per line, the newest first. Losing the file makes second factors and emailed codes
 * useless, so it belongs into the backup, and nobody else may read it.
 */
export function readOrMakeSecretKeys(folder: string): [string, ...string[]] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, SECRET_KEY_FILE);
  try {
    writeFileSync(file, `${randomBytes(48).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  chmodSync(file, 0o600);
  const [first, ...older] = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (first === undefined || first.length < 32)
    throw new Error(`${file} holds no key: restore it from a backup, or remove it to make a new one.`);
  return [first, ...older];
}
