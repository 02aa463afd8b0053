/** A file with a key in it: made once, whole, and read by nobody but the service. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDurably } from './durable-file.ts';

/** The keys at hand cannot be used, or are not those of the data. The message is one line for whoever runs the service. */
export class UnusableKeyError extends Error {
  override readonly name = 'UnusableKeyError';
  readonly says: string;
  /** What to do about it, in a sentence of its own. */
  readonly remedy: string;

  constructor(says: string, remedy: string) {
    super(`${says}. ${remedy}`);
    this.says = says;
    this.remedy = remedy;
  }
}

/** Makes it where it is missing. */
export function readOrMakeKeyFile(file: string, make: () => string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) createDurably(file, `${make()}\n`);
  return readOwnKeyFile(file);
}

/** For the service itself: a mode that was loosened is put right. */
export const readOwnKeyFile = (file: string): string =>
  sayWhose(file, () => {
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  });

/** For whoever only looks. */
export const readKeyFile = (file: string): string => sayWhose(file, () => readFileSync(file, 'utf8'));

function sayWhose(file: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
    if (!isRefused) throw error;
    throw new UnusableKeyError(
      `${file} belongs to ${findOwner(file) ?? 'somebody else'} and is closed to ${nameOf(process.geteuid?.())}`,
      `Let the service run as that user, or give the file to the service's user: chown USER ${file}; chmod 600 ${file}.`,
    );
  }
}

/** Undefined where the path leads through a folder that is closed as well. */
export function findOwner(path: string): string | undefined {
  try {
    return nameOf(statSync(path).uid);
  } catch {
    return undefined;
  }
}

const nameOf = (uid: number | undefined) => (uid === 0 ? 'root' : `user ${uid ?? '(unknown)'}`);
