/**
 * What calls cost for a user with 100 tasks and for one with 100,000, side by side in one database:
 * each round asks both, so that whatever the machine does meanwhile happens to both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { compose, type Service } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Database } from '../src/db/schema.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/logger.ts';

const SIZES = [100, 100_000];
/** As many as the smaller one has tasks, so that each can be completed once. */
const ROUNDS = 100;

export async function benchTasks(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const databaseUrl = process.env.BENCH_DATABASE_URL ?? `sqlite:${join(folder, 'bench.db')}`;
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'x'.repeat(32),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '9000000',
  });
  const mails: string[] = [];
  const service = await compose({
    ...{ config, version: '0.1.0', clock: systemClock(), wallClock: systemClock(), logger: createLogger('silent') },
    print: (text) => void mails.push(text),
  });
  try {
    const people = await Promise.all(SIZES.map((size) => settle(service, mails, size)));
    // What the database would do by itself within a minute of so many changes.
    await sql`analyze`.execute(service.db);
    await compare(service, people);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Person {
  readonly size: number;
  readonly token: string;
  readonly openIds: string[];
}

async function settle(service: Service, mails: string[], size: number): Promise<Person> {
  const email = `bench-${newId()}@example.org`;
  await service.app.inject({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
  const code = /is (\d{6})/.exec(mails.find((mail) => mail.includes(email)) ?? '')?.[1];
  const { data } = (
    await service.app.inject({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code } })
  ).json();
  const openIds = await seed(service.db, data.user_id, size);
  return { size, token: data.session_token, openIds };
}

async function seed(db: Kysely<Database>, ownerId: string, size: number): Promise<string[]> {
  const now = new Date();
  const openIds: string[] = [];
  for (let start = 0; start < size; start += 500) {
    const rows = Array.from({ length: Math.min(500, size - start) }, (_, offset) => row(ownerId, start + offset, now));
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

function row(ownerId: string, index: number, now: Date) {
  const due = new Date(now.getTime() + (index + 1) * 60_000);
  return {
    ...{
      id: newId(),
      owner_id: ownerId,
      assigner_id: null,
      space_id: null,
      title: `Task ${index}`,
      notes: null,
      kind: 'todo',
    },
    ...{
      due_at: due,
      due_written: due.toISOString(),
      has_time: true,
      overdue_at: due,
      recurrence: null,
      series_first: null,
    },
    ...{
      occurrence_number: 1,
      occurrence_started_at: now,
      lead_time_days: null,
      mode: 'escalate',
      break_quiet_hours: false,
    },
    ...{
      status: 'open',
      accepted_by_owner: true,
      deferred_until: null,
      completed_at: null,
    },
    ...{
      skipped_at: null,
      closed_at: null,
      undo: null,
      run_started_at: now,
      step: 0,
      heads_up_at: null,
    },
    ...{ escalation_stage: 0, nudge_count: 0, last_nudge_at: null, next_fire_at: due },
    ...{
      list_rank: 0,
      list_key: due.getTime(),
      created_at: now,
      updated_at: now,
      changed_at: now,
    },
  };
}

type Call = (person: Person, round: number) => { method: 'GET' | 'POST'; url: string; payload?: object };

const CALLS: Readonly<Record<string, Call>> = {
  'list, limit 50': () => ({ method: 'GET', url: '/v1/tasks?limit=50' }),
  'list open, limit 50': () => ({ method: 'GET', url: '/v1/tasks?status=open&limit=50' }),
  detail: ({ openIds }, round) => ({ method: 'GET', url: `/v1/tasks/${openIds[round % openIds.length]}` }),
  create: (_person, round) => ({ method: 'POST', url: '/v1/tasks', payload: { title: `New ${round}` } }),
  complete: ({ openIds }, round) => ({ method: 'POST', url: `/v1/tasks/${openIds[round % openIds.length]}/complete` }),
  stats: () => ({ method: 'GET', url: '/v1/stats' }),
  'outcomes, limit 50': () => ({ method: 'GET', url: '/v1/outcomes?limit=50' }),
};

async function compare({ app }: Service, people: readonly Person[]): Promise<void> {
  console.log(`Median cost of a call in ms (${ROUNDS} rounds)`);
  console.log(`${'call'.padEnd(22)}${SIZES.map((size) => `${size} tasks`.padStart(15)).join('')}   ratio`);
  for (const [name, call] of Object.entries(CALLS)) {
    const times = people.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, person] of people.entries()) {
        const startedAt = performance.now();
        await app.inject({ ...call(person, round), headers: { authorization: `Bearer ${person.token}` } });
        times[index]?.push(performance.now() - startedAt);
      }
    }
    const medians = times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0);
    const [small = 1, large = 1] = medians;
    console.log(
      `${name.padEnd(22)}${medians.map((ms) => ms.toFixed(3).padStart(15)).join('')}   ${(large / small).toFixed(2)}`,
    );
  }
}
