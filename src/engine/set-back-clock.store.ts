import { type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS, type PlanSettings } from '../escalation/plan-settings.ts';

type Task = Selectable<Database['tasks']>;

const ROWS_PER_PAGE = 1_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
/** What the clock has dated in a task. */
const DATED = ['last_nudge_at', 'run_started_at', 'updated_at'] as const;

interface Page {
  /**
   * Open tasks with a last nudge, a run's start or a change in the future: by that clock a hold may have begun, to whose
   * end the nudge was moved. A closed task is planned when it is reopened.
   */
  readonly movedIds: readonly string[];
  /** Undefined on the last page. */
  readonly lastId: string | undefined;
}

/** Enough that one of them is from a process that followed the clock. */
const NEWEST_ENTRIES = 20;

/**
 * The latest time that the clock had. Ids start with the time of their creation, by the clock of the machine. The newest
 * entry alone may be from a process that had not followed the database's clock yet, so the newest few are read. Three
 * kinds are left out: a hold is dated by its start, what an understudy announced by the moment it was to sound, and the id
 * of a fall is a hash.
 */
export async function findNewestEntryAt(db: Db): Promise<Date | undefined> {
  const dated = db.selectFrom('timeline').select('at').where('kind', 'not in', ['held', 'understudy', 'fell_back']);
  const newest = await dated.orderBy('id', 'desc').limit(NEWEST_ENTRIES).execute();
  return newest.length === 0 ? undefined : new Date(Math.max(...newest.map(({ at }) => at.getTime())));
}

/** Reads all tasks page by page in the order of their ids, because no index finds the moved ones. */
export async function listPage(db: Db, after: string, now: Date): Promise<Page> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'status', ...DATED])
    .where('id', '>', after || LOWEST_ID)
    .orderBy('id')
    .limit(ROWS_PER_PAGE)
    .execute();
  const isMoved = (row: (typeof rows)[number]) =>
    row.status === 'open' && DATED.some((column) => (row[column] ?? now) > now);
  return {
    movedIds: rows.filter(isMoved).map(({ id }) => id),
    lastId: rows.length < ROWS_PER_PAGE ? undefined : rows.at(-1)?.id,
  };
}

/** Locks the task before it reads the settings, as the sweep does. */
export async function lockMovedTask(
  trx: Db,
  id: string,
  now: Date,
): Promise<{ task: Task; owner: PlanSettings } | undefined> {
  const task = await trx
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'open')
    .where((eb) => eb.or(DATED.map((column) => eb(column, '>', now))))
    .forUpdate()
    .executeTakeFirst();
  if (!task) return undefined;
  const owner = await trx.selectFrom('users').select(PLAN_SETTINGS).where('id', '=', task.owner_id).executeTakeFirst();
  return owner && { task, owner };
}

export async function storeCorrection(
  trx: Db,
  id: string,
  now: Date,
  corrected: Updateable<Database['tasks']>,
): Promise<void> {
  await trx
    .updateTable('tasks')
    .set({ ...corrected, updated_at: now, changed_at: sql<Date>`crescendo_now()` })
    .where('id', '=', id)
    .execute();
}
