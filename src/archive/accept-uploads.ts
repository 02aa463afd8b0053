/** Reads the body of a route as a file, into one of the few upload slots. For a Fastify context of its own. */
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { App } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { InvalidInput } from '../lib/errors.ts';
import type { UploadSlot, UploadSlots } from './upload-slots.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that take files. */
    uploadSlot: UploadSlot | null;
  }
}

/** `parse` gets the bytes of a body that is not empty. */
export function acceptUploads(app: App, uploads: UploadSlots): void {
  app.decorateRequest('uploadSlot', null);
  // Before the body is read, so that a refused upload takes no memory.
  app.addHook('onRequest', async (request, reply) => {
    const slot = uploads.take(sessionOf(request).userId);
    request.uploadSlot = slot;
    reply.raw.once('close', () => slot.callerLeft());
  });
  app.addHook('preParsing', async (request, reply, body) => {
    const arriving = new PassThrough();
    request.uploadSlot?.displaced.addEventListener('abort', ({ target }) => {
      // The rest of the file is not read, so the connection cannot be used again.
      reply.header('connection', 'close');
      arriving.destroy((target as AbortSignal).reason);
    });
    return body.on('error', (error) => arriving.destroy(error)).pipe(arriving);
  });
  app.removeAllContentTypeParsers();
}

/**
 * The body of an upload. Its bytes are private, so code that walks a body value by value skips them. As JSON, which an
 * Idempotency-Key compares, it is a hash of its kind and bytes.
 */
export class UploadedFile {
  readonly #bytes: Uint8Array;
  readonly kind: string;

  constructor(bytes: Uint8Array, kind: string) {
    this.#bytes = bytes;
    this.kind = kind;
  }

  /** Not a property, which such code would find. */
  takeBytes(): Uint8Array {
    return this.#bytes;
  }

  toJSON(): string {
    return createHash('sha256').update(`${this.kind}\n`).update(this.#bytes).digest('base64url');
  }
}

/** Throws if the body was empty. */
export function requireFile(body: unknown): UploadedFile {
  if (body instanceof UploadedFile) return body;
  throw new InvalidInput({ type: 'missing', loc: ['body'], msg: 'There is no document in the body' });
}
