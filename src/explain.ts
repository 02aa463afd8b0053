/** From whatever went wrong to one line that says why, for the person at the terminal. */
import { CommandError } from './cli/command.ts';
import { ConfigError } from './config.ts';
import { NewerDatabaseError, OlderDatabaseError } from './db/migrate.ts';
import { ForeignDatabaseError } from './db/origin.ts';
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
  ...sameFor(
    [
      ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ],
    'The certificate of PostgreSQL is not one that this machine trusts',
  ),
  ERR_SQLITE_ERROR: 'DATABASE_URL names a file that SQLite cannot use',
  ELOOP: 'DATA_DIR or DATABASE_URL leads in a circle of links',
  '3D000': 'DATABASE_URL names a database that does not exist',
  '42501': 'DATABASE_URL names a user that may not make or change tables there',
  '28000': 'DATABASE_URL names a user that may not sign in',
  '28P01': 'DATABASE_URL has a wrong user or password',
};

function sameFor(codes: readonly string[], hint: string): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, hint]));
}

/** Errors whose message was written for the person at the terminal. */
const SPOKEN = [
  ...[ConfigError, CommandError, NewerDatabaseError, OlderDatabaseError, UnusableKeyError],
  ...[UnusableFileError, UnfinishedCopyError, ForeignDatabaseError],
];

/** One line for what the person at the terminal can mend; the whole story for what only a developer can. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (SPOKEN.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof AppError && error.code === 'database_unavailable') {
    return `The database cannot be reached: ${oneLine(reasonOf(error.cause))}.`;
  }
  if (error instanceof AppError) return error.message;
  return (
    hintFor(error) ?? (error.cause instanceof Error ? hintFor(error.cause) : undefined) ?? error.stack ?? error.message
  );
}

/** What is closed to this user is somebody's: who that is, is the first thing to know. */
function whose(error: Error & { readonly code?: unknown; readonly path?: unknown }): string {
  if ((error.code !== 'EACCES' && error.code !== 'EPERM') || typeof error.path !== 'string') return '';
  const owner = findOwner(error.path);
  return owner === undefined ? '' : `; it belongs to ${owner}`;
}

function hintFor(error: Error): string | undefined {
  const hint = 'code' in error ? MENDABLE[String(error.code)] : undefined;
  const told = hint ?? SAID_WITHOUT_CODE.find(([pattern]) => pattern.test(error.message))?.[1];
  return told && `${told} (${oneLine(error.message)}${whose(error)}).`;
}

/** What `pg` says without any code. */
const SAID_WITHOUT_CODE: readonly (readonly [RegExp, string])[] = [
  [/^The server does not support SSL connections/, 'The URL of PostgreSQL asks for TLS, and the server has none'],
  [/^There was an error establishing an SSL connection/, 'The server does not agree on TLS with this machine'],
];

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : 'no reason was given';
}
