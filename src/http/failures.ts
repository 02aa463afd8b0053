/**
 * Turns whatever went wrong into the answer that the caller sees. The only place that knows how an
 * error looks on the wire; what is unexpected is logged in full and shown as `internal`.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, errorCatalogue, InvalidInput } from '../lib/errors.ts';
import { CHALLENGE } from './challenge.ts';
import { failure } from './envelope.ts';

/** What Fastify itself throws, in our words. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_HANDLER_TIMEOUT: 'timed_out',
  // The client hung up in the middle of its request.
  ECONNRESET: 'malformed_request',
};

declare module 'fastify' {
  interface FastifyReply {
    /** The code of the catalogue that the answer carries, where it is a refusal. */
    refusedWith: ErrorCode | null;
  }
}

export function answerFailures(app: FastifyInstance): void {
  app.decorateReply('refusedWith', null);
  app.setErrorHandler((error: FastifyError, request, reply) => sendFailure(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendFailure(new AppError('not_found'), request, reply));
}

export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof InvalidInput) return reply.code(422).send({ detail: error.problems });
  const { status, code, message } = noteFailure(error, request, reply);
  return reply.code(status).send(failure(code, message));
}

/** Everything about a refusal but its body: what the log keeps of it, and the headers that go with it. */
export function noteFailure(error: Error, request: FastifyRequest, reply: FastifyReply): AppError {
  const known = toAppError(error);
  reply.refusedWith = known.code;
  // Turning requests away is told once, when it begins; a line for each would be a load of its own.
  const isNews = known.status >= 500 && known.code !== 'overloaded';
  if (isNews) request.log.error({ ...request.about, err: known.cause ?? error, code: known.code }, 'request failed');
  if (known.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', CHALLENGE);
  if (known.status === 503) reply.header('retry-after', known.retryAfterSeconds ?? 1);
  else if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  return known;
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? FASTIFY_CODES[error.code] : undefined;
  return new AppError(code ?? 'internal', { cause: error });
}

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what never became a request: Node gives up on the bytes, and there is only the socket to write to. */
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
