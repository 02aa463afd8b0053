/**
 * Lets concurrent writers on SQLite share one commit, and so one fsync. A unit is one transaction of a
 * caller, or a single write outside of a transaction. A batch is the SQLite transaction that units share.
 *
 * Guarantees:
 * - Units run strictly one after another, in the order in which they called `begin`.
 * - `commit` resolves only when the unit is durable on disk.
 * - `rollback` resolves only when what the unit saw is durable: it may be refused because of an earlier unit of its batch.
 * - A unit that fails rolls back only its own writes, because each unit is a savepoint. If SQLite rolls
 *   back the whole batch (disk full, a failed commit), every other unit of the batch fails with
 *   `BatchRolledBack`, and its caller runs it again. The next units are then committed one by one, as many
 *   as the batch had, so that only the unit that causes the failure fails again.
 *
 *            begin                 release savepoint            setImmediate
 *   queued ────────▶ running ─────────────────────▶ waiting ───────────────▶ durable
 *                       │ rollback to savepoint        │ commit fails, disk full
 *                       ▼                              ▼
 *                  rolled back                  BatchRolledBack
 */
import type { DatabaseSync } from 'node:sqlite';
import { stopwatch } from '../../lib/clock.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import type { DatabaseMetrics } from '../metrics.ts';
import { DatabaseFileFault } from './file-guard.ts';

/** The batch was rolled back through no fault of this unit. Running the unit again is safe. */
export class BatchRolledBack extends Error {
  override readonly name = 'BatchRolledBack';
  constructor(cause: unknown) {
    super('The shared commit was rolled back.', { cause });
  }
}

class Batch {
  readonly openedAt: Date;
  readonly #committed = Promise.withResolvers<void>();
  readonly durable = this.#committed.promise;
  /** Units that are finished and wait for the commit. */
  unitCount = 0;
  isRolledBack = false;

  constructor(openedAt: Date) {
    this.openedAt = openedAt;
    // If every unit of a batch failed, nothing awaits the promise, and its rejection must not end the process.
    this.durable.catch(() => undefined);
  }

  succeed(): void {
    this.#committed.resolve();
  }

  fail(cause: unknown): void {
    this.isRolledBack = true;
    this.#committed.reject(cause);
  }
}

export interface Unit {
  readonly batch: Batch;
  readonly release: () => void;
}

export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #now: () => Date;
  readonly #findFault: () => string | undefined;
  readonly #metrics: DatabaseMetrics | undefined;
  readonly #writer = new Semaphore({ capacity: 1 });
  #batch: Batch | undefined;
  #unitsToCommitAlone = 0;

  /** `findFault` says why the files on disk would lose a write, if they would. */
  constructor(db: DatabaseSync, now: () => Date, findFault: () => string | undefined, metrics?: DatabaseMetrics) {
    this.#db = db;
    this.#now = now;
    this.#findFault = findFault;
    this.#metrics = metrics;
  }

  /** No later commit contains a change that was stamped before this moment. */
  horizon(): Date {
    return this.#batch?.openedAt ?? this.#now();
  }

  /** Waits for the writer. The unit then has it to itself until `commit` or `rollback`. */
  async begin(): Promise<Unit> {
    const release = await this.#writer.acquire();
    try {
      this.#batch ??= this.#openBatch();
      const unit = { batch: this.#batch, release };
      this.#executeFor(unit, 'savepoint unit');
      return unit;
    } catch (error) {
      release();
      throw error;
    }
  }

  async commit(unit: Unit): Promise<void> {
    const { batch } = unit;
    try {
      this.assertNotRolledBack(unit);
      this.#executeFor(unit, 'release unit');
      batch.unitCount += 1;
      if (this.#unitsToCommitAlone > 0) this.#commitBatch(batch);
    } finally {
      unit.release();
    }
    await batch.durable;
  }

  /** Rejects with `BatchRolledBack` if what the unit may have seen is undone, so that its caller runs it again. */
  async rollback(unit: Unit): Promise<void> {
    const { batch } = unit;
    // By the statement that failed.
    if (batch.isRolledBack) return unit.release();
    try {
      this.#executeFor(unit, 'rollback to unit; release unit');
    } catch {
      // The batch is rolled back, and the unit with it.
    } finally {
      unit.release();
    }
    if (batch.unitCount === 0) return;
    await batch.durable.catch((error: unknown) => {
      throw new BatchRolledBack(error);
    });
  }

  /** Without its savepoint a unit cannot be undone alone, so the batch is given up if one of these statements fails. */
  #executeFor(unit: Unit, statement: string): void {
    try {
      this.#db.exec(statement);
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      this.handleStatementFailure(unit, error);
      throw error;
    }
  }

  /**
   * Must be called when a statement of the unit fails. SQLite may have rolled back the whole transaction,
   * and a later statement would then silently run and commit on its own.
   */
  handleStatementFailure(unit: Unit, error: unknown): void {
    if (!this.#db.isTransaction && !unit.batch.isRolledBack) this.#failBatch(unit.batch, new BatchRolledBack(error));
  }

  assertNotRolledBack(unit: Unit): void {
    if (unit.batch.isRolledBack) throw new Error('The transaction was already rolled back by an earlier error.');
  }

  /** Resolves when every unit queued so far is committed or rolled back. */
  async drain(): Promise<void> {
    const release = await this.#writer.acquire();
    if (this.#batch) this.#commitBatch(this.#batch);
    release();
  }

  #openBatch(): Batch {
    this.#db.exec('begin immediate');
    const batch = new Batch(this.#now());
    // The commit queues behind every unit that has called `begin` by then: those units share it.
    setImmediate(() => void this.#commitInOrder(batch));
    return batch;
  }

  async #commitInOrder(batch: Batch): Promise<void> {
    const release = await this.#writer.acquire();
    if (this.#batch === batch) this.#commitBatch(batch);
    release();
  }

  #commitBatch(batch: Batch): void {
    this.#batch = undefined;
    if (this.#unitsToCommitAlone > 0) this.#unitsToCommitAlone -= 1;
    const elapsedMs = stopwatch();
    try {
      const fault = this.#findFault();
      if (fault !== undefined) throw new DatabaseFileFault(fault);
      this.#db.exec('commit');
      this.#metrics?.recordCommit(batch.unitCount, elapsedMs() / 1_000);
      batch.succeed();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      // A unit alone in its batch caused the failure; among several, the cause is unknown.
      this.#failBatch(
        batch,
        batch.unitCount === 1 || error instanceof DatabaseFileFault ? error : new BatchRolledBack(error),
      );
    }
  }

  #failBatch(batch: Batch, reason: unknown): void {
    if (this.#batch === batch) this.#batch = undefined;
    if (reason instanceof BatchRolledBack) this.#unitsToCommitAlone += batch.unitCount;
    batch.fail(reason);
  }
}
