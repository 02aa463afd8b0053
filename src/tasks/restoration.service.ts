/**
 * Takes in tasks that lived elsewhere, all of them or none. A task that is here already stays as it
 * is, so that doing it twice does no more than doing it once. A task gets a new id, and where it came
 * from is kept: what an account brings in never depends on what others have.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { addToCounts } from './outcomes.store.ts';
import { derive } from './plan-task.ts';
import {
  hasOpenTask,
  insertCreations,
  insertOrigins,
  insertOutcomes,
  insertTasks,
  listKnown,
  setZone,
} from './restoration.store.ts';
import type { Task } from './task-state.ts';
import type { WakeUp } from './tasks.service.ts';
import { findOwner, lockAssigner, lockOwner, type Owner } from './tasks.store.ts';

export interface ArrivingOutcome {
  readonly title: string;
  readonly occurrence_due_at: Date | null;
  readonly outcome: string;
  readonly seconds_taken: number;
  readonly recorded_at: Date;
}

export interface Arrival {
  /** What the task is known by where it comes from: an id, or a hash. */
  readonly origin: string;
  /** With an id of its own, which nobody has seen yet. */
  readonly task: Omit<Task, 'changed_at'>;
  readonly outcomes: readonly ArrivingOutcome[];
}

/** Under which id the task is here now, and whether it came just now. */
export interface Arrived {
  readonly id: string;
  readonly isNew: boolean;
}

/** An account, and whether it is so new that it may take over the zone of what is brought in. */
export interface Host {
  readonly owner: Owner;
  readonly isZoneOpen: boolean;
}

/** What an account has before anybody chose. */
const DEFAULT_ZONE = 'UTC';
/** One statement each: large enough to be cheap, small enough that others have their turn in between. */
const ROWS_PER_STATEMENT = 250;
const CHARACTERS_PER_STATEMENT = 500_000;

export class RestorationService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;

  constructor(db: Kysely<Database>, clock: Clock, wakeUp: WakeUp) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
  }

  async hostOf(userId: string): Promise<Host> {
    return openFor(this.#db, present(await findOwner(this.#db, userId)));
  }

  /** `plannedBy` are the settings by which the arrivals were planned; in the order of the arrivals. */
  async restore(userId: string, plannedBy: Owner, arrivals: readonly Arrival[]): Promise<Arrived[]> {
    const { arrived, earliest } = await transact(this.#db, async (trx) => {
      // Two imports of one account come one after another, or both would find nothing here yet.
      await lockAssigner(trx, userId);
      const owner = await moveIn(trx, present(await lockOwner(trx, userId)), plannedBy);
      const planned = isSame(owner, plannedBy) ? arrivals : arrivals.map((one) => this.#replan(one, owner));
      return settle(trx, userId, planned);
    });
    if (earliest) this.#wakeUp(earliest);
    return arrived;
  }

  #replan(arrival: Arrival, owner: Owner): Arrival {
    return { ...arrival, task: { ...arrival.task, ...derive(arrival.task, owner, this.#clock.now()) } };
  }
}

async function openFor(db: Kysely<Database>, owner: Owner): Promise<Host> {
  return { owner, isZoneOpen: owner.timezone === DEFAULT_ZONE && !(await hasOpenTask(db, owner.id)) };
}

/** Takes the zone over that the arrivals were read in, where the account still has none of its own. */
async function moveIn(trx: Kysely<Database>, owner: Owner, { timezone }: Owner): Promise<Owner> {
  if (owner.timezone === timezone) return owner;
  const { isZoneOpen } = await openFor(trx, owner);
  // Dates were read in a zone that is no longer the right one: they have to be read again.
  if (!isZoneOpen) throw new AppError('overloaded', { sentence: 'The time zone was changed meanwhile. Try again.' });
  await setZone(trx, owner.id, timezone);
  return { ...owner, timezone };
}

async function settle(trx: Kysely<Database>, userId: string, arrivals: readonly Arrival[]) {
  const arrived: Arrived[] = [];
  let earliest: Date | null = null;
  for (const page of pagesOf(arrivals, charactersOf)) {
    const known = await listKnown(
      trx,
      userId,
      page.map(({ origin }) => origin),
    );
    const coming = page.filter(({ origin }) => !known.has(origin));
    if (coming.length > 0) await insertPage(trx, userId, coming);
    arrived.push(...page.map(({ origin, task }) => placeOf(known.get(origin), task.id)));
    for (const { task } of coming) earliest = earlierOf(earliest, task.next_fire_at);
    await nextTurn();
  }
  return { arrived, earliest };
}

const placeOf = (known: string | undefined, fresh: string): Arrived =>
  known === undefined ? { id: fresh, isNew: true } : { id: known, isNew: false };

async function insertPage(trx: Kysely<Database>, owner_id: string, coming: readonly Arrival[]): Promise<void> {
  await insertTasks(
    trx,
    coming.map(({ task }) => task),
  );
  await insertOrigins(
    trx,
    coming.map(({ origin, task }) => ({ owner_id, origin, task_id: task.id })),
  );
  const outcomes = coming.flatMap(({ task, outcomes: all }) =>
    inOrder(all).map(([id, outcome]) => ({ id, owner_id, task_id: task.id, ...outcome })),
  );
  for (const page of pagesOf(outcomes, ({ title }) => title.length)) await insertOutcomes(trx, page);
  const creations = coming.map(({ task }) => ({
    ...{ id: newId(), task_id: task.id, owner_id },
    ...{ at: task.created_at, occurrence_due_at: task.due_at },
  }));
  await insertCreations(trx, creations);
  await addToCounts(trx, owner_id, {
    open: coming.filter(({ task }) => task.status === 'open').length,
    done: outcomes.filter(({ outcome }) => outcome === 'done').length,
    skipped: outcomes.filter(({ outcome }) => outcome === 'skipped').length,
    nudges_sent: coming.reduce((sum, { task }) => sum + task.nudge_count, 0),
    seconds_to_done: outcomes.reduce((sum, one) => sum + (one.outcome === 'done' ? one.seconds_taken : 0), 0),
  });
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

const charactersOf = ({ task: { title, notes, kind, recurrence } }: Arrival): number =>
  title.length + kind.length + (notes?.length ?? 0) + (recurrence?.length ?? 0);

const earlierOf = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? (b ?? a) : a);

const isSame = (a: Owner, b: Owner): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The caller was authenticated a moment ago; an account that is gone by now was deleted in between. */
function present(owner: Owner | undefined): Owner {
  if (!owner) throw new AppError('unauthenticated');
  return owner;
}

/** Ids that are made in the same moment are in no order; what is listed by them keeps the one it came in. */
function inOrder<T>(items: readonly T[]): [id: string, item: T][] {
  const ids = items.map(newId).sort();
  return items.map((item, index) => [ids[index] as string, item]);
}
