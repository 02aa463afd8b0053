/**
 * Turns every error into the answer that the caller receives. No other file decides what an error looks
 * like on the wire. An unexpected error is logged in full and answered as `internal`.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stopwatch } from '../lib/clock.ts';
import { AppError, type ErrorCode, errorCatalogue, InvalidInput } from '../lib/errors.ts';
import { failure } from './envelope.ts';

/** The `WWW-Authenticate` header of a 401. */
export const BEARER_CHALLENGE = 'Bearer realm="crescendo"';

/** Error codes of Fastify, and the codes of the catalogue they are answered with. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  // A path below /docs/static that is not in its canonical form, such as `..`.
  FST_STATIC_FORBIDDEN_PATH: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_HANDLER_TIMEOUT: 'timed_out',
  // The client hung up in the middle of its request.
  ECONNRESET: 'malformed_request',
};

interface DatabaseOutage {
  /** The time since a request that failed because of the database was logged. */
  msSinceLogged: () => number;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly databaseOutage: DatabaseOutage;
  }
  interface FastifyReply {
    /** The error code in the answer; null unless the request was refused. */
    refusedWith: ErrorCode | null;
  }
}

export function handleErrors(app: FastifyInstance): void {
  app.decorateReply('refusedWith', null);
  app.decorate('databaseOutage', { msSinceLogged: () => Number.POSITIVE_INFINITY } satisfies DatabaseOutage);
  app.setErrorHandler((error: FastifyError, request, reply) => sendFailure(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendFailure(new AppError('not_found'), request, reply));
}

export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof InvalidInput) return reply.code(422).send({ detail: error.problems });
  const { status, code, message } = prepareFailure(error, request, reply);
  return reply.code(status).send(failure(code, message));
}

/** Logs the failure and sets its headers, for callers that write the body themselves. */
export function prepareFailure(error: Error, request: FastifyRequest, reply: FastifyReply): AppError {
  const known = toAppError(error);
  reply.refusedWith = known.code;
  if (isLogged(known, request.server.databaseOutage))
    request.log.error({ ...request.logContext, err: known.cause ?? error, code: known.code }, 'request failed');
  if (known.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', BEARER_CHALLENGE);
  if (known.status === 503) reply.header('retry-after', known.retryAfterSeconds ?? 1);
  else if (known.status === 429) reply.header('retry-after', known.retryAfterSeconds ?? LIMIT_RETRY_SECONDS);
  else if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  return known;
}

/** Every request of an outage fails for the same reason. A line for each could fill the very disk that is full. */
const LOG_OUTAGE_EVERY_MS = 10_000;

function isLogged({ status, code }: AppError, outage: DatabaseOutage): boolean {
  // For these, one line is logged when it starts; a line per refused request would add to the load.
  if (status < 500 || code === 'overloaded' || code === 'newer_release') return false;
  if (code !== 'database_unavailable') return true;
  if (outage.msSinceLogged() < LOG_OUTAGE_EVERY_MS) return false;
  outage.msSinceLogged = stopwatch();
  return true;
}

/** For limits that no time lifts, such as the number of spaces: only deleting something helps. */
const LIMIT_RETRY_SECONDS = 3_600;

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? FASTIFY_CODES[error.code] : undefined;
  return new AppError(code ?? 'internal', { cause: error });
}

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers bytes that Node could not parse as a request. There is no reply object, only the socket. */
export function answerMalformedHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const code = PARSER_CODES[error.code ?? ''] ?? 'malformed_request';
  const { status, sentence } = errorCatalogue[code];
  const body = JSON.stringify(failure(code, sentence));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
