/** A file with a key: written once, complete or not at all, and readable by the service's user only. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDurably } from '../lib/durable-file.ts';

/** The keys cannot be used, or do not fit the database. The message is one line for the operator. */
export class UnusableKeyError extends Error {
  override readonly name = 'UnusableKeyError';
  /** What is wrong, without a full stop. */
  readonly summary: string;
  /** What the operator should do, as a whole sentence. */
  readonly remedy: string;

  constructor(summary: string, remedy: string) {
    super(`${summary}. ${remedy}`);
    this.summary = summary;
    this.remedy = remedy;
  }
}

export function readOrMakeKeyFile(file: string, make: () => string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) createDurably(file, `${make()}\n`);
  return readOwnKeyFile(file);
}

/** For the service: makes the file private again if its mode was changed. */
export const readOwnKeyFile = (file: string): string =>
  explainRefusal(file, () => {
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  });

/** For commands: does not change the mode. */
export const readKeyFile = (file: string): string => explainRefusal(file, () => readFileSync(file, 'utf8'));

function explainRefusal(file: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
    if (!isRefused) throw error;
    throw new UnusableKeyError(
      `${file} belongs to ${findOwner(file) ?? 'another user'} and is not accessible to ${nameOf(process.geteuid?.())}`,
      `Let the service run as that user, or give the file to the service's user: chown USER ${file}; chmod 600 ${file}.`,
    );
  }
}

/** Undefined if a folder on the path is not readable either. */
export function findOwner(path: string): string | undefined {
  try {
    return nameOf(statSync(path).uid);
  } catch {
    return undefined;
  }
}

const nameOf = (uid: number | undefined) => (uid === 0 ? 'root' : `user ${uid ?? '(unknown)'}`);
