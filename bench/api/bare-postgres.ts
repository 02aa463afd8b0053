/** A pool as large as the service's, prepared statements, and one statement per write, which is its transaction. */
import pg from 'pg';
import { POOL_SIZE } from '../../src/db/postgres/postgres.ts';
import { newId } from '../../src/lib/ids.ts';
import {
  type BareStore,
  DETAILED,
  INSERTED,
  IS_VISIBLE,
  LISTED,
  SESSION,
  SETTINGS,
  toSettings,
  undoOf,
} from './bare-store.ts';

const DETAIL = `select ${DETAILED} from tasks where id = $1 and owner_id = $2`;
const LIST = `select ${LISTED} from tasks where owner_id = $1 order by list_rank, list_key, id limit $2`;
const CHANGED = `select ${DETAILED} from tasks where ${IS_VISIBLE} and changed_at >= $2 order by id`;
const REMOVED = 'select task_id from task_removals where viewer_id = $1 and changed_at >= $2';
const USER = `select ${SETTINGS} from users where id = $1`;
const CREATE = `with task as (
    insert into tasks (${INSERTED}) values ($1, $2, $3, 'todo', $4, $5, true, $4, $6, 1, $7, 'escalate', false, 'open',
      true, $7, 0, 0, 0, $4, $4, 0, $8, $7, $7, $7) returning ${LISTED}),
  entry as (insert into timeline (id, task_id, owner_id, at, kind, by, occurrence_due_at)
    select $9, id, owner_id, created_at, 'created', 'owner', due_at from task),
  counts as (insert into task_counts (user_id, open, done, skipped, nudges_sent, seconds_to_done)
    values ($2, 1, 0, 0, 0, 0) on conflict (user_id) do update set open = task_counts.open + 1)
  select * from task`;
const COMPLETE = `with task as (
    update tasks set status = 'done', completed_at = $3, closed_at = $3, undo = $4, next_fire_at = null,
      wanted_at = null, list_rank = 2, list_key = $5, updated_at = $3, changed_at = $3
    where id = $1 and owner_id = $2 and status = 'open' returning ${LISTED},
      cast(extract(epoch from $3 - occurrence_started_at) as integer) as seconds),
  outcome as (insert into outcomes (id, owner_id, task_id, title, occurrence_due_at, outcome, seconds_taken, recorded_at)
    select $6, owner_id, id, title, due_at, 'done', seconds, completed_at from task),
  entry as (insert into timeline (id, task_id, owner_id, at, kind, by, occurrence_due_at)
    select $7, id, owner_id, completed_at, 'done', 'owner', due_at from task),
  counts as (update task_counts set open = open - 1, done = done + 1, seconds_to_done = seconds_to_done + task.seconds
    from task where user_id = task.owner_id)
  select ${LISTED} from task`;

/** Also what FastAPI runs. */
export const STATEMENTS = {
  session: SESSION,
  detail: DETAIL,
  list: LIST,
  changed: CHANGED,
  removed: REMOVED,
  user: USER,
  create: CREATE,
  complete: COMPLETE,
};

export function openPostgresStore(connectionString: string): BareStore {
  const pool = new pg.Pool({ connectionString, max: POOL_SIZE });
  const run = async (name: keyof typeof STATEMENTS, values: unknown[]) =>
    (await pool.query({ name, text: STATEMENTS[name], values })).rows;
  return {
    async findSession(tokenHash) {
      const [row] = await run('session', [tokenHash]);
      return row && { userId: row.user_id, expiresAt: row.expires_at.getTime() };
    },
    find: async (userId, id) => (await run('detail', [id, userId]))[0],
    list: (userId, limit) => run('list', [userId, limit]),
    async sync(userId, since) {
      const [tasks, removals, [user]] = await Promise.all([
        run('changed', [userId, since]),
        run('removed', [userId, since]),
        run('user', [userId]),
      ]);
      const removed = removals.map(({ task_id }) => task_id);
      return { tasks, removed, settings: toSettings(user), server_time: new Date(), reset: false };
    },
    async create(userId, { title, due_at }) {
      const due = new Date(due_at);
      const values = [newId(), userId, title, due, due_at, due_at.slice(0, 19), new Date(), due.getTime(), newId()];
      return (await run('create', values))[0];
    },
    async complete(userId, id) {
      const [now, outcomeId] = [new Date(), newId()];
      const undo = undoOf(outcomeId, now.toISOString());
      return (await run('complete', [id, userId, now, undo, -now.getTime(), outcomeId, newId()]))[0];
    },
    close: () => pool.end(),
  };
}
