/**
 * A dead man's switch: after each minute in which this process is healthy, it calls the URL of an external
 * monitor. The monitor raises an alarm when the calls stop, which works even if the whole machine is lost.
 *
 * Every process calls for itself. A monitor that should notice the loss of one process among many needs a URL for
 * each. The URL is a secret: anyone who knows it can keep the alarm silent.
 */
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { errorTypeOf } from '../lib/tracer.ts';

interface HeartbeatOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Rejects if the process is not healthy. */
  readonly checkHealth: () => Promise<unknown>;
}

const PING_TIMEOUT_MS = 10_000;

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #health: LogOnChange;
  readonly #pings: LogOnChange;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#health = new LogOnChange(options.logger, {
      failing: 'no heartbeat is sent while the service is not healthy',
      working: 'the service is healthy again and sends heartbeats',
    });
    this.#pings = new LogOnChange(options.logger, {
      failing: 'the heartbeat failed',
      working: 'the heartbeat works again',
    });
  }

  /** Never rejects. */
  async beat(stopped: AbortSignal): Promise<void> {
    try {
      await this.#options.checkHealth();
    } catch (error) {
      this.#health.failed({ reason: errorTypeOf(error) });
      return;
    }
    this.#health.worked();
    await this.#ping(stopped);
  }

  async #ping(stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(PING_TIMEOUT_MS)]);
    try {
      // A redirect is not followed: it could send the secret to another server.
      const answer = await fetch(this.#options.url, { redirect: 'manual', signal });
      await answer.body?.cancel();
      if (answer.ok) this.#pings.worked();
      else this.#pings.failed({ status: answer.status });
    } catch (error) {
      // Only the type of the error is logged: its message may contain the URL.
      if (!stopped.aborted) this.#pings.failed({ reason: reasonOf(error) });
    }
  }
}

/** fetch throws a wrapper error; the reason is its cause. */
function reasonOf(error: unknown): string {
  return errorTypeOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
