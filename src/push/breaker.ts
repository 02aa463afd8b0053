/**
 * Keeps us from asking again and again with credentials or settings that were refused: it fills the
 * log, and Apple closes the connection on whoever collects errors.
 *
 * ```
 *              refused                    after a minute, one push
 *   closed ──────────────▶ open ─────────────────────────────▶ probing
 *     ▲                     ▲  every push gets the same answer    │
 *     │                     └──────────── refused, or no answer ──┤
 *     └────────────────────────────────────────────── answered ───┘
 * ```
 * A probe that got no answer has taught nothing, so the next push is a probe again, without a wait.
 */
import type { Clock } from '../lib/clock.ts';
import { Cooldown } from './cooldown.ts';
import type { PushResult } from './gateway.ts';

const OPEN_MS = 60_000;

interface Rules {
  /** Which answers are about us and not about the push. */
  readonly isRefusal: (result: PushResult) => boolean;
  /** Pushes are taken again. */
  readonly closed: () => void;
}

export class Breaker {
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

  /** Does the work, or answers with the standing refusal instead. */
  guard(work: () => Promise<PushResult>): Promise<PushResult> {
    if (!this.#refusal) return work();
    if (this.#isProbing || this.#cooldown.remainingMs() > 0) return Promise.resolve(this.#refusal);
    return this.#probe(work);
  }

  async #probe(work: () => Promise<PushResult>): Promise<PushResult> {
    this.#isProbing = true;
    const result = await work().finally(() => {
      this.#isProbing = false;
    });
    if (result.kind !== 'retry' && !this.#rules.isRefusal(result)) {
      this.#refusal = undefined;
      this.#rules.closed();
    }
    return result;
  }

  /** True when this result opened it; those that were under way with the same credentials only confirm it. */
  opensOn(result: PushResult): boolean {
    if (!this.#rules.isRefusal(result) || this.#cooldown.remainingMs() > 0) return false;
    this.#refusal = result;
    this.#cooldown.start(OPEN_MS);
    return true;
  }
}
