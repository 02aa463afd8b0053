/**
 * Takes in tasks that lived elsewhere, all of them or none. A task that is here already stays as it
 * is, so that doing it twice does no more than doing it once. A task keeps its id where that is free;
 * where it is somebody else's it gets another, always the same one for this account.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { idFrom, newId } from '../lib/ids.ts';
import { addToCounts } from './outcomes.store.ts';
import { derive } from './plan-task.ts';
import { insertCreations, insertOutcomes, insertTasks, listOwners, type NewTask } from './restoration.store.ts';
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
  readonly task: Omit<Task, 'changed_at'>;
  readonly outcomes: readonly ArrivingOutcome[];
}

/** Under which id the task is here now, and whether it came just now. */
export interface Arrived {
  readonly id: string;
  readonly isNew: boolean;
}

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

  async ownerOf(userId: string): Promise<Owner> {
    return present(await findOwner(this.#db, userId));
  }

  /** `plannedBy` are the settings by which the arrivals were planned; in the order of the arrivals. */
  async restore(userId: string, plannedBy: Owner, arrivals: readonly Arrival[]): Promise<Arrived[]> {
    const { arrived, earliest } = await transact(this.#db, async (trx) => {
      // Two imports of one account come one after another, or both would find nothing here yet.
      await lockAssigner(trx, userId);
      const owner = present(await lockOwner(trx, userId));
      const planned = isSame(owner, plannedBy) ? arrivals : arrivals.map((one) => this.#replan(one, owner));
      return settle(trx, userId, planned);
    });
    if (earliest) this.#wakeUp(earliest);
    return arrived;
  }

  #replan({ task, outcomes }: Arrival, owner: Owner): Arrival {
    return { task: { ...task, ...derive(task, owner, this.#clock.now()) }, outcomes };
  }
}

async function settle(trx: Kysely<Database>, userId: string, arrivals: readonly Arrival[]) {
  const arrived: Arrived[] = [];
  let earliest: Date | null = null;
  for (const page of pagesOf(arrivals, charactersOf)) {
    const places = await findPlaces(trx, userId, page);
    const coming = page.flatMap((arrival, index) => (places[index]?.isNew ? [{ arrival, place: places[index] }] : []));
    const placed = await insertPage(trx, userId, coming);
    arrived.push(...places.map((place) => ({ ...place, id: placed.get(place.id) ?? place.id })));
    for (const { arrival } of coming) earliest = earlierOf(earliest, arrival.task.next_fire_at);
    await nextTurn();
  }
  return { arrived, earliest };
}

const elsewhere = (userId: string, id: string): string => idFrom(userId, 'task', id);

async function findPlaces(trx: Kysely<Database>, userId: string, page: readonly Arrival[]): Promise<Arrived[]> {
  const ids = page.map(({ task }) => task.id);
  const owners = await listOwners(trx, [...ids, ...ids.map((id) => elsewhere(userId, id))]);
  return ids.map((id) => {
    const other = elsewhere(userId, id);
    const own = [id, other].find((candidate) => owners.get(candidate) === userId);
    if (own !== undefined) return { id: own, isNew: false };
    return { id: owners.has(id) ? other : id, isNew: true };
  });
}

interface Coming {
  readonly arrival: Arrival;
  readonly place: Arrived;
}

/** Resolves with the ids that had to change after all, since somebody else took them at this very moment. */
async function insertPage(trx: Kysely<Database>, userId: string, coming: readonly Coming[]) {
  const moved = new Map<string, string>();
  if (coming.length === 0) return moved;
  const free = await insertTasks(
    trx,
    coming.map(({ arrival, place }) => ({ ...arrival.task, id: place.id })),
  );
  const taken = coming.filter(({ place }) => !free.has(place.id));
  for (const { place } of taken) moved.set(place.id, elsewhere(userId, place.id));
  const again: NewTask[] = taken.map(({ arrival, place }) => ({ ...arrival.task, id: moved.get(place.id) ?? '' }));
  if (again.length > 0) await insertTasks(trx, again);
  await insertStories(trx, userId, coming, (id) => moved.get(id) ?? id);
  return moved;
}

async function insertStories(
  trx: Kysely<Database>,
  owner_id: string,
  coming: readonly Coming[],
  idOf: (id: string) => string,
): Promise<void> {
  const outcomes = coming.flatMap(({ arrival, place }) =>
    arrival.outcomes.map((outcome) => ({ id: newId(), owner_id, task_id: idOf(place.id), ...outcome })),
  );
  for (const page of pagesOf(outcomes, ({ title }) => title.length)) await insertOutcomes(trx, page);
  const creations = coming.map(({ arrival: { task }, place }) => ({
    ...{ id: newId(), task_id: idOf(place.id), owner_id },
    ...{ at: task.created_at, occurrence_due_at: task.due_at },
  }));
  await insertCreations(trx, creations);
  await addToCounts(trx, owner_id, {
    open: coming.filter(({ arrival }) => arrival.task.status === 'open').length,
    done: outcomes.filter(({ outcome }) => outcome === 'done').length,
    skipped: outcomes.filter(({ outcome }) => outcome === 'skipped').length,
    nudges_sent: coming.reduce((sum, { arrival }) => sum + arrival.task.nudge_count, 0),
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
