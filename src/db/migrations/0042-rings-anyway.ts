import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The moment at which the owner wants a nudge in spite of quiet hours and pauses. */
export const ringsAnyway: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('tasks').addColumn('rings_anyway_at', 'timestamptz').execute();
  },
};
