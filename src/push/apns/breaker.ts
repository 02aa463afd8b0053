/**
 * Keeps us from asking again and again with credentials that were refused: Apple closes the
 * connection on whoever collects errors.
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
import type { Clock } from '../../lib/clock.ts';
import type { PushResult } from '../gateway.ts';
import { Cooldown } from './cooldown.ts';

const OPEN_MS = 60_000;

export class Breaker {
  readonly #cooldown: Cooldown;
  #refusal: PushResult | undefined;
  #isProbing = false;

  constructor(clock: Clock) {
    this.#cooldown = new Cooldown(clock);
  }

  /** Does the work, or answers with the standing refusal instead. */
  guard(work: () => Promise<PushResult>): Promise<PushResult> {
    if (!this.#refusal) return work();
    if (this.#isProbing || this.#cooldown.remainingMs() > 0) return Promise.resolve(this.#refusal);
    return this.#probe(work);
  }

  async #probe(work: () => Promise<PushResult>): Promise<PushResult> {
    this.#isProbing = true;
    const result = await work();
    this.#isProbing = false;
    if (result.kind !== 'retry' && !isRefusal(result)) this.#refusal = undefined;
    return result;
  }

  /** True when this result opened it; those that were under way with the same credentials only confirm it. */
  opensOn(result: PushResult): boolean {
    if (!isRefusal(result) || this.#cooldown.remainingMs() > 0) return false;
    this.#refusal = result;
    this.#cooldown.start(OPEN_MS);
    return true;
  }
}

/** A token that is refused as expired although it is new says that our clock is wrong. */
const isRefusal = (result: PushResult) =>
  result.kind === 'misconfigured' || (result.kind === 'retry' && result.reason === 'ExpiredProviderToken');
