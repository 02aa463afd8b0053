/** Turns an error into one line for the operator, or into the stack trace where only a developer can help. */
import { ConfigError } from '../config.ts';
import { NewerDatabaseError, OlderDatabaseError } from '../db/migrate.ts';
import { UnusableFileError } from '../db/sqlite/sqlite-files.ts';
import { ForeignDatabaseError } from '../db/unusable-database.ts';
import { findOwner, UnusableKeyError } from '../keys/key-file.ts';
import { AppError } from '../lib/errors.ts';
import { CommandError } from './command.ts';

const UNTRUSTED =
  "This machine does not trust PostgreSQL's certificate: add ?sslrootcert=FILE of its authority to DATABASE_URL, " +
  'and use a host name that is in the certificate';

/** Faults that the operator can correct, by error code. */
const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT is already taken by another process: stop that process or choose another PORT',
  EADDRNOTAVAIL: 'HOST is not an address of this machine',
  ENOTFOUND: 'HOST cannot be resolved',
  EACCES: 'This user has no permission for PORT, DATA_DIR or DATABASE_URL',
  EPERM: 'This user has no permission for DATA_DIR or DATABASE_URL',
  EROFS: 'DATA_DIR or DATABASE_URL is on a read-only disk',
  ENOSPC: 'The disk of DATA_DIR or DATABASE_URL is full',
  EDQUOT: "This user's quota on the disk of DATA_DIR or DATABASE_URL is used up",
  EEXIST: 'DATA_DIR is not a folder',
  ENOTDIR: 'Part of the path in DATA_DIR or DATABASE_URL is not a folder',
  EISDIR: 'There is a folder where a file should be: check .env and DATABASE_URL',
  ELOOP: 'The path in DATA_DIR or DATABASE_URL is a loop of links',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  ERR_SQLITE_ERROR: 'DATABASE_URL names a file that SQLite cannot use',
  '3D000': 'DATABASE_URL names a database that does not exist',
  '42501': 'The user in DATABASE_URL may not create or change tables there',
  '28000': 'The user in DATABASE_URL may not sign in',
  '28P01': 'The user or password in DATABASE_URL is wrong',
};

/** Errors of `pg` that have no code. */
const HINTS_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [
    /^The server does not support SSL connections/,
    'PostgreSQL has no TLS, and without it everything could be read on the way: turn it on there, ' +
      'or add ?sslmode=disable to DATABASE_URL if no one else is on that network',
  ],
  [/^There was an error establishing an SSL connection/, 'PostgreSQL and this machine could not set up TLS'],
];

/** The message of these errors is written for the operator. */
const READABLE_ERRORS = [
  ConfigError,
  CommandError,
  NewerDatabaseError,
  OlderDatabaseError,
  UnusableKeyError,
  UnusableFileError,
  ForeignDatabaseError,
];

export function toErrorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (READABLE_ERRORS.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof AppError && error.code === 'database_unavailable') {
    return `The database cannot be reached: ${oneLine(reasonOf(error.cause))}.`;
  }
  if (error instanceof AppError) return error.message;
  return findHint(error) ?? findHint(error.cause) ?? error.stack ?? error.message;
}

function findHint(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const byCode = 'code' in error ? HINTS[String(error.code)] : undefined;
  const hint = byCode ?? HINTS_BY_MESSAGE.find(([pattern]) => pattern.test(error.message))?.[1];
  return hint && `${hint} (${oneLine(error.message)}${describeOwner(error)}).`;
}

/** A permission is missing most often because a command ran as another user, so the owner is named. */
function describeOwner(error: Error & { readonly code?: unknown; readonly path?: unknown }): string {
  if ((error.code !== 'EACCES' && error.code !== 'EPERM') || typeof error.path !== 'string') return '';
  const owner = findOwner(error.path);
  return owner === undefined ? '' : `; it belongs to ${owner}`;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : 'no reason was given';
}
