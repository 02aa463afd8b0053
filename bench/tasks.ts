/**
 * What calls cost for a user with 100 tasks and for one with 100,000 in the same database. Each round calls
 * for both, so other load on the machine affects both alike. BENCH_DATABASE_URL is a PostgreSQL database to use
 * instead of SQLite.
 */
import { sql } from 'kysely';
import type { Db } from '../src/db/schema.ts';
import { newId } from '../src/lib/ids.ts';
import { type BenchService, type BenchUser, startBenchService } from './bench-service.ts';
import { median } from './statistics.ts';

const SIZES = [100, 100_000];
/** As many as the smaller user has tasks, so that each task is completed once. */
const ROUNDS = 100;

export async function benchTasks(): Promise<void> {
  const { BENCH_DATABASE_URL } = process.env;
  const service = await startBenchService(BENCH_DATABASE_URL ? { DATABASE_URL: BENCH_DATABASE_URL } : {});
  try {
    const owners = await Promise.all(SIZES.map((size) => createOwner(service, size)));
    // The database would do this on its own within a minute of that many changes.
    await sql`analyze`.execute(service.db);
    await compare(service, owners);
  } finally {
    await service.close();
  }
}

interface Owner extends BenchUser {
  readonly openIds: readonly string[];
}

async function createOwner(service: BenchService, size: number): Promise<Owner> {
  const user = await service.signIn();
  return { ...user, openIds: await insertTasks(service.db, user.id, size) };
}

/** The first task is due a minute after `from`, each next one a minute later. */
export async function insertTasks(db: Db, ownerId: string, size: number, from = new Date()): Promise<string[]> {
  const now = new Date();
  const openIds: string[] = [];
  for (let start = 0; start < size; start += 500) {
    const rows = Array.from({ length: Math.min(500, size - start) }, (_, offset) =>
      toRow(ownerId, start + offset, now, from),
    );
    openIds.push(...rows.map(({ id }) => id));
    await db.insertInto('tasks').values(rows).execute();
  }
  const counts = { open: openIds.length, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };
  await db
    .insertInto('task_counts')
    .values({ user_id: ownerId, ...counts })
    .execute();
  return openIds;
}

function toRow(ownerId: string, index: number, now: Date, from: Date) {
  const dueAt = new Date(from.getTime() + (index + 1) * 60_000);
  return {
    id: newId(),
    owner_id: ownerId,
    assigner_id: null,
    space_id: null,
    title: `Task ${index}`,
    notes: null,
    kind: 'todo',
    due_at: dueAt,
    due_written: dueAt.toISOString(),
    has_time: true,
    overdue_at: dueAt,
    recurrence: null,
    series_first: null,
    occurrence_number: 1,
    occurrence_started_at: now,
    lead_time_days: null,
    mode: 'escalate',
    break_quiet_hours: false,
    status: 'open',
    accepted_by_owner: true,
    deferred_until: null,
    completed_at: null,
    skipped_at: null,
    closed_at: null,
    undo: null,
    run_started_at: now,
    step: 0,
    heads_up_at: null,
    escalation_stage: 0,
    nudge_count: 0,
    last_nudge_at: null,
    next_fire_at: dueAt,
    list_rank: 0,
    list_key: dueAt.getTime(),
    created_at: now,
    updated_at: now,
    changed_at: now,
  };
}

type Call = (owner: Owner, round: number) => { method: 'GET' | 'POST'; url: string; payload?: object };

const CALLS: Readonly<Record<string, Call>> = {
  'list, limit 50': () => ({ method: 'GET', url: '/v1/tasks?limit=50' }),
  'list open, limit 50': () => ({ method: 'GET', url: '/v1/tasks?status=open&limit=50' }),
  detail: ({ openIds }, round) => ({ method: 'GET', url: `/v1/tasks/${openIds[round % openIds.length]}` }),
  create: (_owner, round) => ({ method: 'POST', url: '/v1/tasks', payload: { title: `New ${round}` } }),
  complete: ({ openIds }, round) => ({ method: 'POST', url: `/v1/tasks/${openIds[round % openIds.length]}/complete` }),
  stats: () => ({ method: 'GET', url: '/v1/stats' }),
  'outcomes, limit 50': () => ({ method: 'GET', url: '/v1/outcomes?limit=50' }),
};

async function compare({ app }: BenchService, owners: readonly Owner[]): Promise<void> {
  console.log(`Median cost of a call in ms (${ROUNDS} rounds)`);
  console.log(`${'call'.padEnd(22)}${SIZES.map((size) => `${size} tasks`.padStart(15)).join('')}   ratio`);
  for (const [name, call] of Object.entries(CALLS)) {
    const timesMs = owners.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, owner] of owners.entries()) {
        const startedAt = performance.now();
        await app.inject({ ...call(owner, round), headers: owner.headers });
        timesMs[index]?.push(performance.now() - startedAt);
      }
    }
    const medians = timesMs.map(median);
    const [small = 1, large = 1] = medians;
    console.log(
      `${name.padEnd(22)}${medians.map((ms) => ms.toFixed(3).padStart(15)).join('')}   ${(large / small).toFixed(2)}`,
    );
  }
}
