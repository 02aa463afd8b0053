import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** An agenda reads the outcomes with missed occurrences, which are few among all outcomes of an account. */
export const missedOutcomes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index outcomes_missed on outcomes (owner_id, recorded_at, id)
      where missed is not null`.execute(db);
  },
};
