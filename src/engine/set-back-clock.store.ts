import { type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS, type PlanSettings } from '../escalation/plan-settings.ts';

type Task = Selectable<Database['tasks']>;

const ROWS_PER_PAGE = 1_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

interface Page {
  /** Tasks whose last nudge or whose run lies in the future. */
  readonly movedIds: readonly string[];
  /** Undefined on the last page. */
  readonly lastId: string | undefined;
}

/**
 * Ids start with the time of their creation, so the entry with the last id shows the latest time that the clock had. Not
 * so for a hold, which is dated by its start, and for a fall, whose id is made from words.
 */
export async function findNewestEntryAt(db: Db): Promise<Date | undefined> {
  const dated = db.selectFrom('timeline').select('at').where('kind', 'not in', ['held', 'fell_back']);
  return (await dated.orderBy('id', 'desc').limit(1).executeTakeFirst())?.at;
}

/** Reads the tasks page by page in the order of their ids, because no index leads to those that moved. */
export async function listPage(db: Db, after: string, now: Date): Promise<Page> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'last_nudge_at', 'run_started_at'])
    .where('id', '>', after || LOWEST_ID)
    .orderBy('id')
    .limit(ROWS_PER_PAGE)
    .execute();
  const isMoved = ({ last_nudge_at, run_started_at }: (typeof rows)[number]) =>
    (last_nudge_at !== null && last_nudge_at > now) || run_started_at > now;
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
    .where((eb) => eb.or([eb('last_nudge_at', '>', now), eb('run_started_at', '>', now)]))
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

/**
 * Brings back what the wrong clock has dated after now: nudges of the present run to just before now, those of ended runs to
 * before its beginning, and answers to now. Otherwise nudges would count as those of the next run, their messages would not
 * be taken back, and answers to them would be answers to what is nudged from now on.
 */
export async function redateDeliveries(trx: Db, task: Task, now: Date): Promise<void> {
  const { id, run_started_at } = task;
  const startedMs = Math.min(run_started_at.getTime(), now.getTime());
  const ofTask = trx.updateTable('deliveries').where('task_id', '=', id);
  await ofTask
    .set({ created_at: new Date(startedMs - 1) })
    .where('created_at', '>=', now)
    // Those of ended runs wait for nothing.
    .where('status', '!=', 'pending')
    .$if(isNudged(task), (query) => query.where('created_at', '<', run_started_at))
    .execute();
  const justNow = new Date(Math.max(startedMs, now.getTime() - 1));
  await ofTask.set({ created_at: justNow }).where('created_at', '>=', now).execute();
  await ofTask.set({ acked_at: now }).where('acked_at', '>', now).execute();
  await ofTask.set({ confirmed_at: now }).where('confirmed_at', '>', now).execute();
}

/** Whether the present run has had a nudge. It may have begun by the right clock already, and has none then. */
const isNudged = ({ status, step, heads_up_at, run_started_at }: Task): boolean =>
  status === 'open' && (step > 0 || (heads_up_at !== null && heads_up_at > run_started_at));
