/** Logs one line when something starts to fail and one when it works again, however many failures come between. */
import type { Logger } from './logger.ts';

interface Messages {
  readonly failing: string;
  readonly working: string;
  /** The level of the first line; the second is `info`. */
  readonly level?: 'warn' | 'error';
}

export class LogOnChange {
  readonly #logger: Logger;
  readonly #messages: Messages;
  #failures = 0;

  constructor(logger: Logger, messages: Messages) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  failed(details: object): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#logger[this.#messages.level ?? 'warn'](details, this.#messages.failing);
  }

  worked(details: object = {}): void {
    if (this.#failures > 0) this.#logger.info({ ...details, failures: this.#failures }, this.#messages.working);
    this.#failures = 0;
  }
}
