import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A space without members keeps its row, because tasks and invitations refer to it, and loses its name. */
export const emptySpaces: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`update spaces set name = ''
      where not exists (select 1 from space_members where space_members.space_id = spaces.id)`.execute(db);
  },
};
