import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Existing sessions and devices stay without a name, because it was not stored. */
export const clientNames: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const table of ['sessions', 'devices'])
      await schema.alterTable(table).addColumn('client_name', 'text').execute();
  },
};
