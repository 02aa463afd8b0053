/**
 * Databases that older releases made: 0.1.0 is commit d211fce, 0.2.0 is e7ad6b1. Each was filled through the API of its
 * release, on a clock that stood at `now`, and kept with what that API then answered.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { AnyPush, Gateway } from '../../src/push/gateway.ts';
import { createDatabase, type EngineName, onEveryEngine, runOn, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Person, personWith } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

interface Stored {
  readonly now: string;
  readonly people: readonly { email: string; id: string; token: string; settings: object; stats: object }[];
  readonly tasks: Readonly<Record<string, { owner: string; task: Record<string, unknown> }>>;
}

const read = (name: string): Buffer => gunzipSync(readFileSync(join(import.meta.dirname, '../stored', name)));

async function restore(engine: EngineName, release: string): Promise<TestDatabase> {
  const database = await createDatabase(engine, 'template0');
  const content = read(`${release}.${engine}.gz`);
  if (engine === 'sqlite') writeFileSync(database.url.replace('sqlite:', ''), content);
  else await runOn(database.url, content.toString('utf8'));
  return database;
}

const HOURS = 24;

interface Fired {
  readonly taskId: unknown;
  readonly at: string;
  readonly stage: number;
}

/** A phone that takes everything, and remembers what came first for each task. */
class Phone {
  readonly first = new Map<unknown, Fired>();
  readonly gateway: Gateway;

  constructor(clock: FakeClock) {
    this.gateway = {
      send: async (push: AnyPush) => {
        if (push.kind !== 'nudge') return { kind: 'accepted' };
        const { id: taskId } = push.task;
        const fired = { taskId, at: clock.now().toISOString(), stage: push.stage };
        this.first.set(taskId, this.first.get(taskId) ?? fired);
        return { kind: 'accepted' };
      },
      capacity: () => 1_000,
      close: async () => undefined,
    };
  }
}

const dayOf = (at: unknown) => new Date(String(at)).toLocaleDateString('en-CA', { timeZone: 'Europe/Berlin' });

/** What a task still says after the upgrade. Its plan may differ, and 0.1.0 told the day of a task without a time by another hour. */
function keptOf({ next_fire_at: _plan, updated_at: _updated, due_at, ...kept }: Record<string, unknown>) {
  return { ...kept, due_at: kept.has_time || due_at === null ? due_at : dayOf(due_at) };
}

/** Throws unless the task is there with its fields and planned as it is forecast. Returns its next nudge. */
async function checkTask(owner: Person, task: Record<string, unknown>): Promise<Fired[]> {
  const { data } = (await owner.ask('GET', `/v1/tasks/${task.id}`)).body;
  assert.deepEqual(keptOf(data), { ...keptOf(data), ...keptOf(task) });
  const [next] = (await owner.ask('GET', `/v1/tasks/${task.id}/forecast`)).body.data;
  const planned = data.status === 'open' ? data.next_fire_at : null;
  assert.equal(next?.at ?? null, planned, `${task.title}: planned and forecast`);
  return next ? [{ taskId: task.id, at: next.at, stage: next.stage }] : [];
}

onEveryEngine((engine) => {
  for (const release of ['0.1.0', '0.2.0']) {
    test(`a database of ${release} is upgraded with all of its tasks, and what is forecast then fires`, async () => {
      await using closing = new AsyncDisposableStack();
      const stored: Stored = JSON.parse(read(`${release}.${engine}.json.gz`).toString('utf8'));
      const database = closing.adopt(await restore(engine, release), ({ drop }) => drop());
      const clock = new FakeClock(stored.now);
      const { gateway, first } = new Phone(clock);
      let mayRun = false;
      const followUps = { rows: 100, mayRun: () => mayRun };
      const extra = { gateways: { apns: gateway, ntfy: gateway, email: gateway }, followUps };
      const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url, extra }));
      assert.equal(app.log.find(({ msg }) => msg === 'the database was upgraded')?.from, release);

      const people = stored.people.map(({ email, id, token }) => personWith(app, email, id, token));
      for (const [index, { settings }] of stored.people.entries()) {
        const { data } = (await people[index]?.ask('GET', '/v1/me'))?.body ?? {};
        assert.deepEqual(data, { ...data, ...settings });
      }
      const forecast: Fired[] = [];
      for (const { owner, task } of Object.values(stored.tasks)) {
        const person = people.find(({ email }) => email === owner);
        assert.ok(person);
        forecast.push(...(await checkTask(person, task)));
      }
      const until = new Date(clock.now().getTime() + HOURS * 3_600_000).toISOString();
      // Bob has no phone.
      const expected = forecast.filter(
        ({ at, taskId }) => at <= until && taskId !== stored.tasks['accepted by bob']?.task.id,
      );
      assert.ok(expected.length >= 4);
      mayRun = true;
      app.engine?.wakeUp();
      await clock.advance(`${HOURS}h`);
      assert.deepEqual(
        expected,
        expected.map(({ taskId }) => first.get(taskId)),
      );
    });
  }
});
