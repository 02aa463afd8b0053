/**
 * Watches the deliveries that wait. Some always do: for capacity, for a retry, for the end of a hold. A
 * delivery that could have been sent minutes ago means that no process sends for its provider: its
 * settings were removed, or the provider accepts nothing. The log and `/metrics` report it.
 */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { DEVICE_PROVIDERS, type Provider } from '../push/gateway.ts';
import { countPending, findWaitingSince } from './outbox.store.ts';

/** Counting stops here: a higher count costs more and says nothing new. */
const MAX_COUNTED = 10_000;

const STUCK_SECONDS = 120;

interface Waiting {
  readonly provider: Provider;
  readonly due: number;
  readonly later: number;
  /** For how long the oldest due delivery could have been sent; 0 if none is due. */
  readonly waitSeconds: number;
}

export class OutboxMonitor {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #providers: readonly Provider[];
  readonly #stuck: ReadonlyMap<Provider, LogOnChange>;

  /** `clock` is real time, like the retries and leases of deliveries. */
  constructor(db: Db, clock: Clock, logger: Logger, configured: readonly Provider[] = []) {
    this.#db = db;
    this.#clock = clock;
    this.#providers = [...new Set<Provider>([...DEVICE_PROVIDERS, ...configured])];
    this.#stuck = new Map(
      this.#providers.map((provider) => [
        provider,
        new LogOnChange(logger, {
          failing: 'deliveries are stuck in the outbox: no process sends them',
          working: 'deliveries are sent again',
        }),
      ]),
    );
  }

  async list(): Promise<Waiting[]> {
    const now = this.#clock.now();
    const all: Waiting[] = [];
    for (const provider of this.#providers) {
      const due = await countPending(this.#db, provider, 'due', now, MAX_COUNTED);
      const later = await countPending(this.#db, provider, 'later', now, MAX_COUNTED);
      all.push({ provider, due, later, waitSeconds: await this.#waitSeconds(provider, now) });
    }
    return all;
  }

  /** Logs one line when the deliveries of a provider get stuck and one when they are sent again. */
  async check(): Promise<void> {
    const now = this.#clock.now();
    for (const provider of this.#providers) {
      const wait_seconds = Math.round(await this.#waitSeconds(provider, now));
      if (wait_seconds > STUCK_SECONDS) this.#stuck.get(provider)?.failed({ provider, wait_seconds });
      else this.#stuck.get(provider)?.worked({ provider });
    }
  }

  async #waitSeconds(provider: Provider, now: Date): Promise<number> {
    const since = await findWaitingSince(this.#db, provider, now, MAX_COUNTED);
    return since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : 0;
  }
}
