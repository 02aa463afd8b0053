/**
 * Bounds how many imported files are held in memory: a few for the process, one for each account, so that no
 * account keeps the others out. A slot stays taken until the file is released, even if the caller has left.
 */
import { AppError } from '../lib/errors.ts';

const MAX_UPLOADS = 8;
const RETRY_AFTER_SECONDS = 10;

export class UploadSlot {
  readonly #free: () => void;
  #isInUse = false;
  #isFree = false;

  constructor(free: () => void) {
    this.#free = free;
  }

  /** Runs the work on the file, and frees the slot when it is over. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work();
    } finally {
      this.#isInUse = false;
      this.#end();
    }
  }

  /** The caller has its answer, or hung up. */
  callerLeft(): void {
    if (!this.#isInUse) this.#end();
  }

  #end(): void {
    if (!this.#isFree) this.#free();
    this.#isFree = true;
  }
}

export class UploadSlots {
  readonly #uploading = new Set<string>();

  take(userId: string): UploadSlot {
    if (this.#uploading.has(userId)) {
      throw new AppError('request_in_progress', { sentence: 'Another import of yours is still under way.' });
    }
    if (this.#uploading.size >= MAX_UPLOADS)
      throw new AppError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#uploading.add(userId);
    return new UploadSlot(() => this.#uploading.delete(userId));
  }
}
