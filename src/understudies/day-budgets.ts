/** How many held messages a person may have, by what their server still takes today. Nudges come first. */
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { DayBudget } from '../push/gateway.ts';
import { type Allowed, NONE, ONE, THREE } from './plan-understudies.ts';

/** Below this share of the day's messages a person has one message held instead of three, and then none. */
const ENOUGH_FOR_THREE = 0.5;
const ENOUGH_FOR_ONE = 0.25;
const KNOWN_FOR_MS = 30_000;
const MOST_KNOWN = 10_000;

export class DayBudgets {
  readonly #clock: Clock;
  readonly #count: (key: string) => Promise<number>;
  readonly #known = new BoundedMap<string, { readonly used: number; readonly atMs: number }>(MOST_KNOWN);

  /** `count` says how many messages were sent today. */
  constructor(clock: Clock, count: (key: string) => Promise<number>) {
    this.#clock = clock;
    this.#count = count;
  }

  async allowedBy(budget: DayBudget | null): Promise<Allowed> {
    if (budget === null) return THREE;
    const left = 1 - (await this.#used(budget.key)) / budget.most;
    if (left > ENOUGH_FOR_THREE) return THREE;
    return left > ENOUGH_FOR_ONE ? ONE : NONE;
  }

  /**
   * Whether one more message may be held. It counts until the counter is read again, so that many people who are looked
   * at together do not all get the same last messages.
   */
  async take(budget: DayBudget | null): Promise<boolean> {
    if (budget === null) return true;
    if ((await this.allowedBy(budget)) === NONE) return false;
    const known = this.#known.get(budget.key);
    if (known) this.#known.set(budget.key, { ...known, used: known.used + 1 });
    return true;
  }

  async #used(key: string): Promise<number> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#known.get(key);
    const ageMs = known ? nowMs - known.atMs : Number.POSITIVE_INFINITY;
    if (known && ageMs >= 0 && ageMs < KNOWN_FOR_MS) return known.used;
    const used = await this.#count(key);
    this.#known.set(key, { used, atMs: nowMs });
    return used;
  }
}
