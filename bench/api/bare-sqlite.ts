/** One connection, one durable commit per write. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
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

type Row = Record<string, unknown>;

export function openSqliteStore(file: string): BareStore {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  const prepare = (sql: string): StatementSync => db.prepare(sql.replaceAll('$', '?'));
  const session = prepare(SESSION);
  const detail = prepare(`select ${DETAILED} from tasks where id = $1 and owner_id = $2`);
  const list = prepare(`select ${LISTED} from tasks where owner_id = $1 order by list_rank, list_key, id limit $2`);
  const settings = prepare(`select ${SETTINGS} from users where id = $1`);
  const changed = prepare(`select ${DETAILED} from tasks where ${IS_VISIBLE} and changed_at >= $2 order by id`);
  const removed = prepare('select task_id from task_removals where viewer_id = $1 and changed_at >= $2');
  const insert = prepare(
    `insert into tasks (${INSERTED}) values ($1, $2, $3, 'todo', $4, $5, 1, $4, $6, 1, $7, 'escalate', 0, 'open', 1,
      $7, 0, 0, 0, $4, $4, 0, $4, $7, $7, $7) returning ${LISTED}`,
  );
  const record = prepare(
    `insert into timeline (id, task_id, owner_id, at, kind, by, occurrence_due_at) values ($1, $2, $3, $4, $5, 'owner', $6)`,
  );
  const count = prepare(
    `insert into task_counts (user_id, open, done, skipped, nudges_sent, seconds_to_done) values ($1, $2, $3, 0, 0, $4)
      on conflict (user_id) do update set open = open + $2, done = done + $3, seconds_to_done = seconds_to_done + $4`,
  );
  const close = prepare(
    `update tasks set status = 'done', completed_at = $3, closed_at = $3, undo = $4, next_fire_at = null,
      wanted_at = null, list_rank = 2, list_key = -$3, updated_at = $3, changed_at = $3
      where id = $1 and owner_id = $2 and status = 'open' returning ${LISTED}, occurrence_started_at`,
  );
  const outcome = prepare(
    `insert into outcomes (id, owner_id, task_id, title, occurrence_due_at, outcome, seconds_taken, recorded_at)
      values ($1, $2, $3, $4, $5, 'done', $6, $7)`,
  );
  const inTransaction = <T>(work: () => T): T => {
    db.exec('begin immediate');
    const result = work();
    db.exec('commit');
    return result;
  };
  return {
    findSession(tokenHash) {
      const row = session.get(tokenHash) as { user_id: string; expires_at: number } | undefined;
      return row && { userId: row.user_id, expiresAt: row.expires_at };
    },
    find(userId, id) {
      const row = detail.get(id, userId);
      return row && toTask(row);
    },
    list: (userId, limit) => list.all(userId, limit).map(toTask),
    sync: (userId, since) => ({
      tasks: changed.all(userId, since.getTime()).map(toTask),
      removed: removed.all(userId, since.getTime()).map(({ task_id }) => task_id),
      settings: toSettings(toUser(settings.get(userId) as Row) as never),
      server_time: new Date().toISOString(),
      reset: false,
    }),
    create: (userId, { title, due_at }) =>
      inTransaction(() => {
        const [now, due, id] = [Date.now(), Date.parse(due_at), newId()];
        const row = insert.get(id, userId, title, due, due_at, due_at.slice(0, 19), now) as Row;
        record.run(newId(), id, userId, now, 'created', due);
        count.run(userId, 1, 0, 0);
        return toTask(row);
      }),
    complete: (userId, id) =>
      inTransaction(() => {
        const [now, outcomeId] = [Date.now(), newId()];
        const row = close.get(id, userId, now, undoOf(outcomeId, new Date(now).toISOString())) as Row | undefined;
        if (!row) return undefined;
        const { occurrence_started_at, ...task } = row;
        const seconds = Math.round((now - Number(occurrence_started_at)) / 1_000);
        outcome.run(outcomeId, userId, id, task.title as string, task.due_at as number, seconds, now);
        record.run(newId(), id, userId, now, 'done', task.due_at as number);
        count.run(userId, -1, 1, seconds);
        return toTask(task);
      }),
    close: () => db.close(),
  };
}

const INSTANTS = [
  'due_at',
  'next_fire_at',
  'completed_at',
  'deferred_until',
  'skipped_at',
  'last_nudge_at',
  'created_at',
  'updated_at',
];
const BOOLEANS = ['has_time', 'break_quiet_hours', 'accepted_by_owner'];

function toTask(row: Row): Row {
  for (const name of INSTANTS) if (typeof row[name] === 'number') row[name] = new Date(row[name]).toISOString();
  for (const name of BOOLEANS) if (name in row) row[name] = row[name] === 1;
  return row;
}

function toUser(row: Row): Row {
  row.created_at = new Date(row.created_at as number).toISOString();
  row.keep_must_not_miss = row.keep_must_not_miss === 1;
  return row;
}
