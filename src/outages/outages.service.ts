/** Tells a person when no engine was alive, and which of their nudges were late because of it. */
import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import {
  dismissOutage,
  findLastOutage,
  isAnyUnread,
  listLateTasks,
  listUnread,
  NUDGES_PER_PERSON,
  type Outage,
} from './outages.store.ts';

const TOLD_FOR_MS = 7 * 86_400_000;
const MOST_OUTAGES = 10;

export class OutagesService {
  readonly #db: Db;
  readonly #clock: Clock;

  /** The clock is the service's. */
  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async list({ userId }: Pick<Caller, 'userId'>) {
    const outages = await listUnread(this.#db, userId, this.#since(), MOST_OUTAGES);
    if (outages.length === 0) return [];
    const ids = outages.map(({ id }) => id);
    const byOutage = Map.groupBy(await listLateTasks(this.#db, userId, ids), ({ outage_id }) => outage_id);
    return outages.flatMap(({ id, started_at, ended_at, nudges }) => {
      const tasks = byOutage.get(id);
      // They are all gone, or somebody else's.
      if (!tasks) return [];
      const count = tasks.length + Math.max(0, nudges - NUDGES_PER_PERSON);
      return [{ id, from: started_at, to: ended_at, count, tasks }];
    });
  }

  /** Whether `list` may have something to tell. */
  isAny(userId: string): Promise<boolean> {
    return isAnyUnread(this.#db, userId, this.#since());
  }

  async dismiss({ userId }: Pick<Caller, 'userId'>, id: string): Promise<void> {
    if (!(await dismissOutage(this.#db, userId, id, this.#clock.now()))) throw new AppError('not_found');
    announce(this.#db, [userId]);
  }

  findLast(): Promise<Outage | undefined> {
    return findLastOutage(this.#db);
  }

  #since(): Date {
    return new Date(this.#clock.now().getTime() - TOLD_FOR_MS);
  }
}
