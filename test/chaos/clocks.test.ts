/** Machines whose clocks differ, on one PostgreSQL. */
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/schema.ts';
import { notifyEngines } from '../../src/db/wake-ups.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { countUnsent, EngineFleet, SHIFTED_CLOCK } from '../support/engine-fleet.ts';
import { createDatabase, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openSession } from '../support/people.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { sized, testInFull } from '../support/size.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const DUE_TASKS = sized(120, 2_000);
const OWNERS = 20;
/** What the API creates: half of it due soon, the other half snoozed until then. Creating it takes seconds on a busy machine. */
const CREATED_TASKS = 10;
const SOON_MS = 10_000;
/** Longer than any answer of the database on a busy machine, and shorter than the engine ahead would be early. */
const EARLY_MS = 1_500;

const ENGINE_SHIFTS_MS = [-5_000, 5_000];
const API_SHIFT_MS = 600_000;

/** An owner with a phone, a chat and a session at the API. */
interface Owner {
  readonly id: string;
  ask(path: string, body?: object): Promise<{ readonly id: string }>;
}

async function insertOwners(app: TestApp, api: ServiceProcess): Promise<Owner[]> {
  // Due by the clock of every engine.
  const dueAt = new Date(app.clock.now().getTime() - 60_000);
  const ids = await insertDueTasks(app.db, { tasks: DUE_TASKS, owners: OWNERS, dueAt });
  const chats = ids.map((user_id) => channelRow(app.clock.now(), { user_id, provider: 'telegram' }));
  await app.db.insertInto('channels').values(chats).execute();
  return Promise.all(
    ids.map(async (id) => {
      const authorization = `Bearer ${await openSession(app, id)}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const ask = async (path: string, body: object = {}) => {
        const url = `${api.baseUrl}/v1/tasks${path}`;
        const send = () => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        let response = await send();
        // A busy machine may refuse some of a hundred requests at once, and asks to try again.
        while (response.status === 503) response = await send();
        assert.equal(response.status, 200, await response.clone().text());
        return ((await response.json()) as { data: { id: string } }).data;
      };
      return { id, ask };
    }),
  );
}

/** Returns the ids of the tasks. */
async function createTasks({ ask }: Owner, soon: Date): Promise<string[]> {
  const at = soon.toISOString();
  const ids: string[] = [];
  for (let index = 0; index < CREATED_TASKS / 2; index += 1) {
    const due = await ask('', { title: 'due', due_at: at, has_time: true });
    const snoozed = await ask('', { title: 'snoozed' });
    await ask(`/${snoozed.id}/snooze`, { until: at });
    ids.push(due.id, snoozed.id);
  }
  return ids;
}

async function completeAll(db: Db, owners: readonly Owner[]): Promise<void> {
  for (const { id, ask } of owners) {
    const tasks = await db.selectFrom('tasks').select('id').where('owner_id', '=', id).execute();
    await Promise.all(tasks.map((task) => ask(`/${task.id}/complete`)));
  }
}

onlyOn('postgres', () => {
  testInFull(
    'engines ten seconds apart and an API ten minutes ahead lose nothing, repeat nothing and are not early',
    async () => {
      const database = await createDatabase('postgres');
      {
        const clock = new FakeClock(new Date().toISOString());
        await using app = await startTestApp('postgres', {
          databaseUrl: database.url,
          settings: { ROLE: 'api' },
          clock,
        });
        await using fleet = new EngineFleet();
        const starting = startService(
          {
            DATABASE_URL: database.url,
            ROLE: 'api',
            SECRET_KEY: 'a key for tests, long enough to be taken',
            CLOCK_SHIFT_MS: `${API_SHIFT_MS}`,
          },
          { nodeFlags: SHIFTED_CLOCK },
        );
        await fleet.start({ databaseUrl: database.url, shiftsMs: ENGINE_SHIFTS_MS, sendMs: 1_000 });
        await using api = await starting;
        // Engines that look at the outbox all the time see each other's leases.
        const allSent = () =>
          waitUntil(async () => {
            await notifyEngines(app.db);
            return (await countUnsent(app.db)) === 0;
          });

        const owners = await insertOwners(app, api);
        const soon = new Date(Date.now() + SOON_MS);
        const created = new Set(await createTasks(owners[0] as Owner, soon));
        await allSent();
        const wanted = DUE_TASKS + CREATED_TASKS;
        for (const kind of ['nudge', 'channel_nudge'] as const) {
          const counts = fleet.countByTask(kind);
          assert.equal(counts.size, wanted, kind);
          assert.deepEqual(new Set(counts.values()), new Set([1]), kind);
          const early = fleet
            .pushes(kind)
            .filter(({ taskId, at }) => created.has(taskId) && at < soon.getTime() - EARLY_MS);
          assert.deepEqual(early, []);
        }

        await completeAll(app.db, owners);
        await allSent();
        const takenBack = fleet.pushes('channel_retract').flatMap(({ refs }) => refs);
        assert.equal(takenBack.length, wanted);
        assert.equal(new Set(takenBack).size, wanted);
        assert.match(api.stdout, /this machine's clock differs from that of the database/);
      }
      await database.drop();
    },
  );
});
