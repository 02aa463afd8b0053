import { sql } from 'kysely';
import { among, textIn } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { ID_END_LENGTH } from '../lib/ids.ts';

const MOST_ENDING = 100;

export interface TaskSource {
  readonly id: string;
  readonly max_stage: number | null;
  readonly assigner_name: string | null;
  readonly space_name: string | null;
  /** Nobody but the owner of the task has ever owned the space, so nobody else named it. */
  readonly is_space_own: boolean;
  readonly is_imported: boolean;
}

/** The ids of the owner's tasks that end in one of these. Reads every id of the owner, from an index alone. */
export async function listIdsEndingIn(db: Db, ownerId: string, ends: readonly string[]): Promise<string[]> {
  const end = sql`substr(cast(id as text), ${sql.lit(1 - ID_END_LENGTH + 36)})`;
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where(textIn(db, end, ends))
    .limit(MOST_ENDING)
    .execute();
  return rows.map(({ id }) => id);
}

/** For the ids that are the owner's tasks. Leaves out the name of a space that the owner has left. */
export async function listSources(db: Db, ownerId: string, ids: readonly string[]): Promise<Map<string, TaskSource>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('tasks')
    .leftJoin('users', 'users.id', 'tasks.assigner_id')
    .leftJoin('space_members', (join) =>
      join.onRef('space_members.space_id', '=', 'tasks.space_id').on('space_members.user_id', '=', ownerId),
    )
    .leftJoin('spaces', 'spaces.id', 'space_members.space_id')
    .select([
      'tasks.id',
      'tasks.owner_id',
      'tasks.max_stage',
      'users.display_name as assigner_name',
      'spaces.name as space_name',
    ])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('task_origins')
            .select(sql.lit(1).as('one'))
            .where('task_origins.owner_id', '=', ownerId)
            .whereRef('task_origins.task_id', '=', 'tasks.id'),
        )
        .as('is_imported'),
    )
    .select((eb) =>
      eb
        .and([
          eb('spaces.creator_id', '=', ownerId),
          eb.not(
            eb.exists(
              eb
                .selectFrom('space_departures')
                .select(sql.lit(1).as('one'))
                .where('space_departures.user_id', '=', ownerId)
                .whereRef('space_departures.space_id', '=', 'spaces.id'),
            ),
          ),
        ])
        .as('is_space_own'),
    )
    .where('tasks.id', ...among(db, ids))
    .execute();
  // Not a condition of the query: SQLite would go through all tasks of the owner instead of these.
  const own = rows.filter(({ owner_id }) => owner_id === ownerId);
  return new Map(
    own.map(({ owner_id, is_imported, is_space_own, ...row }) => [
      row.id,
      { ...row, is_imported: Boolean(is_imported), is_space_own: Boolean(is_space_own) },
    ]),
  );
}

/** The names of a person's spaces by id. */
export async function listSpacesOf(db: Db, userId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('space_members')
    .innerJoin('spaces', 'spaces.id', 'space_members.space_id')
    .select(['spaces.id', 'spaces.name'])
    .where('space_members.user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
