/**
 * How many files may be on their way in at once. Each is held in memory whole, so their number is
 * bounded for the process, and for one account to one: nobody keeps the others out.
 */
import { AppError } from '../lib/errors.ts';

const MOST_AT_ONCE = 8;

export class UploadGate {
  readonly #inside = new Set<string>();

  /** Returns what lets the next one in. */
  enter(userId: string): () => void {
    if (this.#inside.has(userId)) {
      throw new AppError('request_in_progress', { sentence: 'Another import of yours is still under way.' });
    }
    if (this.#inside.size >= MOST_AT_ONCE) throw new AppError('overloaded', { retryAfterSeconds: 10 });
    this.#inside.add(userId);
    return () => void this.#inside.delete(userId);
  }
}
