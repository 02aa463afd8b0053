/**
 * Imports tasks from elsewhere. A task that was imported before stays as it is, so an import can be repeated safely.
 * Each task gets a new id, and its id at the origin is stored per account: what one account imports never depends on
 * the tasks of others.
 *
 * Every page is a transaction of its own, because every other writer on SQLite waits for it. Call `checkLimits` before
 * anything of an import is stored. If a page fails, the pages before it stay stored: the caller gets an error, the
 * Idempotency-Key is not spent, and a repetition stores the rest.
 */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId, withAscendingIds } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { addToCounts } from './outcomes.store.ts';
import { deriveFields } from './plan-task.ts';
import type { WakeUp } from './task-changes.ts';
import { checkStoredTasks } from './task-checks.ts';
import {
  findTaskIdsByOrigin,
  hasOpenTask,
  insertCreations,
  insertOrigins,
  insertOutcomes,
  insertTasks,
  setZone,
} from './task-import.store.ts';
import type { Task } from './task-state.ts';
import { findOwner, lockAssigner, lockOwner, type Owner } from './tasks.store.ts';

export interface ImportOutcome {
  readonly title: string;
  readonly occurrence_due_at: Date | null;
  readonly outcome: string;
  readonly seconds_taken: number;
  readonly recorded_at: Date;
  readonly missed: number | null;
  readonly missed_from: Date | null;
  readonly missed_to: Date | null;
}

export interface ImportRecord {
  /** Identifies the task where it came from: its id there, or a hash of its content. */
  readonly origin: string;
  /** Includes the new id under which the task is stored if the account does not have it yet. */
  readonly task: Task;
  readonly outcomes: readonly ImportOutcome[];
  /** The mode of a task that was overdue in another app, and is stored without a nudge. */
  readonly undecidedMode?: string;
}

export interface ImportedTask {
  readonly id: string;
  /** False if the account already had the task: imported before, or its own. */
  readonly isNew: boolean;
}

export interface ImportAccount {
  readonly owner: Owner;
  /** The account is new and has chosen no time zone, so it takes the one of the imported document. */
  readonly canAdoptZone: boolean;
}

/** The time zone of an account before its owner chooses one. */
const DEFAULT_ZONE = 'UTC';
/** Storing a row takes as long as this many characters, and a page a few milliseconds. */
const CHARACTERS_PER_ROW = 5_000;
const CHARACTERS_PER_PAGE = 200_000;

