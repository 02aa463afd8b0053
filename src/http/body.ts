/**
 * Reads request bodies. Every body is JSON: a missing Content-Type counts as JSON, any other one is refused. An empty
 * body has no type, because some clients send one with every request.
 * A missing body, an empty body and `null` all mean "no fields", so the route's required fields alone
 * decide whether they are accepted.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { findExcess, type JsonBounds } from './json-bounds.ts';
import { findUnsafeInput } from './unsafe-input.ts';

/** The longest task that the schema allows has 244 KB if a client escapes every character of it. */
export const BODY_LIMIT_BYTES = 256 * 1024;
/** Anyone may call these routes, and the longest sign-in request has 5 KB. */
const SIGN_IN_BODY_LIMIT_BYTES = 16 * 1024;
/** The longest recurrence has 5,000 values or 2,000 fields, and everything else has few. */
const MOST: JsonBounds = { values: 20_000, fields: 2_500 };

export function readBodiesAsJson(app: FastifyInstance): void {
  setBodyParser(app, (body) => {
    if (body.length === 0) return undefined;
    refuseExcess(body);
    return parseJson(decodeUtf8(body));
  });

  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/auth/')) route.bodyLimit ??= SIGN_IN_BODY_LIMIT_BYTES;
  });

  // Before the Content-Type is checked, so that every body that is too large gets the same answer.
  app.addHook('onRequest', (request, _reply, done) => {
    const contentLength = Number(request.headers['content-length'] ?? 0);
    if (contentLength > (request.route.bodyLimit ?? BODY_LIMIT_BYTES)) throw new AppError('payload_too_large');
    done();
  });

  app.addHook('preValidation', (request, _reply, done) => {
    if (request.route.schema?.body && request.body == null) request.body = {};
    const problem =
      findUnsafeInput('path', request.params) ??
      findUnsafeInput('query', request.query) ??
      findUnsafeInput('body', request.body);
    if (problem) throw new InvalidInput(problem);
    done();
  });
}

/** For routes that need the bytes of the body. The Content-Type rules stay the same. */
export function setBodyParser(app: FastifyInstance, parse: (body: Buffer, request: FastifyRequest) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    parse(body, request),
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length > 0 && request.headers['content-type']) throw new AppError('unsupported_media_type');
    return parse(body, request);
  });
}

/** Must be called before a body is parsed: the bodies that it refuses would take long to parse. */
export function refuseExcess(body: Uint8Array): void {
  const excess = findExcess(body, MOST);
  if (excess) throw new InvalidInput(excess);
}

export function decodeUtf8(body: Buffer): string {
  if (!isUtf8(body)) throw invalidJson('The body is not valid UTF-8');
  return body.toString('utf8');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // V8's message quotes the text around the error, which may be a secret.
    throw invalidJson('The body is not valid JSON');
  }
}

const invalidJson = (msg: string) => new InvalidInput({ type: 'json_invalid', loc: ['body'], msg });
