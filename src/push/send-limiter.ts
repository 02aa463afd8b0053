/**
 * Limits how many pushes are in flight; the others wait in order. Every error becomes a result. When the
 * signal of a push fires, the push gets its result at once, whether it waits or is in flight, and frees
 * its place.
 */
import type { Logger } from '../lib/logger.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { PushResult } from './gateway.ts';
import { PushError, toPushResult } from './push-error.ts';

export class SendLimiter {
  readonly #logger: Logger;
  readonly #semaphore: Semaphore;

  constructor(maxInFlight: number, logger: Logger) {
    this.#semaphore = new Semaphore({ capacity: maxInFlight });
    this.#logger = logger;
  }

  get capacity(): number {
    return this.#semaphore.available;
  }

  /** Never rejects. An unexpected error is logged and becomes a retry, because the nudge must still be delivered. */
  async run(signal: AbortSignal, send: () => Promise<PushResult>): Promise<PushResult> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(new PushError({ kind: 'retry', reason: 'timeout' }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([aborted.promise, this.#sendInTurn(signal, send)]).catch(toPushResult);
    } catch (error) {
      this.#logger.error({ err: error }, 'a push failed inside the service');
      return { kind: 'retry', reason: 'internal' };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #sendInTurn(signal: AbortSignal, send: () => Promise<PushResult>): Promise<PushResult> {
    const release = await this.#semaphore.acquire(signal);
    signal.addEventListener('abort', release, { once: true });
    try {
      signal.throwIfAborted();
      return await send();
    } finally {
      signal.removeEventListener('abort', release);
      release();
    }
  }

  /** Pushes that wait, and every later one, get a retry. */
  close(): void {
    this.#semaphore.close(new PushError({ kind: 'retry', reason: 'closed' }));
  }
}
