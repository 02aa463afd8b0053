/**
 * Writes down what became of sends, many at a time: while one batch is being written the next
 * gathers. What cannot be written is kept and tried again; should the process end first, the leases
 * run out and those deliveries are sent once more.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import {
  forgetUnstarted,
  type Loss,
  type Outcome,
  recordLosses,
  recordOutcomes,
  recordSent,
} from './dispatch.store.ts';
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
  /** Verdicts of many sweeps are written together, so the writing belongs to none of them, and to no trace of one. */
  readonly #onItsOwn = AsyncLocalStorage.snapshot();
  #writing: Promise<void> | undefined;
  /** How often the database may still be away; limited only once the engine is stopping. */
  #attemptsLeft = Number.POSITIVE_INFINITY;

  constructor(db: Kysely<Database>, clock: Clock, pace: Pace, logger: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#pace = pace;
    this.#logger = logger;
  }

  record(verdict: Verdict): void {
    this.#waiting.push(verdict);
    this.#start();
  }

  /** Resolves when everything is written, or when it is clear that the database will not have it. */
  async close(): Promise<void> {
    this.#attemptsLeft = MOST_ATTEMPTS_AT_THE_END;
    while (this.#writing) await this.#writing;
  }

  #start(): void {
    this.#writing ??= this.#onItsOwn(() => this.#writeAll()).finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0 && this.#attemptsLeft > 0) this.#start();
    });
  }

  async #writeAll(): Promise<void> {
    // Whatever is answered in this turn of the event loop shares the first batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0 && this.#attemptsLeft > 0) {
      const batch = this.#waiting.slice(0, this.#pace.size);
      try {
        await this.#write(batch);
        this.#finish(batch);
      } catch (error) {
        await this.#cope(batch, error);
      }
    }
  }

  #finish(batch: readonly Verdict[]): void {
    this.#waiting.splice(0, batch.length);
    for (const { stored } of batch) stored();
  }

  /** While the database is away everything waits; otherwise one of them is to blame, and the others need not wait for it. */
  async #cope(batch: readonly Verdict[], error: unknown): Promise<void> {
    if (error instanceof AppError && error.code === 'database_unavailable') {
      this.#logger.warn({ err: error, deliveries: batch.length }, 'results of deliveries could not be stored yet');
      this.#attemptsLeft -= 1;
      await delay(PAUSE_MS);
      return;
    }
    for (const verdict of batch) {
      await this.#write([verdict]).catch((cause) => {
        const { entry_id, target_id, kind } = verdict.outcome;
        this.#logger.error({ err: cause, entry_id, target_id, kind }, 'the result of a delivery cannot be stored');
      });
    }
    this.#finish(batch);
  }

  async #write(batch: readonly Verdict[]): Promise<void> {
    const outcomes = batch.map(({ outcome }) => outcome);
    const isSent = ({ status }: Outcome) => status === 'sent';
    const others = outcomes.filter((outcome) => !isSent(outcome));
    await transact(this.#db, async (trx) =>
      this.#pace.measure(
        () => batch.length,
        async () => {
          await recordSent(trx, outcomes.filter(isSent), this.#clock.now());
          await recordOutcomes(trx, others);
          await forgetUnstarted(trx, others);
          await recordLosses(
            trx,
            batch.flatMap(({ loss }) => loss ?? []),
          );
        },
      ),
    );
  }
}
