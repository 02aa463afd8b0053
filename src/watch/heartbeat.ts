/**
 * The dead-man's ping: after each minute in which this process would have called itself healthy, it
 * calls an address outside. Whoever listens there raises the alarm when the calls stop, which works
 * even when the machine is gone and with it everything that could complain.
 *
 * Every process calls for itself. A monitor that should notice the loss of one process of many wants
 * an address for each. The address is a secret: whoever knows it can keep the alarm silent.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { errorTypeOf } from '../lib/tracer.ts';
import { ToldOnce } from './told-once.ts';

interface HeartbeatParts {
  readonly url: string;
  /** Real time: whoever listens counts by it. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Rejects where the process is not healthy. */
  readonly judge: () => Promise<unknown>;
}

const PING_WITHIN_MS = 10_000;

export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #health: ToldOnce;
  readonly #reach: ToldOnce;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#health = new ToldOnce(parts.logger, {
      failing: 'no heartbeat is sent while the service is not healthy',
      working: 'the service is healthy again, and heartbeats are sent',
    });
    this.#reach = new ToldOnce(parts.logger, {
      failing: 'the heartbeat did not get through',
      working: 'the heartbeat gets through again',
    });
  }

  /** Never rejects. */
  async beat(stopped: AbortSignal): Promise<void> {
    try {
      await this.#parts.judge();
    } catch (error) {
      this.#health.fails({ reason: errorTypeOf(error) });
      return;
    }
    this.#health.works();
    await this.#ping(stopped);
  }

  async #ping(stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(PING_WITHIN_MS)]);
    try {
      // A redirection is not followed: it might carry the secret to somebody else.
      const answer = await fetch(this.#parts.url, { redirect: 'manual', signal });
      await answer.body?.cancel();
      if (answer.ok) this.#reach.works();
      else this.#reach.fails({ status: answer.status });
    } catch (error) {
      // Only the kind: the words of such errors may repeat the address.
      if (!stopped.aborted) this.#reach.fails({ reason: reasonOf(error) });
    }
  }
}

/** What fetch throws is a wrapper; the reason lies beneath. */
function reasonOf(error: unknown): string {
  return errorTypeOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
