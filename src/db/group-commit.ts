/**
 * Lets concurrent units of work on SQLite share one commit, and so one fsync.
 *
 * Guarantees:
 * - Units run strictly one after another, in the order in which they asked.
 * - `commit` resolves only when the unit is durable on disk.
 * - A unit that fails takes back its own writes alone (each unit is a savepoint). Where SQLite
 *   itself gives up the whole transaction (disk full, a commit that fails), every other unit of
 *   the batch is told `BatchLost`, which the caller answers by running it again; the units that
 *   follow a lost batch are then committed one by one, so that the culprit fails alone.
 *
 *            begin                 release savepoint            setImmediate
 *   queued ────────▶ running ─────────────────────▶ waiting ───────────────▶ durable
 *                       │ rollback to savepoint        │ commit fails, disk full
 *                       ▼                              ▼
 *                   taken back                     BatchLost
 */
import type { DatabaseSync } from 'node:sqlite';
import { stopwatch } from '../lib/clock.ts';
import type { DatabaseFigures } from './figures.ts';

/** The batch this unit rode in was rolled back through no fault of its own. Running it again is safe. */
export class BatchLost extends Error {
  override readonly name = 'BatchLost';
  constructor(cause: unknown) {
    super('The shared commit was rolled back.', { cause });
  }
}

class Batch {
  readonly openedAt: Date;
  readonly #outcome = Promise.withResolvers<void>();
  readonly durable = this.#outcome.promise;
  waiting = 0;
  lost = false;

  constructor(openedAt: Date) {
    this.openedAt = openedAt;
    // A batch whose every unit failed has nobody waiting; its loss is no news to anyone.
    this.durable.catch(() => undefined);
  }

  succeed(): void {
    this.#outcome.resolve();
  }

  lose(cause: unknown): void {
    this.lost = true;
    this.#outcome.reject(cause);
  }
}

export interface Unit {
  readonly batch: Batch;
  readonly release: () => void;
}

export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #now: () => Date;
  readonly #figures: DatabaseFigures | undefined;
  #lastInLine: Promise<void> = Promise.resolve();
  #open: Batch | undefined;
  #unitsToCommitAlone = 0;

  constructor(db: DatabaseSync, now: () => Date, figures?: DatabaseFigures) {
    this.#db = db;
    this.#now = now;
    this.#figures = figures;
  }

  /** No commit still to come holds anything stamped before this moment. */
  horizon(): Date {
    return this.#open?.openedAt ?? this.#now();
  }

  /** Waits for the unit's turn. From here until `commit` or `rollback` the writer belongs to it alone. */
  async begin(): Promise<Unit> {
    const release = await this.#takeTurn();
    try {
      this.#open ??= this.#openBatch();
      this.#db.exec('savepoint unit');
      return { batch: this.#open, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async commit(unit: Unit): Promise<void> {
    const { batch } = unit;
    try {
      this.assertAlive(unit);
      this.#db.exec('release unit');
      batch.waiting += 1;
      if (this.#unitsToCommitAlone > 0) this.#commitBatch(batch);
    } finally {
      unit.release();
    }
    await batch.durable;
  }

  rollback(unit: Unit): void {
    try {
      if (!unit.batch.lost) this.#db.exec('rollback to unit; release unit');
    } catch (error) {
      this.noticeFailure(unit, error);
    } finally {
      unit.release();
    }
  }

  /**
   * To be called when a statement of the unit failed: SQLite may have rolled back the whole
   * transaction, and a statement after that would silently run, and commit, on its own.
   */
  noticeFailure(unit: Unit, error: unknown): void {
    if (!this.#db.isTransaction && !unit.batch.lost) this.#lose(unit.batch, new BatchLost(error));
  }

  assertAlive(unit: Unit): void {
    if (unit.batch.lost) throw new Error('The transaction was already rolled back by an earlier error.');
  }

  /** Resolves when everything that was queued so far is committed or rolled back. */
  async drain(): Promise<void> {
    const release = await this.#takeTurn();
    if (this.#open) this.#commitBatch(this.#open);
    release();
  }

  async #takeTurn(): Promise<() => void> {
    const turn = Promise.withResolvers<void>();
    const before = this.#lastInLine;
    this.#lastInLine = turn.promise;
    await before;
    return turn.resolve;
  }

  #openBatch(): Batch {
    this.#db.exec('begin immediate');
    const batch = new Batch(this.#now());
    // The commit queues behind every unit that is in line by then: those are the ones that share it.
    setImmediate(() => void this.#commitInTurn(batch));
    return batch;
  }

  async #commitInTurn(batch: Batch): Promise<void> {
    const release = await this.#takeTurn();
    if (this.#open === batch) this.#commitBatch(batch);
    release();
  }

  #commitBatch(batch: Batch): void {
    this.#open = undefined;
    if (this.#unitsToCommitAlone > 0) this.#unitsToCommitAlone -= 1;
    const elapsedMs = stopwatch();
    try {
      this.#db.exec('commit');
      this.#figures?.committed(batch.waiting, elapsedMs() / 1_000);
      batch.succeed();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      // Alone in its batch, a unit is the culprit; among others nobody knows which one is.
      this.#lose(batch, batch.waiting === 1 ? error : new BatchLost(error));
    }
  }

  #lose(batch: Batch, reason: unknown): void {
    if (this.#open === batch) this.#open = undefined;
    if (reason instanceof BatchLost) this.#unitsToCommitAlone += batch.waiting;
    batch.lose(reason);
  }
}
