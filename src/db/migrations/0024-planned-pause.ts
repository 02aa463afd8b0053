import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A pause that begins later, beside the one that runs now. */
export const plannedPause: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const name of ['planned_pause_from', 'planned_pause_until']) {
      await schema.alterTable('users').addColumn(name, 'timestamptz').execute();
    }
    await schema.alterTable('users').addColumn('planned_keep_must_not_miss', 'boolean').execute();
  },
};
