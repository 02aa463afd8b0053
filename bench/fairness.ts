/**
 * How late a quiet account is nudged beside one with 5,000 tasks due in the same second and 50 devices. The provider
 * answers after 50 ms and takes 1,000 pushes at once. A quiet task falls due every quarter of a second.
 *
 * BENCH_ENGINES=sqlite measures one engine only.
 */
import { sql } from 'kysely';
import type { Db } from '../src/db/schema.ts';
import { newId } from '../src/lib/ids.ts';
import { NO_LOAD_LIMITS } from '../src/limits/load-shedding.ts';
import type { Gateway, Push } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { startBenchService } from './bench-service.ts';
import { createDatabase } from './databases.ts';
import { percentile } from './statistics.ts';

const TASKS = 5_000;
const DEVICES = 50;
const QUIET = 40;
const QUIET_EVERY_MS = 250;
const ANSWER_MS = 50;

export async function benchFairness(): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'postgres,sqlite';
  if (engines.includes('sqlite')) await measure('SQLite');
  if (!engines.includes('postgres')) return;
  const server = await PostgresServer.start();
  try {
    const database = await createDatabase(server.urlOf('postgres'));
    await measure('PostgreSQL', database.url);
    await database.drop();
  } finally {
    await server.stop();
  }
}

class SlowPhones implements Gateway {
  readonly latenessMs = new Map<string, number>();
  #inFlight = 0;
  pushes = 0;

  async send(push: Push): Promise<{ kind: 'accepted' }> {
    this.#inFlight += 1;
    this.pushes += 1;
    if (push.kind === 'nudge') {
      this.latenessMs.set(push.target.token, Date.now() - (push.task.occurrenceDueAt?.getTime() ?? 0));
    }
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    this.#inFlight -= 1;
    return { kind: 'accepted' };
  }

  capacity(): number {
    return 1_000 - this.#inFlight;
  }

  async close(): Promise<void> {}
}

async function measure(name: string, postgresUrl?: string): Promise<void> {
  const phones = new SlowPhones();
  const service = await startBenchService(postgresUrl ? { DATABASE_URL: postgresUrl } : {}, {
    gateways: { apns: phones },
    limits: NO_LOAD_LIMITS,
  });
  const { db, engine } = service;
  try {
    const dueAt = new Date(Date.now() + 15_000);
    const [loud = ''] = await insertDueTasks(db, { tasks: TASKS, owners: 1, dueAt });
    await addDevices(db, loud, DEVICES - 1);
    const quietFrom = new Date(dueAt.getTime() + 100);
    const quiet = await insertDueTasks(db, {
      tasks: QUIET,
      owners: QUIET,
      dueAt: quietFrom,
      intervalMs: QUIET_EVERY_MS,
    });
    await sql`analyze`.execute(db);
    const tokens = await db.selectFrom('devices').select('token').where('user_id', 'in', quiet).execute();
    engine?.wakeUp();
    const lateness = () => tokens.flatMap(({ token }) => phones.latenessMs.get(token) ?? []);
    while (lateness().length < QUIET) await new Promise((resolve) => setTimeout(resolve, 50));
    const print = (what: string, figure: number) =>
      console.log(`  ${what.padEnd(44)}${figure.toFixed(0).padStart(8)} ms`);
    console.log(`\n${name}, ${phones.pushes} pushes meanwhile`);
    print('lateness of a quiet account, median', percentile(lateness(), 0.5));
    print('the worst of all; target 3000 ms', Math.max(...lateness()));
  } finally {
    await service.close();
  }
}

async function addDevices(db: Db, owner: string, count: number): Promise<void> {
  const one = await db.selectFrom('devices').selectAll().where('user_id', '=', owner).executeTakeFirstOrThrow();
  for (let added = 0; added < count; added += 1) {
    const id = newId();
    await db
      .insertInto('devices')
      .values({ ...one, id, token: id.replaceAll('-', '').repeat(2), token_hash: id })
      .execute();
  }
}
