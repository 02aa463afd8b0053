/**
 * Classifies database errors: the transaction can be retried, the database is unavailable, or the error
 * is a bug of ours and is passed on.
 */
import pg from 'pg';
import { AppError } from '../lib/errors.ts';
import { DatabaseFileFault } from './sqlite/file-guard.ts';
import { BatchRolledBack } from './sqlite/group-commit.ts';

/** Serialisation failure and deadlock. An expectation (`batch.ts`) fails as a serialisation failure. */
const RETRY_SQLSTATES = new Set(['40001', '40P01']);
/** Primary result code of SQLite: another process has locked the file. */
const SQLITE_BUSY = 5;

export function isRetryable(error: unknown): boolean {
  return (
    error instanceof BatchRolledBack || RETRY_SQLSTATES.has(codeOf(error)) || isBusy(error) || isStatementLost(error)
  );
}

/**
 * The prepared statement cannot be used any more: the session does not have it, or a newer release has changed the
 * columns that it returns. The server has not run it.
 */
export function isStatementLost(error: unknown): boolean {
  const isOutdated = codeOf(error) === '0A000' && error instanceof Error && /cached plan/.test(error.message);
  return isOutdated || isUnknownStatement(error);
}

export const isUnknownStatement = (error: unknown): boolean => codeOf(error) === '26000';

/** A unique index refused the row: another transaction has stored the value since it was looked for. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

export function isBusy(error: unknown): boolean {
  return primarySqliteCode(error) === SQLITE_BUSY;
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

/**
 * 08xxx: a broken connection. 57P0x: the server is stopping, starting, or ended the session. 57014: a
 * statement over its time limit. 53xxx: the server is out of connections, memory or disk. 58xxx: its files
 * fail. 25006: the server became a standby. 25P03: the server ended a transaction that was idle too long.
 */
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[1-5]|57014|53...|58...|25006|25P03)$/;

/** After any other error of the server the connection still works. A standby works too, but is of no use. */
const CONNECTION_LOST_SQLSTATE = /^(08...|57P0[1-5]|25006|25P03)$/;

/** Primary result codes of SQLite: READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const UNAVAILABLE_SQLITE = new Set([8, 10, 11, 13, 14, 26]);

/** `pg` reports these errors without a code. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed))/;

/** Turns an error that means "the database is unavailable" into the error for the caller; returns others unchanged. */
export function translateFault(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

/** Whether the connection on which the statement failed must not be used again. */
export function breaksConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || CONNECTION_LOST_SQLSTATE.test(codeOf(error));
}

/** The server did not answer in time, and may never answer on this connection. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** PgBouncer reports its own limit with the code of a protocol error. */
export function isOutOfConnections(error: unknown): boolean {
  return codeOf(error) === '53300' || (error instanceof Error && /^no more connections allowed/.test(error.message));
}

export function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { cause, retryAfterSeconds: 2 });
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseFileFault) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = codeOf(error);
  return (
    NETWORK_CODES.has(code) ||
    UNAVAILABLE_SQLSTATE.test(code) ||
    UNAVAILABLE_SQLITE.has(primarySqliteCode(error)) ||
    UNAVAILABLE_MESSAGE.test(error.message)
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The low byte of an extended SQLite result code is the primary code. */
function primarySqliteCode(error: unknown): number {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isSqlite ? (error.errcode as number) & 0xff : 0;
}
