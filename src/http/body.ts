/**
 * Reads request bodies. Everything is JSON: a missing Content-Type is read as JSON, another one is
 * refused. No body, an empty one and `null` all mean "no fields", so that whether they are welcome
 * is decided by the route's required fields alone.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { findUnstorable } from './unstorable.ts';

export const BODY_LIMIT_BYTES = 1024 * 1024;

export function readBodiesAsJson(app: FastifyInstance): void {
  readBodiesBy(app, (body) => (body.length === 0 ? undefined : parseJson(textOf(body))));

  // Before the Content-Type is looked at: a body that is too large is refused for that, whatever it is.
  app.addHook('onRequest', async (request) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > (request.routeOptions.bodyLimit ?? BODY_LIMIT_BYTES)) throw new AppError('payload_too_large');
  });

  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.schema?.body && request.body == null) request.body = {};
    const problem =
      findUnstorable('path', request.params) ??
      findUnstorable('query', request.query) ??
      findUnstorable('body', request.body);
    if (problem) throw new InvalidInput(problem);
  });
}

/** For a context that needs the bytes of its bodies, which are JSON all the same. */
export function readBodiesBy(app: FastifyInstance, read: (body: Buffer, request: FastifyRequest) => unknown): void {
  app.removeAllContentTypeParsers();
  const parse = async (request: FastifyRequest, body: Buffer) => read(body, request);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (request.headers['content-type']) throw new AppError('unsupported_media_type');
    return read(body, request);
  });
}

export function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw invalidJson('The body is not valid UTF-8');
  return body.toString('utf8');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // V8's own message quotes the text around the fault, which may be a secret.
    throw invalidJson('The body is not valid JSON');
  }
}

const invalidJson = (msg: string) => new InvalidInput({ type: 'json_invalid', loc: ['body'], msg });
