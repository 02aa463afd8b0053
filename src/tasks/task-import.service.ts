/**
 * Imports tasks from elsewhere, all or none. A task that was imported before stays as it is, so an
 * import can be repeated safely. Each task gets a new id, and its id at the origin is stored per
 * account: what one account imports never depends on the tasks of others.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Db, isPostgres } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { holdTurns } from '../lib/next-turn.ts';
import { addToCounts } from './outcomes.store.ts';
import { deriveFields } from './plan-task.ts';
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
import type { WakeUp } from './tasks.service.ts';
import { findOwner, lockAssigner, lockOwner, type Owner } from './tasks.store.ts';

export interface ImportOutcome {
  readonly title: string;
  readonly occurrence_due_at: Date | null;
  readonly outcome: string;
  readonly seconds_taken: number;
  readonly recorded_at: Date;
}

export interface ImportRecord {
  /** Identifies the task where it came from: its id there, or a hash of its content. */
  readonly origin: string;
  /** Carries the new id under which the task is stored if it is not here yet. */
  readonly task: Task;
  readonly outcomes: readonly ImportOutcome[];
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
/** Rows per turn of the event loop: enough to be cheap, few enough that other requests run in between. */
const ROWS_PER_STATEMENT = 40;
const CHARACTERS_PER_STATEMENT = 200_000;

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
   * `plannedBy` holds the settings by which the records were planned. Returns one result per record, in order;
   * undefined, and nothing stored, if the dates were read in a time zone that the account no longer has.
   */
  async importTasks(
    userId: string,
    plannedBy: Owner,
    records: readonly ImportRecord[],
  ): Promise<ImportedTask[] | undefined> {
    const result = await transact(this.#db, async (trx) => {
      // Serialises two imports of one account: run together, both would find none of the tasks stored.
      await lockAssigner(trx, userId);
      const owner = await adoptZone(trx, orUnauthenticated(await lockOwner(trx, userId)), plannedBy);
      if (!owner) return undefined;
      const planned = isSame(owner, plannedBy) ? records : await this.#replan(records, owner);
      announce(trx, [userId]);
      const insert = () => insertMissing(trx, userId, planned, this.#maxOpenTasks);
      return isPostgres(trx) ? insert() : holdTurns(insert);
    });
    if (result?.earliest) this.#wakeUp(result.earliest);
    return result?.imported;
  }

  async #replan(records: readonly ImportRecord[], owner: Owner): Promise<ImportRecord[]> {
    const planned: ImportRecord[] = [];
    for (const record of records) {
      planned.push({ ...record, task: { ...record.task, ...deriveFields(record.task, owner, this.#clock.now()) } });
      if (planned.length % ROWS_PER_STATEMENT === 0) await nextTurn();
    }
    return planned;
  }
}

const canAdoptZone = async (db: Db, { id, timezone }: Owner): Promise<boolean> =>
  timezone === DEFAULT_ZONE && !(await hasOpenTask(db, id));

/** Sets the account to the time zone in which the records were read, if it has none of its own. Else undefined. */
async function adoptZone(trx: Db, owner: Owner, { timezone }: Owner): Promise<Owner | undefined> {
  if (owner.timezone === timezone) return owner;
  if (!(await canAdoptZone(trx, owner))) return undefined;
  await setZone(trx, owner.id, timezone);
  return { ...owner, timezone };
}

async function insertMissing(trx: Db, userId: string, records: readonly ImportRecord[], maxOpenTasks: number) {
  const imported: ImportedTask[] = [];
  let earliest: Date | null = null;
  for (const page of pagesOf(records, charactersOf)) {
    const origins = page.map(({ origin }) => origin);
    const known = await findTaskIdsByOrigin(trx, userId, origins);
    const missing = page.filter(({ origin }) => !known.has(origin));
    if (missing.length > 0) await insertPage(trx, userId, missing, maxOpenTasks);
    for (const { origin, task } of page) {
      const id = known.get(origin);
      imported.push({ id: id ?? task.id, isNew: id === undefined });
    }
    for (const { task } of missing) earliest = earlierOf(earliest, task.next_fire_at);
    await nextTurn();
  }
  return { imported, earliest };
}

async function insertPage(trx: Db, owner_id: string, records: readonly ImportRecord[], maxOpen: number): Promise<void> {
  const tasks = records.map(({ task }) => task);
  const outcomes = records.flatMap(({ task, outcomes: all }) =>
    withAscendingIds(all).map(([id, outcome]) => ({ id, owner_id, task_id: task.id, ...outcome })),
  );
  const added = {
    stored: tasks.length,
    open: tasks.filter(({ status }) => status === 'open').length,
    done: outcomes.filter(({ outcome }) => outcome === 'done').length,
    skipped: outcomes.filter(({ outcome }) => outcome === 'skipped').length,
    nudges_sent: tasks.reduce((sum, { nudge_count }) => sum + nudge_count, 0),
    seconds_to_done: outcomes.reduce((sum, one) => sum + (one.outcome === 'done' ? one.seconds_taken : 0), 0),
  };
  await checkStoredTasks(trx, owner_id, added, maxOpen);
  await insertTasks(trx, tasks);
  const origins = records.map(({ origin, task }) => ({ owner_id, origin, task_id: task.id }));
  await insertOrigins(trx, origins);
  for (const page of pagesOf(outcomes, ({ title }) => title.length)) {
    await insertOutcomes(trx, page);
    await nextTurn();
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

function* pagesOf<T>(rows: readonly T[], lengthOf: (row: T) => number): Generator<readonly T[]> {
  let [page, length]: [T[], number] = [[], 0];
  for (const row of rows) {
    const isFull = page.length === ROWS_PER_STATEMENT || length + lengthOf(row) > CHARACTERS_PER_STATEMENT;
    if (isFull && page.length > 0) {
      yield page;
      [page, length] = [[], 0];
    }
    page.push(row);
    length += lengthOf(row);
  }
  if (page.length > 0) yield page;
}

const charactersOf = ({ task: { title, notes, kind, recurrence } }: ImportRecord): number =>
  title.length + kind.length + (notes?.length ?? 0) + (recurrence?.length ?? 0);

const earlierOf = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? (b ?? a) : a);

const isSame = (a: Owner, b: Owner): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The caller was authenticated a moment ago, so a missing account was deleted in between. */
function orUnauthenticated(owner: Owner | undefined): Owner {
  if (!owner) throw new AppError('unauthenticated');
  return owner;
}

/** Outcomes are listed by id, and ids made in the same millisecond are unordered; sorting them keeps the given order. */
function withAscendingIds<T>(items: readonly T[]): [id: string, item: T][] {
  const ids = items.map(newId).sort();
  return items.map((item, index) => [ids[index] as string, item]);
}
