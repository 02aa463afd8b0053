/** Once a minute, what is worth a look is looked at: one thing after the other, and never two rounds at once. */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

const ROUND_MS = 60_000;

type Look = (stopped: AbortSignal) => Promise<void>;

export class Rounds {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #looks: readonly Look[];
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;

  constructor(clock: Clock, logger: Logger, looks: readonly Look[]) {
    this.#clock = clock;
    this.#logger = logger;
    this.#looks = looks;
  }

  start(): void {
    if (this.#looks.length > 0) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    let at = this.#clock.now().getTime();
    while (!signal.aborted) {
      at = this.#nextRound(at);
      await this.#clock.sleepUntil(new Date(at), signal).catch(() => undefined);
      for (const look of this.#looks) if (!signal.aborted) await this.#take(look);
    }
  }

  /** A minute after the last one began. Rounds that were missed are not made up for, and a clock may have been set back. */
  #nextRound(last: number): number {
    const now = this.#clock.now().getTime();
    const next = last + ROUND_MS;
    return next < now - ROUND_MS || next > now + ROUND_MS ? now + ROUND_MS : next;
  }

  /** A look that fails is taken again in the next round; while the database is away others speak of it. */
  async #take(look: Look): Promise<void> {
    await look(this.#stopped.signal).catch((error) =>
      this.#logger.debug({ err: error }, 'a look at the service failed'),
    );
  }
}
