/** From whatever went wrong to one line that says why, for the person at the terminal. */
import { CommandError } from './cli/command.ts';
import { ConfigError } from './config.ts';
import { NewerDatabaseError, OlderDatabaseError } from './db/migrate.ts';
import { UnusableFileError } from './db/sqlite-files.ts';
import { UnfinishedCopyError } from './db/unfinished-copy.ts';
import { AppError } from './lib/errors.ts';
import { findOwner, UnusableKeyError } from './lib/key-file.ts';

/** What the person at the terminal can mend, by the error's code. */
const MENDABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT is already taken by another process: stop that one or choose another PORT',
  EADDRNOTAVAIL: 'HOST is no address of this machine',
  ENOTFOUND: 'HOST cannot be resolved',
  EACCES: 'PORT, DATA_DIR or DATABASE_URL is not permitted to this user',
  EPERM: 'DATA_DIR or DATABASE_URL is not permitted to this user',
  EROFS: 'DATA_DIR or DATABASE_URL lies on a read-only disk',
  ENOSPC: 'No room is left on the disk of DATA_DIR or DATABASE_URL',
  EDQUOT: 'No room is left to this user on the disk of DATA_DIR or DATABASE_URL',
  EEXIST: 'DATA_DIR is no folder',
  ENOTDIR: 'DATA_DIR or DATABASE_URL leads through something that is no folder',
  EISDIR: 'A folder lies where a file should: look at .env and DATABASE_URL',
  ERR_SQLITE_ERROR: 'DATABASE_URL names a file that SQLite cannot use',
  '3D000': 'DATABASE_URL names a database that does not exist',
  '28000': 'DATABASE_URL names a user that may not sign in',
  '28P01': 'DATABASE_URL has a wrong user or password',
};

/** Errors whose message was written for the person at the terminal. */
const SPOKEN = [
  ...[ConfigError, NewerDatabaseError, OlderDatabaseError, UnusableFileError, UnfinishedCopyError],
  ...[UnusableKeyError, CommandError],
];

/** One line for what the person at the terminal can mend; the whole story for what only a developer can. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (SPOKEN.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof AppError && error.code === 'database_unavailable') {
    return `The database cannot be reached: ${oneLine(reasonOf(error.cause))}.`;
  }
  if (error instanceof AppError) return error.message;
  const hint = 'code' in error ? MENDABLE[String(error.code)] : undefined;
  return hint ? `${hint} (${oneLine(error.message)}${whose(error)}).` : (error.stack ?? error.message);
}

/** What is closed to this user is somebody's: who that is, is the first thing to know. */
function whose(error: Error & { readonly code?: unknown; readonly path?: unknown }): string {
  if ((error.code !== 'EACCES' && error.code !== 'EPERM') || typeof error.path !== 'string') return '';
  const owner = findOwner(error.path);
  return owner === undefined ? '' : `; it belongs to ${owner}`;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : 'no reason was given';
}
