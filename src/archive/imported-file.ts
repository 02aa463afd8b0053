import { createHash } from 'node:crypto';
import type { FileKind } from './read-document.ts';

/**
 * A file that was sent. It hides its bytes from everything that looks through a body value by value;
 * written down, as an Idempotency-Key has it, it is the hash of its kind and its bytes.
 */
export class ImportedFile {
  readonly #bytes: Uint8Array;
  readonly #kind: FileKind;

  constructor(bytes: Uint8Array, kind: FileKind) {
    this.#bytes = bytes;
    this.#kind = kind;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get kind(): FileKind {
    return this.#kind;
  }

  toJSON(): string {
    return createHash('sha256').update(`${this.#kind}\n`).update(this.#bytes).digest('base64url');
  }
}
