/**
 * A background loop. It runs its work at the moment that the previous run returned, when it is woken, and at
 * least every `checkEveryMs`. That interval is the safety net for a lost wake-up and for a clock that was set
 * forward, so it is measured by a timer, which setting the clock does not affect.
 *
 * Work that fails is retried with back-off. One line is logged when it starts to fail and one when it
 * works again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BackOff, backOffMs } from './back-off.ts';
import type { Clock } from './clock.ts';
import { LogOnChange } from './log-on-change.ts';
import type { Logger } from './logger.ts';

interface LoopOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest time between two runs. */
  readonly checkEveryMs: number;
  /** Resolves with the moment of the next run, or null if none is known. Should end early when the signal fires. */
  readonly work: (signal: AbortSignal) => Promise<Date | null>;
}

const BACK_OFF: BackOff = { firstMs: 250, longestMs: 5_000 };

/** The last moment that fits into a `Date`. */
const LAST_MOMENT_MS = 8.64e15;

export class Loop {
  readonly #options: LoopOptions;
  readonly #stopped = new AbortController();
  readonly #log: LogOnChange;
  #wakeUp = Promise.withResolvers<void>();
  /** The moment the loop sleeps until; undefined while it works. */
  #sleepsUntil: number | undefined;
  /** The earliest moment passed to `wake` while the loop was working. */
  #wokenFor = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#log = new LogOnChange(options.logger, {
      level: 'error',
      failing: 'a background loop is failing',
      working: 'a background loop works again',
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wakeUp.resolve();
    await this.#running;
  }

  /** Runs the work at that moment, or at once. Costs nothing if the loop would run by then anyway. */
  wake(at?: Date): void {
    if (this.#stopped.signal.aborted) return;
    const moment = at?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (this.#sleepsUntil === undefined) this.#wokenFor = Math.min(this.#wokenFor, moment);
    else if (moment < this.#sleepsUntil) {
      this.#sleepsUntil = undefined;
      this.#wakeUp.resolve();
    }
  }

  isIdle(): boolean {
    const now = this.#options.clock.now().getTime();
    return this.#running === undefined || (this.#sleepsUntil !== undefined && this.#sleepsUntil > now);
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const next = await this.#attempt();
      if (this.#stopped.signal.aborted) break;
      if (next !== 'failed') await this.#sleep(next);
    }
    this.#sleepsUntil = Number.POSITIVE_INFINITY;
  }

  async #attempt(): Promise<Date | null | 'failed'> {
    const { name, work } = this.#options;
    try {
      this.#wokenFor = Number.POSITIVE_INFINITY;
      const next = await work(this.#stopped.signal);
      this.#log.worked({ loop: name });
      return next;
    } catch (error) {
      this.#log.failed({ err: error, loop: name });
      const { signal } = this.#stopped;
      await delay(backOffMs(BACK_OFF, this.#log.failures), undefined, { signal }).catch(() => undefined);
      return 'failed';
    }
  }

  async #sleep(next: Date | null): Promise<void> {
    const { clock, checkEveryMs } = this.#options;
    const until = Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, this.#wokenFor);
    if (until <= clock.now().getTime()) return;
    this.#wakeUp = Promise.withResolvers();
    this.#sleepsUntil = until;
    const awake = new AbortController();
    const { signal } = awake;
    const sleeps: Promise<void>[] = [delay(checkEveryMs, undefined, { signal })];
    if (until < LAST_MOMENT_MS) sleeps.push(clock.sleepUntil(new Date(until), signal));
    await Promise.race([this.#wakeUp.promise, ...sleeps.map((sleep) => sleep.catch(() => undefined))]);
    // A reason of its own would be an error with a stack, and nobody reads it.
    awake.abort(null);
    this.#sleepsUntil = undefined;
  }
}
