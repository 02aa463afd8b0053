/**
 * What a database error means for the caller: run the unit again, report the database as
 * unavailable, or let the error through because it is a fault of ours.
 */
import { AppError } from '../lib/errors.ts';
import { BatchLost } from './group-commit.ts';

/** SQLSTATE: serialisation failure and deadlock. SQLite's primary code 5: another process holds the file. */
const RETRY_SQLSTATES = new Set(['40001', '40P01']);
const SQLITE_BUSY = 5;

export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof BatchLost) return true;
  return RETRY_SQLSTATES.has(codeOf(error)) || isBusy(error);
}

/** Another process holds the file. */
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
 * Class 08 is a broken connection; 57P0x a server that is stopping, starting or was stopped by its
 * owner; 57014 a statement over its time limit; 53300 too many connections; 53100 and 53200 a
 * server out of disk or memory; 25006 and 25P03 a server that became a standby, or that gave up
 * a transaction of ours which had gone quiet.
 */
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[1-5]|57014|53[123]00|25006|25P03)$/;

/** SQLite's primary codes for no disk space, a failing disk, and a file that cannot be opened or written. */
const UNAVAILABLE_SQLITE = new Set([8, 10, 13, 14]);

/** `pg` reports these without any code. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** Turns what means "the database is away" into the error that callers are shown; returns all else as it is. */
export function translateFault(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

export function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { cause, retryAfterSeconds: 2 });
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
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

/** SQLite keeps the kind of error in the low byte of its extended code. */
function primarySqliteCode(error: unknown): number {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isSqlite ? (error.errcode as number) & 0xff : 0;
}
