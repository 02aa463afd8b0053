/** Fills a database with accounts and tasks that wait for a day or more, by SQL alone: millions of rows in minutes. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Rows per statement. */
const SLICE = 100_000;
const TASKS_PER_OWNER = 100;

export async function fill(databaseUrl: string, tasks: number): Promise<void> {
  const owners = Math.ceil(tasks / TASKS_PER_OWNER);
  if (databaseUrl.startsWith('sqlite:')) fillSqlite(databaseUrl.slice('sqlite:'.length), owners, tasks);
  else await fillPostgres(databaseUrl, owners, tasks);
}

const TASK = `id, owner_id, title, kind, due_at, due_written, has_time, overdue_at, occurrence_number,
  occurrence_started_at, mode, break_quiet_hours, status, accepted_by_owner, run_started_at, step, escalation_stage,
  nudge_count, next_fire_at, wanted_at, list_rank, list_key, created_at, updated_at, changed_at`;
const DEVICE = 'id, user_id, platform, token, token_hash, push_env, valid, registered_at, created_at';
const ENTRY = 'id, task_id, owner_id, at, kind, by, occurrence_due_at';

/** UUID version 7 of a moment in milliseconds, with the number of the row in place of randomness. */
const POSTGRES_ID = (ms: string, number: string) =>
  `(lpad(to_hex(${ms}), 12, '0') || '70008000' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const SQLITE_ID = (ms: string, number: string) =>
  `printf('%08x-%04x-7000-8000-%012x', (${ms}) >> 16, (${ms}) & 65535, ${number})`;

async function fillPostgres(connectionString: string, owners: number, tasks: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const run = (text: string, ...values: unknown[]) => client.query(text, values);
  try {
    await run('set synchronous_commit = off');
    const base = Date.now() - 86_400_000;
    const owner = POSTGRES_ID(`${base}::bigint`, 'n');
    await run(
      `insert into users (id, keep_must_not_miss, created_at, updated_at)
      select ${owner}, true, now(), now() from generate_series(0, $1 - 1) n`,
      owners,
    );
    await run(
      `insert into devices (${DEVICE}) select ${owner}, ${owner}, 'ios', repeat(md5(n::text), 2), md5(n::text),
      'production', true, now(), now() from generate_series(0, $1 - 1) n`,
      owners,
    );
    const due = "now() + interval '1 day' + n * interval '100 milliseconds'";
    const task = POSTGRES_ID(`${base}::bigint + n / 10`, 'n');
    for (let from = 0; from < tasks; from += SLICE) {
      const to = Math.min(tasks, from + SLICE) - 1;
      await run(
        `insert into tasks (${TASK}) select ${task}, ${POSTGRES_ID(`${base}::bigint`, `n % ${owners}`)}, 'pills', 'todo',
        ${due}, 'x', true, ${due}, 1, now(), 'escalate', false, 'open', true, now(), 0, 0, 0, ${due}, ${due}, 0,
        cast(extract(epoch from ${due}) * 1000 as bigint), now(), now(), now() - interval '1 hour'
        from generate_series($1::bigint, $2::bigint) n`,
        from,
        to,
      );
      await run(
        `insert into timeline (${ENTRY}) select ${task}, ${task}, ${POSTGRES_ID(`${base}::bigint`, `n % ${owners}`)},
        now(), 'created', 'owner', ${due} from generate_series($1::bigint, $2::bigint) n`,
        from,
        to,
      );
    }
    await run('vacuum analyze');
    await run('checkpoint');
  } finally {
    await client.end();
  }
}

function fillSqlite(file: string, owners: number, tasks: number): void {
  const db = new DatabaseSync(file);
  db.exec('pragma synchronous = off');
  const series = 'with recursive series (n) as (select ?1 union all select n + 1 from series where n < ?2)';
  const base = Date.now() - 86_400_000;
  const now = Date.now();
  const owner = SQLITE_ID(`${base}`, 'n');
  const run = (text: string, from: number, to: number) => db.prepare(`${series} ${text}`).run(from, to);
  run(
    `insert into users (id, keep_must_not_miss, created_at, updated_at) select ${owner}, 1, ${now}, ${now} from series`,
    0,
    owners - 1,
  );
  run(
    `insert into devices (${DEVICE}) select ${owner}, ${owner}, 'ios', printf('%064x', n), printf('%064x', n), 'production',
    1, ${now}, ${now} from series`,
    0,
    owners - 1,
  );
  const due = `${now} + 86400000 + n * 100`;
  const task = SQLITE_ID(`${base} + n / 10`, 'n');
  const ownerOfTask = SQLITE_ID(`${base}`, `n % ${owners}`);
  for (let from = 0; from < tasks; from += SLICE) {
    const to = Math.min(tasks, from + SLICE) - 1;
    db.exec('begin');
    run(
      `insert into tasks (${TASK}) select ${task}, ${ownerOfTask}, 'pills', 'todo', ${due}, 'x', 1, ${due}, 1, ${now},
      'escalate', 0, 'open', 1, ${now}, 0, 0, 0, ${due}, ${due}, 0, ${due}, ${now}, ${now}, ${now} - 3600000 from series`,
      from,
      to,
    );
    run(
      `insert into timeline (${ENTRY}) select ${task}, ${task}, ${ownerOfTask}, ${now}, 'created', 'owner', ${due} from series`,
      from,
      to,
    );
    db.exec('commit');
  }
  db.exec('analyze');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}