export class TaskImportService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  readonly #maxOpenTasks: number;

  constructor(db: Db, clock: Clock, wakeUp: WakeUp, maxOpenTasks: number) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
    this.#maxOpenTasks = maxOpenTasks;
  }

  async getAccount(userId: string): Promise<ImportAccount> {
    const owner = orUnauthenticated(await findOwner(this.#db, userId));
    return { owner, canAdoptZone: await canAdoptZone(this.#db, owner) };
  }

  /**
   * `plannedBy` has the settings by which the records were planned. Returns one result per record, in order;
   * undefined if the dates were read in a time zone that the account no longer has.
   */
  async importTasks(
    userId: string,
    plannedBy: Owner,
    records: readonly ImportRecord[],
  ): Promise<ImportedTask[] | undefined> {
    const imported: ImportedTask[] = [];
    const pages = [...pagesOf(records, costOf)];
    for (const page of pages) {
      await nextTurn();
      const isLast = page === pages.at(-1);
      const storePage = (trx: Db) => this.storePage(trx, userId, plannedBy, page);
      const stored = await transact(this.#db, storePage, { isPart: !isLast });
      if (!stored) return undefined;
      if (stored.earliest) this.#wakeUp(stored.earliest);
      imported.push(...stored.imported);
    }
    return imported;
  }

  /** Refuses the whole import. Looks up which tasks the account has already only if not all would fit. */
  async checkLimits(userId: string, records: readonly ImportRecord[]): Promise<void> {
    const check = (added: readonly ImportRecord[]) =>
      checkStoredTasks(this.#db, userId, countsOf(added), this.#maxOpenTasks);
    const doAllFit = await check(records).then(
      () => true,
      () => false,
    );
    if (doAllFit) return;
    const missing: ImportRecord[] = [];
    for (const page of pagesOf(records, costOf)) {
      await nextTurn();
      const known = await findTaskIdsByOrigin(this.#db, userId, originsOf(page));
      missing.push(...page.filter(({ origin }) => !known.has(origin)));
    }
    await check(missing);
  }

  /** How many of these origins the account has. */
  async countKnown(userId: string, origins: readonly string[]): Promise<number> {
    return (await findTaskIdsByOrigin(this.#db, userId, origins)).size;
  }

  /** Before an import of many pages begins: refuses one that cannot fit. */
  async checkRoom(trx: Db, userId: string, added: { readonly open: number; readonly stored: number }): Promise<void> {
    await checkStoredTasks(trx, userId, added, this.#maxOpenTasks);
  }

  /** With the lock that serialises the imports of an account, which storing a page takes too. */
  async lockOwner(trx: Db, userId: string): Promise<Owner | undefined> {
    await lockAssigner(trx, userId);
    return lockOwner(trx, userId);
  }

  /** In a transaction of the caller. Undefined if the account no longer has the zone of the records. */
  async storePage(
    trx: Db,
    userId: string,
    plannedBy: Owner,
    page: readonly ImportRecord[],
    moveInId: string | null = null,
  ): Promise<{ readonly imported: readonly ImportedTask[]; readonly earliest: Date | null } | undefined> {
    // Serialises two imports of one account: run together, both would find none of the tasks stored.
    await lockAssigner(trx, userId);
    const owner = await adoptZone(trx, orUnauthenticated(await lockOwner(trx, userId)), plannedBy);
    if (!owner) return undefined;
    const planned = isSame(owner, plannedBy) ? page : this.#replan(page, owner);
    const known = await findTaskIdsByOrigin(trx, userId, originsOf(page));
    const missing = planned.filter(({ origin }) => !known.has(origin));
    announce(trx, [userId]);
    if (missing.length > 0) await insertPage(trx, userId, missing, this.#maxOpenTasks, moveInId);
    const imported = page.map(({ origin, task }) => ({ id: known.get(origin) ?? task.id, isNew: !known.has(origin) }));
    let earliest: Date | null = null;
    for (const { task } of missing) earliest = earlierOf(earliest, task.next_fire_at);
    return { imported, earliest };
  }

  #replan(records: readonly ImportRecord[], owner: Owner): ImportRecord[] {
    const now = this.#clock.now();
    return records.map((record) => ({ ...record, task: { ...record.task, ...deriveFields(record.task, owner, now) } }));
  }
}

const originsOf = (records: readonly ImportRecord[]): string[] => records.map(({ origin }) => origin);

const canAdoptZone = async (db: Db, { id, timezone }: Owner): Promise<boolean> =>
  timezone === DEFAULT_ZONE && !(await hasOpenTask(db, id));

/** Returns the owner in the zone of the records, adopting it if need be. Undefined if the account has another zone. */
async function adoptZone(trx: Db, owner: Owner, { timezone }: Owner): Promise<Owner | undefined> {
  if (owner.timezone === timezone) return owner;
  if (!(await canAdoptZone(trx, owner))) return undefined;
  await setZone(trx, owner.id, timezone);
  return { ...owner, timezone };
}

async function insertPage(
  trx: Db,
  owner_id: string,
  records: readonly ImportRecord[],
  maxOpen: number,
  moveInId: string | null,
): Promise<void> {
  const tasks = records.map(({ task }) => task);
  const outcomes = records.flatMap(({ task, outcomes: all }) =>
    withAscendingIds(all).map(([id, outcome]) => ({ id, owner_id, task_id: task.id, ...outcome })),
  );
  const added = countsOf(records);
  await checkStoredTasks(trx, owner_id, added, maxOpen);
  await insertTasks(trx, tasks);
  await insertOrigins(
    trx,
    records.map(({ origin, task, undecidedMode = null }) => ({
      owner_id,
      origin,
      task_id: task.id,
      move_in_id: moveInId,
      undecided_mode: undecidedMode,
    })),
  );
  for (const page of pagesOf(outcomes, ({ title }) => CHARACTERS_PER_ROW + title.length)) {
    await insertOutcomes(trx, page);
    // One task can have thousands of outcomes. No `nextTurn`: other writers wait for this transaction.
    await setImmediate();
  }
  const creations = tasks.map(({ id, created_at, due_at }) => ({
    id: newId(),
    task_id: id,
    owner_id,
    at: created_at,
    occurrence_due_at: due_at,
  }));
  await insertCreations(trx, creations);
  await addToCounts(trx, owner_id, added);
}

function countsOf(records: readonly ImportRecord[]) {
  const [tasks, outcomes] = [records.map(({ task }) => task), records.flatMap((record) => record.outcomes)];
  return {
    stored: tasks.length,
    open: tasks.filter(({ status }) => status === 'open').length,
    done: outcomes.filter(({ outcome }) => outcome === 'done').length,
    skipped: outcomes.filter(({ outcome }) => outcome === 'skipped').length,
    nudges_sent: tasks.reduce((sum, { nudge_count }) => sum + nudge_count, 0),
    seconds_to_done: outcomes.reduce((sum, one) => sum + (one.outcome === 'done' ? one.seconds_taken : 0), 0),
  };
}

function* pagesOf<T>(rows: readonly T[], costOfRow: (row: T) => number): Generator<readonly T[]> {
  let [page, cost]: [T[], number] = [[], 0];
  for (const row of rows) {
    const next = costOfRow(row);
    if (page.length > 0 && cost + next > CHARACTERS_PER_PAGE) {
      yield page;
      [page, cost] = [[], 0];
    }
    page.push(row);
    cost += next;
  }
  if (page.length > 0) yield page;
}

const costOf = ({ task: { title, notes, kind, recurrence }, outcomes }: ImportRecord): number =>
  (1 + outcomes.length) * CHARACTERS_PER_ROW +
  [title, notes, kind, recurrence].reduce((sum, text) => sum + (text?.length ?? 0), 0);

const earlierOf = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? (b ?? a) : a);

const isSame = (a: Owner, b: Owner): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The caller was authenticated a moment ago, so a missing account was deleted in between. */
function orUnauthenticated(owner: Owner | undefined): Owner {
  if (!owner) throw new AppError('unauthenticated');
  return owner;
}
