import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Ends the say of assigners who do not share the space of the task with its owner. Until now a departure left it, and
 * took the leaver's own tasks out of the space with it. So an accepted task outside of spaces keeps its assigner only
 * if the two people share a space today: which of the others were once in one is not known.
 */
export const assigners: Migration = {
  async up(db: Kysely<unknown>) {
    const share = sql`select 1 from space_members mine
      join space_members theirs on theirs.space_id = mine.space_id and theirs.user_id = tasks.assigner_id
      where mine.user_id = tasks.owner_id`;
    const ended = sql`assigner_id is not null and case
      when space_id is not null then not exists (${share} and mine.space_id = tasks.space_id)
      else accepted_by_owner and not exists (${share}) end`;
    // The next sync of the assigner reports the task as removed, and that of its owner as changed.
    await sql`
      insert into task_removals (viewer_id, task_id, changed_at)
      select assigner_id, id, crescendo_now() from tasks where ${ended}
      on conflict (viewer_id, task_id) do update set changed_at = excluded.changed_at`.execute(db);
    await sql`update tasks set assigner_id = null, changed_at = crescendo_now() where ${ended}`.execute(db);
  },
};
