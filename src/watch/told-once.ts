/** Tells when something begins to fail and when it works again, however often it does either. */
import type { Logger } from '../lib/logger.ts';

interface Words {
  readonly failing: string;
  readonly working: string;
}

export class ToldOnce {
  readonly #logger: Logger;
  readonly #words: Words;
  #failures = 0;

  constructor(logger: Logger, words: Words) {
    this.#logger = logger;
    this.#words = words;
  }

  fails(about: object): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#logger.warn(about, this.#words.failing);
  }

  works(): void {
    if (this.#failures > 0) this.#logger.info({ failures: this.#failures }, this.#words.working);
    this.#failures = 0;
  }
}
