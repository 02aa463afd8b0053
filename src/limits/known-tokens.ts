/**
 * The tokens that this process accepted lately, and their accounts: what is known about a caller before anything is
 * read. A token that is refused is forgotten. They are kept as they are: the requests hold them anyway, and a hash for
 * each request would cost more than the rest.
 */
import { stopwatch } from '../lib/clock.ts';

const KEPT_MS = 300_000;
const MOST = 10_000;

export class KnownTokens {
  #recent = new Map<string, string>();
  /** Forgotten as a whole, so that no token needs a timer or a place in an order. */
  #older = new Map<string, string>();
  #ageMs = stopwatch();

  remember(token: string, userId: string): void {
    if (this.#recent.size >= MOST || this.#ageMs() > KEPT_MS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#ageMs = stopwatch();
    }
    this.#recent.set(token, userId);
  }

  forget(token: string): void {
    this.#recent.delete(token);
    this.#older.delete(token);
  }

  accountOf(token: string): string | undefined {
    return this.#recent.get(token) ?? this.#older.get(token);
  }
}
