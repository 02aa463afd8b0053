import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onlyOn } from '../support/engines.ts';
import { sized } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const TASKS = sized(800, 20_000);
const SCRIPT = join(import.meta.dirname, '../support/engine-process.ts');

/** Engine processes on one database. They append every push to one file instead of sending it. */
class Fleet implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  readonly #file = join(this.#folder, 'shown');
  readonly engines: ChildProcess[] = [];

  constructor() {
    writeFileSync(this.#file, '');
  }

  async start(count: number, databaseUrl: string): Promise<void> {
    const env = {
      ...COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      ROLE: 'engine',
      SECRET_KEY: 'a key for tests, long enough to be taken',
      SHOWN_FILE: this.#file,
    };
    for (let index = 0; index < count; index += 1) this.engines.push(fork(SCRIPT, { env }));
    await Promise.all(this.engines.map((engine) => once(engine, 'message')));
  }

  /** How often each task was shown. */
  shown(): Map<string, number> {
    const lines = readFileSync(this.#file, 'utf8').split('\n').filter(Boolean);
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.engines.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      running.map((engine) => {
        const exited = once(engine, 'exit');
        engine.kill('SIGKILL');
        return exited;
      }),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function countUnsent(db: Db): Promise<number> {
  const { tasks } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('tasks'))
    .where('nudge_count', '=', 0)
    .executeTakeFirstOrThrow();
  const { pending } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return tasks + pending;
}

onlyOn('postgres', () => {
  test('three engines nudge each of thousands of tasks once; after one is killed, only what it had leased may be repeated, once', async () => {
    const database = await createDatabase('postgres');
    {
      await using app = await startTestApp('postgres', { databaseUrl: database.url, settings: { ROLE: 'api' } });
      await using fleet = new Fleet();
      await fleet.start(3, database.url);
      const insert = () => insertDueTasks(app.db, { tasks: TASKS, owners: 500, dueAt: new Date(Date.now() - 1_000) });
      const allSent = () => waitUntil(async () => (await countUnsent(app.db)) === 0);
      await insert();
      await allSent();
      assert.equal(fleet.shown().size, TASKS);
      assert.deepEqual([...new Set(fleet.shown().values())], [1]);
      const { nudges } = await app.db
        .selectFrom('task_counts')
        .select((eb) => eb.fn.sum<number>('nudges_sent').as('nudges'))
        .executeTakeFirstOrThrow();
      assert.equal(Number(nudges), TASKS);

      await insert();
      await waitUntil(async () => fleet.shown().size > 1.2 * TASKS);
      fleet.engines[0]?.kill('SIGKILL');
      await allSent();
      const shown = fleet.shown();
      assert.equal(shown.size, 2 * TASKS);
      const repeated = [...shown.values()].filter((times) => times > 1);
      assert.ok(
        repeated.every((times) => times === 2),
        'a delivery was repeated more than once',
      );
      assert.ok(repeated.length <= 300, `${repeated.length} repeats are more than one engine can have in flight`);
      const steps = await app.db.selectFrom('tasks').select('nudge_count').distinct().execute();
      assert.deepEqual(steps, [{ nudge_count: 1 }]);
    }
    await database.drop();
  });
});
