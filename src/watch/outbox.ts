/**
 * Deliveries that wait. Some always do: for their turn, for a retry, for the end of a hold. One that
 * could have been sent minutes ago and was not is a sign that nobody sends for its provider any more:
 * its settings were removed, or it takes nothing. That is told in the log and by `/metrics`.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Provider } from '../push/gateway.ts';
import { countPending, findWaitingSince } from './outbox.store.ts';

const PROVIDERS: readonly Provider[] = ['apns', 'apns_sandbox', 'fcm', 'web_push'];

/** Counting on would take longer with every delivery that waits, and tell nothing new. */
const MOST_COUNTED = 10_000;

const STANDING_SECONDS = 120;

interface Waiting {
  readonly provider: Provider;
  readonly due: number;
  readonly later: number;
  /** How long the one that is next in line could have been sent; 0 where none could. */
  readonly waitSeconds: number;
}

export class Outbox {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #standing = new Set<Provider>();

  /** Real time, by which deliveries are put off and leased. */
  constructor(db: Kysely<Database>, clock: Clock, logger: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
  }

  async list(): Promise<Waiting[]> {
    const now = this.#clock.now();
    const all: Waiting[] = [];
    for (const provider of PROVIDERS) {
      const due = await countPending(this.#db, provider, 'due', now, MOST_COUNTED);
      const later = await countPending(this.#db, provider, 'later', now, MOST_COUNTED);
      all.push({ provider, due, later, waitSeconds: await this.#waitSeconds(provider, now) });
    }
    return all;
  }

  /** One line when a provider's deliveries begin to stand, one when they move again. */
  async look(): Promise<void> {
    const now = this.#clock.now();
    for (const provider of PROVIDERS) {
      const wait_seconds = Math.round(await this.#waitSeconds(provider, now));
      const stands = wait_seconds > STANDING_SECONDS;
      if (stands && !this.#standing.has(provider)) {
        this.#standing.add(provider);
        this.#logger.warn({ provider, wait_seconds }, 'deliveries stand in the outbox: nobody sends them');
      }
      if (!stands && this.#standing.delete(provider)) this.#logger.info({ provider }, 'deliveries move again');
    }
  }

  async #waitSeconds(provider: Provider, now: Date): Promise<number> {
    const since = await findWaitingSince(this.#db, provider, now);
    return since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : 0;
  }
}
