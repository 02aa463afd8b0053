/**
 * How many files may be on their way in at once. Each is held in memory whole, so their number is
 * bounded for the process, and for one account to one: nobody keeps the others out. A place is taken
 * until nothing of the file is held any more, whether or not its sender still waits.
 */
import { AppError } from '../lib/errors.ts';

const MOST_AT_ONCE = 8;
const RETRY_AFTER_SECONDS = 10;

/** A file on its way in. */
export class Visit {
  readonly #leave: () => void;
  #isWorkedOn = false;
  #hasLeft = false;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** What is done with the file; the place is free when it is over. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isWorkedOn = true;
    try {
      return await work();
    } finally {
      this.#isWorkedOn = false;
      this.#end();
    }
  }

  /** The sender has an answer, or hung up. */
  departed(): void {
    if (!this.#isWorkedOn) this.#end();
  }

  #end(): void {
    if (!this.#hasLeft) this.#leave();
    this.#hasLeft = true;
  }
}

export class UploadGate {
  readonly #inside = new Set<string>();

  enter(userId: string): Visit {
    if (this.#inside.has(userId)) {
      throw new AppError('request_in_progress', { sentence: 'Another import of yours is still under way.' });
    }
    if (this.#inside.size >= MOST_AT_ONCE) throw new AppError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#inside.add(userId);
    return new Visit(() => this.#inside.delete(userId));
  }
}
