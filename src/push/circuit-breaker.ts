/**
 * Stops sending to a provider that refused our credentials or settings. Repeating such pushes fills the
 * log, and Apple closes the connection of a sender that collects errors.
 *
 * ```
 *              refused                    after a minute, one push
 *   closed ──────────────▶ open ─────────────────────────────▶ probing
 *     ▲                     ▲  every push gets the same result    │
 *     │                     └──────────── refused, or no answer ──┤
 *     └────────────────────────────────────────────── answered ───┘
 * ```
 * A probe without an answer says nothing about the credentials, so the next push is a probe at once.
 */
import type { Clock } from '../lib/clock.ts';
import { Cooldown } from './cooldown.ts';
import type { PushResult } from './gateway.ts';

const OPEN_MS = 60_000;

interface Rules {
  /** Whether the provider refused our credentials or settings, not just this push. */
  readonly isRefusal: (result: PushResult) => boolean;
  /** The provider accepts pushes again. */
  readonly onClose: () => void;
}

export class CircuitBreaker {
  readonly #cooldown: Cooldown;
  readonly #rules: Rules;
  #refusal: PushResult | undefined;
  #isProbing = false;

  constructor(clock: Clock, rules: Rules) {
    this.#cooldown = new Cooldown(clock);
    this.#rules = rules;
  }

  get isOpen(): boolean {
    return this.#refusal !== undefined;
  }

  /** Calls `send`. While the breaker is open, returns the refusal that opened it instead. */
  guard(send: () => Promise<PushResult>): Promise<PushResult> {
    if (!this.#refusal) return send();
    if (this.#isProbing || this.#cooldown.remainingMs() > 0) return Promise.resolve(this.#refusal);
    return this.#probe(send);
  }

  async #probe(send: () => Promise<PushResult>): Promise<PushResult> {
    this.#isProbing = true;
    const result = await send().finally(() => {
      this.#isProbing = false;
    });
    if (result.kind !== 'retry' && !this.#rules.isRefusal(result)) {
      this.#refusal = undefined;
      this.#rules.onClose();
    }
    return result;
  }

  /** Returns whether this result opened the breaker. Refusals of pushes that were in flight by then return false. */
  openIfRefused(result: PushResult): boolean {
    if (!this.#rules.isRefusal(result) || this.#cooldown.remainingMs() > 0) return false;
    this.#refusal = result;
    this.#cooldown.start(OPEN_MS);
    return true;
  }
}
