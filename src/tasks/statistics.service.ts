/** A user's outcomes, and statistics computed from running sums. */
import type { Static } from 'typebox';
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import {
  countOverdueAndSnoozed,
  getCounts,
  listMissed,
  listOutcomes,
  type Outcome,
  type OutcomeQuery,
} from './outcomes.store.ts';
import { listReplannedOwners } from './shown-tasks.store.ts';
import { parseInstant } from './task-input.ts';
import type { StatsOut } from './tasks.schemas.ts';
import { findOwner } from './tasks.store.ts';

interface OutcomeRequest extends Omit<OutcomeQuery, 'since'> {
  readonly since: string | undefined;
}

export class StatisticsService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async listOutcomes({ userId }: Caller, { since, ...query }: OutcomeRequest): Promise<Outcome[]> {
    return listOutcomes(this.#db, userId, { ...query, since: await this.#instantOf(userId, since) });
  }

  async listMissed({ userId }: Caller, since: string | undefined, limit: number): Promise<Outcome[]> {
    return listMissed(this.#db, userId, await this.#instantOf(userId, since), limit);
  }

  async #instantOf(userId: string, text: string | undefined): Promise<Date | undefined> {
    if (text === undefined) return undefined;
    const owner = await findOwner(this.#db, userId);
    return parseInstant(text, owner?.timezone ?? 'UTC');
  }

  async getStatistics({ userId }: Caller): Promise<Static<typeof StatsOut>> {
    const { seconds_to_done, stored: _, ...counts } = await getCounts(this.#db, userId);
    const { done, skipped, nudges_sent } = counts;
    const now = this.#clock.now();
    const replanned = await listReplannedOwners(this.#db, { ownerId: userId }, now);
    return {
      ...counts,
      ...(await countOverdueAndSnoozed(this.#db, userId, now, replanned)),
      nudges_per_completion: done === 0 ? 0 : nudges_sent / done,
      avg_hours_to_complete: done === 0 ? null : seconds_to_done / done / 3_600,
      // Before the first outcome, 1 would claim a success that never happened.
      completion_rate: done + skipped === 0 ? null : done / (done + skipped),
    };
  }
}
