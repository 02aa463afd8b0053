import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { isVisibleTo } from '../spaces/visibility.ts';
import type { Task } from './task-state.ts';

/** The database's own time, and the moment before which nothing will be committed any more. */
export async function readHorizon(db: Kysely<Database>): Promise<{ now: Date; horizon: Date }> {
  const { rows } = await sql<{ now: Date | number; horizon: Date | number }>`
    select crescendo_now() as now, crescendo_horizon() as horizon`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The database does not tell the time.');
  return { now: new Date(row.now), horizon: new Date(row.horizon) };
}

/** Everything the viewer sees that changed since then, or that lies in a space they have joined since then. */
export async function listVisibleSince(db: Kysely<Database>, viewer: Caller, since: Date | undefined): Promise<Task[]> {
  let query = db
    .selectFrom('tasks')
    .selectAll()
    .where((eb) => isVisibleTo(eb, viewer));
  if (since) {
    query = query.where((eb) =>
      eb.or([
        eb('tasks.changed_at', '>=', since),
        eb.exists(
          eb
            .selectFrom('space_members')
            .select('space_members.user_id')
            .whereRef('space_members.space_id', '=', 'tasks.space_id')
            .where('space_members.user_id', '=', viewer.userId)
            .where('space_members.changed_at', '>=', since),
        ),
      ]),
    );
  }
  return query.orderBy('id').execute();
}

/** What left the viewer's sight since then and has not come back. */
export async function listRemovedSince(db: Kysely<Database>, viewer: Caller, since: Date): Promise<string[]> {
  // What a token can see, its user's own tasks, never leaves its sight.
  if (viewer.kind === 'token') return [];
  const rows = await db
    .selectFrom('task_removals')
    .select('task_id')
    .where('viewer_id', '=', viewer.userId)
    .where('changed_at', '>=', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tasks')
            .select('tasks.id')
            .whereRef('tasks.id', '=', 'task_removals.task_id')
            .where((eb) => isVisibleTo(eb, viewer)),
        ),
      ),
    )
    .orderBy('task_id')
    .execute();
  return rows.map(({ task_id }) => task_id);
}

interface Removal {
  readonly viewer_id: string;
  readonly task_id: string;
}

/** Engines take a limited number of values in one statement. */
const MOST_ROWS = 1_000;

/** Notes that the tasks are out of these viewers' sight from now on. */
export async function recordRemovals(trx: Kysely<Database>, removals: readonly Removal[]): Promise<void> {
  const changed_at = sql<Date>`crescendo_now()`;
  for (let start = 0; start < removals.length; start += MOST_ROWS) {
    await trx
      .insertInto('task_removals')
      .values(removals.slice(start, start + MOST_ROWS).map((removal) => ({ ...removal, changed_at })))
      .onConflict((conflict) => conflict.columns(['viewer_id', 'task_id']).doUpdateSet({ changed_at }))
      .execute();
  }
}

/** What a leaver saw in a space only as its member. */
export async function recordRemovalsForLeaver(trx: Kysely<Database>, spaceId: string, leaverId: string): Promise<void> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('accepted_by_owner', '=', true)
    .where('owner_id', '!=', leaverId)
    .where((eb) => eb.or([eb('assigner_id', 'is', null), eb('assigner_id', '!=', leaverId)]))
    .execute();
  await recordRemovals(
    trx,
    rows.map(({ id }) => ({ viewer_id: leaverId, task_id: id })),
  );
}

type Shared = Pick<Task, 'id' | 'owner_id' | 'assigner_id' | 'space_id' | 'accepted_by_owner'>;

/** Members of the space a task was shared in, who see it no longer after the change. */
export async function recordLostSight(trx: Kysely<Database>, before: Shared, after: Shared): Promise<void> {
  const sharedIn = ({ space_id, accepted_by_owner }: Shared) => (accepted_by_owner ? space_id : null);
  const [from, to] = [sharedIn(before), sharedIn(after)];
  if (from === null || from === to) return;
  // Whoever is just joining has either joined, and is told, or will not see the task at all.
  await trx.selectFrom('spaces').select('id').where('id', '=', from).forShare().execute();
  const [members, staying] = [await listMemberIds(trx, from), to === null ? [] : await listMemberIds(trx, to)];
  const stillSee = new Set([after.owner_id, after.assigner_id, ...staying]);
  const losing = members.filter((viewer_id) => !stillSee.has(viewer_id));
  await recordRemovals(
    trx,
    losing.map((viewer_id) => ({ viewer_id, task_id: before.id })),
  );
}

async function listMemberIds(trx: Kysely<Database>, spaceId: string): Promise<string[]> {
  const rows = await trx.selectFrom('space_members').select('user_id').where('space_id', '=', spaceId).execute();
  return rows.map(({ user_id }) => user_id);
}

/** Everyone but the owner who sees each of the owner's tasks. */
export async function listOtherViewers(
  trx: Kysely<Database>,
  ownerId: string,
  only?: readonly string[],
): Promise<Removal[]> {
  const tasks = trx.selectFrom('tasks');
  // Never both: asked for a few of many, SQLite would read all of the owner's.
  const owned = only ? tasks.where('tasks.id', 'in', only) : tasks.where('tasks.owner_id', '=', ownerId);
  const assigners = owned
    .select(['tasks.assigner_id as viewer_id', 'tasks.id as task_id'])
    .where('tasks.assigner_id', 'is not', null);
  const members = owned
    .innerJoin('space_members', 'space_members.space_id', 'tasks.space_id')
    .select(['space_members.user_id as viewer_id', 'tasks.id as task_id'])
    .where('tasks.accepted_by_owner', '=', true)
    .where('space_members.user_id', '!=', ownerId);
  const rows = await assigners.union(members).execute();
  return rows.flatMap(({ viewer_id, task_id }) => (viewer_id === null ? [] : [{ viewer_id, task_id }]));
}

/** The tasks stay with their owners; who assigned them is forgotten. */
export async function forgetAssigner(trx: Kysely<Database>, assignerId: string): Promise<void> {
  await trx
    .updateTable('tasks')
    .set({ assigner_id: null, changed_at: sql<Date>`crescendo_now()` })
    .where('assigner_id', '=', assignerId)
    .execute();
}
