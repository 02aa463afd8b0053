/** How much of what a server takes in a day is left for held messages. Nudges come first. */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Holder } from './plan-understudies.ts';
import { countMessagesOfDay } from './understudies.store.ts';

/** Below this share of the day's messages a person has one message held instead of three, and then none. */
const ENOUGH_FOR_THREE = 0.5;
const ENOUGH_FOR_ONE = 0.25;
const COUNTED_FOR_MS = 30_000;

export class BudgetOfServers {
  readonly #clock: Clock;
  readonly #counted = new Map<string, { readonly used: number; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async left(db: Db, server: string | null, mostPerDay: number | null): Promise<Holder['budget']> {
    if (server === null || mostPerDay === null) return 'three';
    const share = 1 - (await this.#used(db, server, mostPerDay)) / mostPerDay;
    if (share > ENOUGH_FOR_THREE) return 'three';
    return share > ENOUGH_FOR_ONE ? 'one' : 'none';
  }

  async #used(db: Db, server: string, most: number): Promise<number> {
    const now = this.#clock.now();
    const known = this.#counted.get(server);
    const ageMs = known ? now.getTime() - known.atMs : Number.POSITIVE_INFINITY;
    if (known && ageMs >= 0 && ageMs < COUNTED_FOR_MS) return known.used;
    const used = await countMessagesOfDay(db, server, now, most);
    this.#counted.set(server, { used, atMs: now.getTime() });
    return used;
  }
}
