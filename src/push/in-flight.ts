/**
 * Bounds how many pushes are under way, and turns whatever happens to one of them into a result.
 *
 * The rest waits in line, first come, first served. A push whose signal fires is answered at once,
 * in line or under way, and makes room at once.
 */
import type { Logger } from '../lib/logger.ts';
import type { PushResult } from './gateway.ts';
import { resultOf, Undelivered } from './undelivered.ts';

const TIMED_OUT = { kind: 'retry', reason: 'timeout' } as const;
const CLOSED = { kind: 'retry', reason: 'closed' } as const;

type Turn = PromiseWithResolvers<void>;

export class InFlight {
  readonly #logger: Logger;
  readonly #line = new Set<Turn>();
  #room: number;
  #isClosed = false;

  constructor(most: number, logger: Logger) {
    this.#room = most;
    this.#logger = logger;
  }

  get room(): number {
    return this.#room;
  }

  /** Never rejects. A mistake of ours is logged and tried again, since the nudge still has to get through. */
  async run(signal: AbortSignal, send: () => Promise<PushResult>): Promise<PushResult> {
    if (signal.aborted) return TIMED_OUT;
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(new Undelivered(TIMED_OUT));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await this.#inTurn(aborted.promise, send).catch(resultOf);
    } catch (error) {
      this.#logger.error({ err: error }, 'A push failed inside the service.');
      return { kind: 'retry', reason: 'internal' };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #inTurn(aborted: Promise<never>, send: () => Promise<PushResult>): Promise<PushResult> {
    if (this.#isClosed) throw new Undelivered(CLOSED);
    if (this.#room > 0) this.#room -= 1;
    else await this.#waitInLine(aborted);
    try {
      return await Promise.race([aborted, send()]);
    } finally {
      this.#makeRoom();
    }
  }

  async #waitInLine(aborted: Promise<never>): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#line.add(turn);
    try {
      await Promise.race([turn.promise, aborted]);
    } catch (error) {
      // A turn that was given in the very moment of the abort belongs to the next in line.
      if (!this.#line.delete(turn) && !this.#isClosed) this.#makeRoom();
      throw error;
    }
  }

  #makeRoom(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#room += 1;
      return;
    }
    this.#line.delete(next);
    next.resolve();
  }

  /** Nothing new goes out, and nobody waits for a turn any more. */
  close(): void {
    this.#isClosed = true;
    for (const turn of this.#line) turn.reject(new Undelivered(CLOSED));
    this.#line.clear();
  }
}
