import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { newId } from '../../lib/ids.ts';

/**
 * Plans every open task again: since the last release plans differ, so a stored plan may come later than its forecast,
 * or never. Until a slice has planned a task, it counts as stale, as after a change of its owner's settings.
 */
export const plansAgain: Migration = {
  async up(db: Kysely<unknown>) {
    const { rows } = await sql<{ id: string }>`select id from users
      where exists (select 1 from tasks where tasks.owner_id = users.id and status = 'open')
        and not exists (select 1 from follow_ups where user_id = users.id and kind = 'replan')`.execute(db);
    await sql`update users set plan_version = plan_version + 1`.execute(db);
    for (const { id } of rows) {
      await sql`insert into follow_ups (id, kind, user_id) values (${newId()}, 'replan', ${id})`.execute(db);
    }
  },
};
