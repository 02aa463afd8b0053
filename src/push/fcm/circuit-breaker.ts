/**
 * Spares FCM, and the log, what cannot succeed: once our settings are found wrong, pushes are
 * answered so at once.
 *
 *   closed ──misconfigured──▶ open ──60 s──▶ one probe ──misconfigured──▶ open
 *      ▲                                        │
 *      └──────────── any word on the push itself┘
 *
 * A probe that got no answer proves nothing, and the next push is a probe again.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { PushResult } from '../gateway.ts';

const OPEN_MS = 60_000;

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #open: { readonly result: PushResult; readonly probeAt: number } | undefined;
  #isProbing = false;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  async guard(send: () => Promise<PushResult>): Promise<PushResult> {
    if (this.#open === undefined) return this.#learn(await send());
    if (this.#isProbing || this.#now() < this.#open.probeAt) return this.#open.result;
    this.#isProbing = true;
    try {
      return this.#learn(await send());
    } finally {
      this.#isProbing = false;
    }
  }

  #learn(result: PushResult): PushResult {
    if (result.kind === 'misconfigured') this.#trip(result);
    else if (result.kind !== 'retry' && this.#open) {
      this.#open = undefined;
      this.#logger.info('FCM takes pushes again.');
    }
    return result;
  }

  #trip(result: PushResult & { kind: 'misconfigured' }): void {
    // Those that were under way when the first one failed say nothing new.
    const isNews = !this.#open || this.#isProbing;
    this.#open = { result, probeAt: this.#now() + OPEN_MS };
    if (isNews) this.#logger.error({ reason: result.reason }, 'FCM takes no push: FCM_SERVICE_ACCOUNT needs a look.');
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
