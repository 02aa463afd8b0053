/**
 * Wakes the engines of other processes. Writes within a short time share one wake-up. A task that is due late enough
 * needs no wake-up, since every engine checks for itself before then.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

const COLLECT_MS = 50;

export class WakeUpSender {
  readonly #clock: Clock;
  readonly #farOffMs: number;
  readonly #notify: () => Promise<void>;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, farOffMs: number, notify: () => Promise<void>, logger: Logger) {
    this.#clock = clock;
    this.#farOffMs = farOffMs;
    this.#notify = notify;
    this.#logger = logger;
  }

  wakeUp(at: Date = this.#clock.now()): void {
    if (this.#timer || at.getTime() > this.#clock.now().getTime() + this.#farOffMs) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#notify().catch((error) => this.#logger.debug({ err: error }, 'waking the engines failed'));
    }, COLLECT_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
