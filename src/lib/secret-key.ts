/**
 * The service's secret keys where a single machine keeps everything: one per line, the newest first.
 * Losing the file makes second factors and recovery codes useless, so it belongs into the backup.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceDurably } from './durable-file.ts';
import { readKeyFile, readOrMakeKeyFile, UnusableKeyError } from './key-file.ts';

export const SECRET_KEY_FILE = 'secret.key';

/** Keys that a rotation took out of the file, until whoever runs the service deletes them. */
export const FORMER_KEY_FILE = 'secret.key.former';

const SHORTEST = 32;

/** The first is the newest. */
export type SecretKeys = readonly [string, ...string[]];

/** Only for data that no key guards yet: elsewhere a new key would hide that the right one is missing. */
export function readOrMakeSecretKeys(folder: string): SecretKeys {
  const file = join(folder, SECRET_KEY_FILE);
  const keys = findSecretKeys(readOrMakeKeyFile(file, newSecretKey));
  if (keys) return keys;
  throw new UnusableKeyError(`${file} holds no key`, 'Restore it from a backup, or remove it to make a new one.');
}

export function readSecretKeys(folder: string, read = readKeyFile): SecretKeys {
  const file = join(folder, SECRET_KEY_FILE);
  const keys = findSecretKeys(read(file));
  if (keys) return keys;
  throw new UnusableKeyError(`${file} holds no key`, 'Restore it from a backup.');
}

/** The keys in the text of such a file; undefined where its first line is none. */
export function findSecretKeys(text: string): SecretKeys | undefined {
  const [first, ...older] = linesOf(text);
  return first === undefined || first.length < SHORTEST ? undefined : [first, ...older];
}

export const hasSecretKeys = (folder: string): boolean => existsSync(join(folder, SECRET_KEY_FILE));

export const newSecretKey = (): string => randomBytes(48).toString('base64url');

export function replaceSecretKeys(folder: string, keys: SecretKeys): void {
  replaceDurably(join(folder, SECRET_KEY_FILE), textOf(keys));
}

/** Beside those of earlier rotations that nobody has deleted yet: another database may turn out to need them. */
export function keepFormerKeys(folder: string, keys: readonly string[]): void {
  replaceDurably(join(folder, FORMER_KEY_FILE), textOf(new Set([...keys, ...readFormerKeys(folder)])));
}

export function readFormerKeys(folder: string): string[] {
  const file = join(folder, FORMER_KEY_FILE);
  return existsSync(file) ? linesOf(readKeyFile(file)) : [];
}

const textOf = (keys: Iterable<string>) => `${[...keys].join('\n')}\n`;

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
