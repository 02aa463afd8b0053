/** What a nudge writes on PostgreSQL: bytes of the write-ahead log, updates that stay in their page, and index writes. */
import pg from 'pg';
import type { Gateway } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { startBenchService } from './bench-service.ts';

const TASKS = 5_000;
const ROUNDS = 4;

const phones: Gateway = {
  send: async () => ({ kind: 'accepted' }),
  capacity: () => 1_000,
  close: async () => undefined,
};

export async function benchWrites(): Promise<void> {
  const server = await PostgresServer.start();
  const client = new pg.Client({ connectionString: server.urlOf('postgres') });
  await client.connect();
  const read = async (text: string) => (await client.query(text)).rows[0] as Record<string, string>;
  try {
    // As on a real server: the first change of a page after a checkpoint logs the whole page.
    await client.query('alter system set full_page_writes = on');
    await client.query('select pg_reload_conf()');
    const service = await startBenchService({ DATABASE_URL: server.urlOf('postgres') }, { gateways: { apns: phones } });
    const isSent = (rounds: number) => async () => Number((await read(SENT)).count) >= TASKS * rounds;
    await insertDueTasks(service.db, { tasks: TASKS, owners: TASKS, dueAt: new Date(Date.now() - 60_000) });
    service.engine?.wakeUp();
    await waitUntil(isSent(1));
    console.log(`writes per nudge on PostgreSQL, ${TASKS} tasks with one device each`);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await service.engine?.settled();
      await client.query("update tasks set last_nudge_at = now() - interval '2 hours'");
      await client.query('vacuum analyze');
      await client.query('checkpoint');
      await client.query('update tasks set next_fire_at = now(), wanted_at = now()');
      const start = await read(FIGURES);
      service.engine?.wakeUp();
      await waitUntil(isSent(round + 1));
      await service.engine?.settled();
      report(round, start, await read(FIGURES));
    }
    await service.close();
  } finally {
    await client.end();
    await server.stop();
  }
}

const SENT = "select count(*) from deliveries where status = 'sent'";

const FIGURES = `select pg_stat_clear_snapshot(), pg_current_wal_lsn() - '0/0'::pg_lsn as wal,
  (select sum(n_tup_upd) from pg_stat_user_tables where relname = 'tasks') as tasks_updated,
  (select sum(n_tup_newpage_upd) from pg_stat_user_tables where relname = 'tasks') as tasks_moved,
  (select sum(n_tup_upd) from pg_stat_user_tables where relname = 'deliveries') as deliveries_updated,
  (select sum(n_tup_newpage_upd) from pg_stat_user_tables where relname = 'deliveries') as deliveries_moved,
  (select sum(n_tup_hot_upd) from pg_stat_user_tables where relname = 'deliveries') as deliveries_hot`;

function report(round: number, from: Record<string, string>, to: Record<string, string>): void {
  const change = (name: string) => Number(to[name]) - Number(from[name]);
  const moved = (table: string) => `${((100 * change(`${table}_moved`)) / change(`${table}_updated`)).toFixed(0)} %`;
  console.log(
    `  round ${round}: ${(change('wal') / TASKS).toFixed(0)} bytes; updates that left their page: ` +
      `tasks ${moved('tasks')}, deliveries ${moved('deliveries')}`,
  );
}
