/**
 * The file in DATA_DIR with the encryption keys of a service on SQLite: one key per line, newest
 * first. Without it second factors and recovery codes do not work, so every backup contains it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceDurably } from '../lib/durable-file.ts';
import { readKeyFile, readOrMakeKeyFile, UnusableKeyError } from './key-file.ts';

export const SECRET_KEY_FILE = 'secret.key';

/** Keys that a rotation has removed from the file. The operator deletes this file. */
export const FORMER_KEY_FILE = 'secret.key.former';

const MIN_LENGTH = 32;

/** Newest first. */
export type SecretKeys = readonly [string, ...string[]];

/** Only for a database that uses no key yet: a new key would hide that the right one is missing. */
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

/** The keys in the content of a key file; undefined if the first line is not a key. */
export function findSecretKeys(text: string): SecretKeys | undefined {
  const [first, ...older] = linesOf(text);
  return first === undefined || first.length < MIN_LENGTH ? undefined : [first, ...older];
}

export const hasSecretKeys = (folder: string): boolean => existsSync(join(folder, SECRET_KEY_FILE));

export const newSecretKey = (): string => randomBytes(48).toString('base64url');

export function replaceSecretKeys(folder: string, keys: SecretKeys): void {
  replaceDurably(join(folder, SECRET_KEY_FILE), textOf(keys));
}

/** The former keys of earlier rotations stay in the file: another database may need them. */
export function addFormerKeys(folder: string, keys: readonly string[]): void {
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
