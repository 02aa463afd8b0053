/**
 * Bounds how many imported files are in memory: a few for the process, one for each account, so that no
 * account keeps the others out. A slot stays taken until the file is released, even if the caller has left.
 *
 * Slow uploads cannot keep the others out either: if all slots are taken, a new upload displaces the one that has
 * been arriving for longest, unless all of them began within the last seconds.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

const MAX_UPLOADS = 8;
/** An upload cannot be displaced for this long; most files arrive within it. */
const UNDISTURBED_MS = 5_000;

export class UploadSlot {
  readonly beganAt: Date;
  readonly #free: () => void;
  readonly #displaced = new AbortController();
  #isReceived = false;
  #isInUse = false;
  #isFree = false;

  constructor(beganAt: Date, free: () => void) {
    this.beganAt = beganAt;
    this.#free = free;
  }

  /** Fires when the slot was given to another upload, with the error to answer with. */
  get displaced(): AbortSignal {
    return this.#displaced.signal;
  }

  /** False once the file is complete. */
  get isArriving(): boolean {
    return !this.#isReceived;
  }

  displace(): void {
    this.#end();
    this.#displaced.abort(overloaded());
  }

  /** Runs the work on the file, and frees the slot when it is over. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#isReceived = true;
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
  readonly #clock: Clock;
  readonly #uploading = new Map<string, UploadSlot>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(userId: string): UploadSlot {
    if (this.#uploading.has(userId)) {
      throw new AppError('request_in_progress', { sentence: 'Another import of yours is still under way.' });
    }
    const now = this.#clock.now();
    if (this.#uploading.size >= MAX_UPLOADS) this.#displaceSlowest(now);
    const slot = new UploadSlot(now, () => this.#uploading.delete(userId));
    this.#uploading.set(userId, slot);
    return slot;
  }

  #displaceSlowest(now: Date): void {
    // Uploads are in the order in which they began.
    const slowest = this.#uploading.values().find(({ isArriving }) => isArriving);
    if (!slowest || now.getTime() - slowest.beganAt.getTime() < UNDISTURBED_MS) throw overloaded();
    slowest.displace();
  }
}

const overloaded = () => new AppError('overloaded', { retryAfterSeconds: UNDISTURBED_MS / 1_000 });
