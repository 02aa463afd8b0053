/**
 * Which encryption keys this process has, where they come from, and whether they fit the database.
 *
 * A service does not start with keys that do not fit: it could not verify second factors, and would seal
 * values that the right keys cannot open later.
 */
import { join } from 'node:path';
import { readKeyFile, UnusableKeyError } from './key-file.ts';
import { hasSecretKeys, readSecretKeys, SECRET_KEY_FILE, type SecretKeys } from './secret-key-file.ts';
import { keyIdOf } from './vault.ts';

export interface KeySettings {
  readonly SECRET_KEY: string | undefined;
  readonly SECRET_KEY_OLD: readonly string[] | undefined;
  readonly DATA_DIR: string;
}

/** The keys from the environment, newest first; undefined if the keys are in DATA_DIR. */
export const configuredKeys = ({ SECRET_KEY, SECRET_KEY_OLD = [] }: KeySettings): SecretKeys | undefined =>
  SECRET_KEY === undefined ? undefined : [SECRET_KEY, ...SECRET_KEY_OLD];

/** The keys from the environment or from DATA_DIR, newest first; undefined if there are none. Never makes a key. */
export function findKeys(settings: KeySettings, read = readKeyFile): SecretKeys | undefined {
  const configured = configuredKeys(settings);
  if (configured) return configured;
  return hasSecretKeys(settings.DATA_DIR) ? readSecretKeys(settings.DATA_DIR, read) : undefined;
}

/** Where the operator finds the keys: a setting or a file. */
export const keySource = ({ SECRET_KEY, DATA_DIR }: KeySettings): string =>
  SECRET_KEY === undefined ? join(DATA_DIR, SECRET_KEY_FILE) : 'SECRET_KEY';

/** One common key is enough, because a rotation may be in progress. A database without used keys fits every key. */
export const fitsDatabase = (usedKeyIds: readonly string[], keyIds: readonly string[]): boolean =>
  usedKeyIds.length === 0 || usedKeyIds.some((id) => keyIds.includes(id));

/** `usedKeyIds` are the keys that the database uses; undefined if they could not be read. */
export function findKeyProblem(
  settings: KeySettings,
  usedKeyIds: readonly string[] | undefined,
  keys: SecretKeys | undefined,
): UnusableKeyError | undefined {
  const source = keySource(settings);
  const names = describeKeys(usedKeyIds ?? []);
  if (!keys) return new UnusableKeyError(`There is no ${source}, and this database was sealed with ${names}`, REMEDY);
  if (fitsDatabase(usedKeyIds ?? [], keys.map(keyIdOf))) return undefined;
  return new UnusableKeyError(`${source} is not the key of this database, which was sealed with ${names}`, REMEDY);
}

const REMEDY =
  'Restore the right key from a backup, or check that DATABASE_URL and DATA_DIR belong together: without it no ' +
  'second factor works. If the key is lost: crescendo keys forget.';

function describeKeys(ids: readonly string[]): string {
  if (ids.length === 0) return 'a key';
  return `${ids.length === 1 ? 'key' : 'one of the keys'} ${ids.join(', ')}`;
}
