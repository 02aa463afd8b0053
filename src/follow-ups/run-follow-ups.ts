/**
 * Runs the follow-ups of all accounts in turns, one slice per transaction, so that a large account delays
 * neither requests nor other accounts. Any number of processes may run it: a slice locks its follow-up, and a
 * process that finds it locked leaves it to the other one.
 *
 * On SQLite a slice takes a few milliseconds, and the event loop serves requests before the next one.
 */

import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { type FollowUp, findFollowUpAfter, lockFollowUp, recordSlice, type Slices } from './follow-ups.ts';

export class FollowUps {
  readonly #db: Db;
  readonly #slices: Slices;
  readonly #schema: SchemaWatch;
  readonly #newBatchSize: () => BatchSize;
  /** The kinds differ in how long a row takes. */
  readonly #sizes = new Map<FollowUp['kind'], BatchSize>();
  #last: string | undefined;

  constructor(db: Db, slices: Slices, schema: SchemaWatch, newBatchSize: () => BatchSize) {
    this.#db = db;
    this.#slices = slices;
    this.#schema = schema;
    this.#newBatchSize = newBatchSize;
  }

  /** Runs one slice. False if there is none to run, or another process runs it. */
  async runOnce(): Promise<boolean> {
    const next = await findFollowUpAfter(this.#db, this.#last);
    if (!next) return false;
    await nextTurn();
    // Set even if the slice fails, so that a failing follow-up does not stop the others.
    this.#last = next.id;
    const batchSize = this.#sizes.getOrInsertComputed(next.kind, this.#newBatchSize);
    const rows = await transact(this.#db, (trx) =>
      batchSize.measure(
        (count) => count ?? 0,
        () => this.#runSlice(trx, next, batchSize.size),
      ),
    );
    return rows !== undefined;
  }

  async #runSlice(trx: Db, next: FollowUp, limit: number): Promise<number | undefined> {
    await this.#schema.hold(trx);
    const followUp = await lockFollowUp(trx, next);
    if (!followUp) return undefined;
    const slice = await this.#slices[followUp.kind](trx, followUp, limit);
    await recordSlice(trx, followUp, slice);
    return slice.rows;
  }
}
