/** What became of a user's tasks: their outcomes one by one, and the sums. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { countOverdueAndSnoozed, getCounts, listOutcomes, type Outcome } from './outcomes.store.ts';
import { type Statistics, statisticsOf } from './statistics.ts';

export class StatisticsService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async outcomes({ userId }: Caller, outcome: string | undefined, limit: number): Promise<Outcome[]> {
    return listOutcomes(this.#db, userId, outcome, limit);
  }

  async statistics({ userId }: Caller): Promise<Statistics> {
    const counts = await getCounts(this.#db, userId);
    return statisticsOf({ ...counts, ...(await countOverdueAndSnoozed(this.#db, userId, this.#clock.now())) });
  }
}
