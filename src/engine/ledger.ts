/**
 * Writes down what became of sends, many at a time: while one batch is being written the next
 * gathers. What cannot be written is kept and tried again; should the process end first, the leases
 * run out and those deliveries are sent once more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { type Loss, type Outcome, recordLosses, recordOutcomes, recordSent } from './dispatch.store.ts';
import type { Pace } from './pace.ts';

export interface Verdict {
  readonly outcome: Outcome;
  readonly loss: Loss | null;
  /** Called once it is stored. */
  readonly stored: () => void;
}

const PAUSE_MS = 500;
const MOST_ATTEMPTS_AT_THE_END = 3;

export class Ledger {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #logger: Logger;
  readonly #waiting: Verdict[] = [];
  #writing: Promise<void> | undefined;
  #closing = false;

  constructor(db: Kysely<Database>, clock: Clock, pace: Pace, logger: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#pace = pace;
    this.#logger = logger;
  }

  record(verdict: Verdict): void {
    this.#waiting.push(verdict);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written, or when it is clear that the database will not have it. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Whatever is answered in this turn of the event loop shares the first batch.
    await new Promise(setImmediate);
    for (let failures = 0; this.#waiting.length > 0; ) {
      const batch = this.#waiting.slice(0, this.#pace.size);
      if (await this.#write(batch)) {
        this.#waiting.splice(0, batch.length);
        for (const { stored } of batch) stored();
        failures = 0;
      } else {
        failures += 1;
        if (this.#closing && failures === MOST_ATTEMPTS_AT_THE_END) return;
        await delay(PAUSE_MS);
      }
    }
  }

  async #write(batch: readonly Verdict[]): Promise<boolean> {
    const outcomes = batch.map(({ outcome }) => outcome);
    const isSent = ({ status }: Outcome) => status === 'sent';
    try {
      await transact(this.#db, async (trx) =>
        this.#pace.measure(
          () => batch.length,
          async () => {
            await recordSent(trx, outcomes.filter(isSent), this.#clock.now());
            await recordOutcomes(
              trx,
              outcomes.filter((outcome) => !isSent(outcome)),
            );
            await recordLosses(
              trx,
              batch.flatMap(({ loss }) => loss ?? []),
            );
          },
        ),
      );
      return true;
    } catch (error) {
      this.#logger.warn({ err: error, deliveries: batch.length }, 'results of deliveries could not be stored yet');
      return false;
    }
  }
}
