import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Sessions and devices of before stay without a name: what they were was not stored. */
export const clientNames: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const table of ['sessions', 'devices'])
      await schema.alterTable(table).addColumn('client_name', 'text').execute();
  },
};
