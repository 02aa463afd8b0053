import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Ladders of one's own, for an account, a label or a task; further heads-ups; the shortest wait of a token. */
export const ladders: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('users').addColumn('ladders', 'text').execute();
    await schema.alterTable('access_tokens').addColumn('shortest_wait', 'integer').execute();
    for (const name of ['ladder', 'ladder_label', 'heads_ups'])
      await schema.alterTable('tasks').addColumn(name, 'text').execute();
    await schema.alterTable('tasks').addColumn('shortest_wait', 'integer').execute();
  },
};
