/**
 * Wakes the engines of other processes. Many writes in a short time ring once, and a moment that
 * lies far enough off rings not at all, since every engine looks for itself before then.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

const GATHER_MS = 50;

export class Doorbell {
  readonly #clock: Clock;
  readonly #farOffMs: number;
  readonly #ring: () => Promise<void>;
  readonly #logger: Logger;
  #gathering: NodeJS.Timeout | undefined;

  constructor(clock: Clock, farOffMs: number, ring: () => Promise<void>, logger: Logger) {
    this.#clock = clock;
    this.#farOffMs = farOffMs;
    this.#ring = ring;
    this.#logger = logger;
  }

  wakeUp(at: Date = this.#clock.now()): void {
    if (this.#gathering || at.getTime() > this.#clock.now().getTime() + this.#farOffMs) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#ring().catch((error) => this.#logger.debug({ err: error }, 'the engines could not be woken'));
    }, GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }
}
