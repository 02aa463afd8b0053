import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../schema.ts';

/** An expectation that does not hold fails like any other race, so `transact` runs the transaction again. */
export const expectations: Migration = {
  async up(db: Kysely<unknown>) {
    if (!isPostgres(db)) return;
    await sql`create function crescendo_expect(holds boolean) returns void language plpgsql as $$
      begin
        if not holds then
          raise serialization_failure using message = 'An expectation does not hold.';
        end if;
      end
    $$`.execute(db);
  },
};
