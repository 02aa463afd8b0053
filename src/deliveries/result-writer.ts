/**
 * Stores the results of sends in batches: while one batch is written, the next one collects results. If the
 * database is down, results are kept and retried. If the process ends before they are stored, the leases run out and
 * the deliveries are sent once more.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { findTierToHasten } from '../escalation/fallback.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { type ChannelResult, forgetRetracted, recordChannelResults, retractCancelled } from './messages.store.ts';
import {
  type DeadToken,
  type DeliveryResultRow,
  deleteUnstartedActivities,
  recordDeadTokens,
  recordResults,
  recordSent,
} from './outbox.store.ts';
import { forgetRetractedRequests, retractSettled } from './request-messages.store.ts';
import { hastenTier, listTierDeliveries } from './waiting-tiers.ts';

interface SendResult {
  readonly row: DeliveryResultRow;
  readonly deadToken: DeadToken | null;
  /** Null for a device. */
  readonly channel: ChannelResult | null;
  readonly onStored: () => void;
}

const RETRY_MS = 500;
const ATTEMPTS_WHEN_CLOSING = 3;

export class ResultWriter {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #batchSize: BatchSize;
  readonly #logger: Logger;
  readonly #waiting: SendResult[] = [];
  /** A batch has results of many sweeps, so its writes belong to no single trace. */
  readonly #outsideTraces = AsyncLocalStorage.snapshot();
  /** Called when other deliveries became due: deliveries of the next tier, or retractions. */
  readonly #onDue: () => void;
  #writing: Promise<void> | undefined;
  /** How often the database may still be unavailable; limited only once the engine is stopping. */
  #attemptsLeft = Number.POSITIVE_INFINITY;

  constructor(db: Db, clock: Clock, batchSize: BatchSize, logger: Logger, onDue: () => void = () => undefined) {
    this.#db = db;
    this.#clock = clock;
    this.#batchSize = batchSize;
    this.#logger = logger;
    this.#onDue = onDue;
  }

  write(result: SendResult): void {
    this.#waiting.push(result);
    this.#start();
  }

  /** Resolves when everything is stored, or after a few attempts if the database is unavailable. */
  async close(): Promise<void> {
    this.#attemptsLeft = ATTEMPTS_WHEN_CLOSING;
    while (this.#writing) await this.#writing;
  }

  #start(): void {
    this.#writing ??= this.#outsideTraces(() => this.#writeAll()).finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0 && this.#attemptsLeft > 0) this.#start();
    });
  }

  async #writeAll(): Promise<void> {
    // Results that arrive in this event-loop turn share the first batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0 && this.#attemptsLeft > 0) {
      const batch = this.#waiting.slice(0, this.#batchSize.size);
      try {
        await this.#store(batch);
        this.#finish(batch);
      } catch (error) {
        await this.#recover(batch, error);
      }
    }
  }

  #finish(batch: readonly SendResult[]): void {
    this.#waiting.splice(0, batch.length);
    for (const { onStored } of batch) onStored();
  }

  /** Waits for an unavailable database. Any other error has one culprit, so each result is stored on its own. */
  async #recover(batch: readonly SendResult[], error: unknown): Promise<void> {
    if (isUnavailable(error)) return this.#pause(batch, error);
    for (const [index, result] of batch.entries()) {
      try {
        await this.#store([result]);
      } catch (cause) {
        if (isUnavailable(cause)) {
          this.#finish(batch.slice(0, index));
          return this.#pause(batch.slice(index), cause);
        }
        const { entry_id, target_id, kind } = result.row;
        this.#logger.error({ err: cause, entry_id, target_id, kind }, 'a delivery result cannot be stored');
      }
    }
    this.#finish(batch);
  }

  async #pause(batch: readonly SendResult[], error: unknown): Promise<void> {
    this.#logger.warn({ err: error, deliveries: batch.length }, 'delivery results are not stored yet: retrying');
    this.#attemptsLeft -= 1;
    await delay(RETRY_MS);
  }

  async #store(batch: readonly SendResult[]): Promise<void> {
    const rows = batch.map(({ row }) => row);
    const isSent = ({ status }: DeliveryResultRow) => status === 'sent';
    const others = rows.filter((row) => !isSent(row));
    const sent = rows.filter(isSent);
    const deadTokens = batch.flatMap(({ deadToken }) => deadToken ?? []);
    const channels = batch.flatMap(({ channel }) => channel ?? []);
    let isAnyDue = false;
    await transact(this.#db, async (trx) =>
      this.#batchSize.measure(
        () => batch.length,
        async () => {
          isAnyDue = await retractCancelled(trx, sent);
          if (await retractSettled(trx, sent)) isAnyDue = true;
          await recordSent(trx, sent, this.#clock.now());
          await forgetRetracted(trx, sent);
          await forgetRetractedRequests(trx, sent);
          await recordResults(trx, others);
          await deleteUnstartedActivities(trx, others);
          await recordDeadTokens(trx, deadTokens);
          await recordChannelResults(trx, channels);
          if (await handOnFailures(trx, others)) isAnyDue = true;
        },
      ),
    );
    if (isAnyDue) this.#onDue();
  }
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'database_unavailable';

/** If all deliveries of a tier have failed for good, the nudge falls to the next tier at once. */
async function handOnFailures(trx: Db, results: readonly DeliveryResultRow[]): Promise<boolean> {
  const failed = results.filter(({ kind, status }) => kind === 'nudge' && status.startsWith('failed'));
  let isAnyHastened = false;
  for (const entryId of new Set(failed.map(({ entry_id }) => entry_id))) {
    const tier = findTierToHasten(await listTierDeliveries(trx, entryId));
    if (tier !== undefined && (await hastenTier(trx, entryId, tier))) isAnyHastened = true;
  }
  return isAnyHastened;
}
