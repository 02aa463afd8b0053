/**
 * Does a piece of work again and again: at the moment the work itself names, when somebody rings,
 * and now and then in any case. The last is the safety net for a ring that was lost and for a
 * clock that was set forward, so it is counted by a timer that no clock can move.
 *
 * Work that fails is tried again, at growing distances; one line is logged when it begins to fail
 * and one when it works again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';

interface LoopOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest time between two looks. */
  readonly lookEveryMs: number;
  /** Resolves with the moment of the next piece, or null where nothing is known of one. Ends early once the signal fires. */
  readonly work: (signal: AbortSignal) => Promise<Date | null>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

export class Loop {
  readonly #options: LoopOptions;
  readonly #stopped = new AbortController();
  #bell = Promise.withResolvers<void>();
  /** While it rests: until when. */
  #restsUntil: number | undefined;
  #rungFor = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#bell.resolve();
    await this.#running;
  }

  /** There may be work at that moment, or at once. Costs nothing where the loop would look by then anyway. */
  ring(at?: Date): void {
    const moment = at?.getTime() ?? Number.NEGATIVE_INFINITY;
    // One that has stopped rests for good.
    if (this.#stopped.signal.aborted) return;
    if (this.#restsUntil === undefined) this.#rungFor = Math.min(this.#rungFor, moment);
    else if (moment < this.#restsUntil) {
      this.#restsUntil = undefined;
      this.#bell.resolve();
    }
  }

  isIdle(): boolean {
    const now = this.#options.clock.now().getTime();
    return this.#running === undefined || (this.#restsUntil !== undefined && this.#restsUntil > now);
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const next = await this.#attempt();
      if (this.#stopped.signal.aborted) break;
      if (next !== 'failed') await this.#rest(next);
    }
    this.#restsUntil = Number.POSITIVE_INFINITY;
  }

  async #attempt(): Promise<Date | null | 'failed'> {
    const { name, logger, work } = this.#options;
    try {
      this.#rungFor = Number.POSITIVE_INFINITY;
      const next = await work(this.#stopped.signal);
      if (this.#failures > 0) logger.info({ loop: name, failures: this.#failures }, 'the engine works again');
      this.#failures = 0;
      return next;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === 1) logger.error({ err: error, loop: name }, 'the engine cannot work at the moment');
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
      await delay(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      return 'failed';
    }
  }

  async #rest(next: Date | null): Promise<void> {
    const until = Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, this.#rungFor);
    if (until <= this.#options.clock.now().getTime()) return;
    this.#bell = Promise.withResolvers();
    this.#restsUntil = until;
    const over = new AbortController();
    const { signal } = over;
    const sleeps: Promise<void>[] = [delay(this.#options.lookEveryMs, undefined, { signal })];
    if (until < LAST_MOMENT) sleeps.push(this.#options.clock.sleepUntil(new Date(until), signal));
    await Promise.race([this.#bell.promise, ...sleeps.map((sleep) => sleep.catch(() => undefined))]);
    over.abort();
    this.#restsUntil = undefined;
  }
}

/** What lies further off is no date that can be slept until. */
const LAST_MOMENT = 8.64e15;
