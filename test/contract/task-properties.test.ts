import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { SyncClient } from '../support/sync-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const RUNS = sized(5, 25);

type Step =
  | { readonly do: 'create'; readonly hours: number | null; readonly rule: object | null; readonly hasTime: boolean }
  | {
      readonly do: 'complete' | 'skip' | 'drop' | 'reopen';
      readonly task: number;
      readonly times: number;
      readonly bound: boolean;
    }
  | { readonly do: 'snooze' | 'redate'; readonly task: number; readonly hours: number }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'zone'; readonly zone: string }
  | { readonly do: 'sync' };

const hours = fc.integer({ min: -72, max: 72 });
const index = fc.nat({ max: 9 });
const rule = fc.constantFrom(
  null,
  { freq: 'daily' },
  { freq: 'weekly', by_weekday: ['mo', 'th'] },
  { freq: 'daily', count: 2 },
  { frequency: 'days', every: 2 },
  {
    freq: 'daily',
    interval: 2,
    from: 'completion',
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('create' as const), hours: fc.option(hours), rule, hasTime: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('complete' as const, 'skip' as const, 'drop' as const, 'reopen' as const),
      task: index,
      times: fc.integer({ min: 1, max: 3 }),
      bound: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('snooze' as const, 'redate' as const), task: index, hours }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(0, 1, 30, 600, 3_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('zone' as const),
      zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/New_York'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const) }) },
);

/** Runs random steps as one user, and checks what the service must have stored. */
class RandomUse {
  readonly #app: TestApp;
  readonly #person: Person;
  readonly #client: SyncClient;
  readonly #ids: string[] = [];
  /** Expected outcomes per task: closing pushes one, reopening pops it. */
  readonly #outcomes = new Map<string, string[]>();

  constructor(app: TestApp, person: Person) {
    this.#app = app;
    this.#person = person;
    this.#client = new SyncClient(person);
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'create':
        return this.#create(step);
      case 'wait':
        return this.#app.clock.advance(`${step.minutes}m`);
      case 'zone':
        await this.#person.ask('PATCH', '/v1/me', { timezone: step.zone });
        return;
      case 'sync':
        return this.#client.sync();
      case 'snooze':
        return this.#post(step.task, 'snooze', { until: this.#at(step.hours) });
      case 'redate':
        return this.#redate(step.task, step.hours);
      default:
        for (let tap = 0; tap < step.times; tap += 1) await this.#close(step);
    }
  }

  async #create({ hours: offset, rule: recurrence, hasTime }: Extract<Step, { do: 'create' }>): Promise<void> {
    const due_at = offset === null ? null : this.#at(offset);
    const { body } = await this.#person.ask('POST', '/v1/tasks', { title: 't', due_at, has_time: hasTime, recurrence });
    this.#ids.push(body.data.id);
  }

  async #redate(task: number, offset: number): Promise<void> {
    const id = this.#ids.at(task);
    if (id) await this.#person.ask('PATCH', `/v1/tasks/${id}`, { due_at: this.#at(offset) });
  }

  async #post(task: number, action: string, body: object): Promise<void> {
    const id = this.#ids.at(task);
    if (id) await this.#person.ask('POST', `/v1/tasks/${id}/${action}`, body);
  }

  async #close({
    do: action,
    task,
    bound,
  }: Extract<Step, { do: 'complete' | 'skip' | 'drop' | 'reopen' }>): Promise<void> {
    const id = this.#ids.at(task);
    if (!id) return;
    const read = async () => (await this.#person.ask('GET', `/v1/tasks/${id}`)).body.data;
    const before = await read();
    const body = bound ? { occurrence_due_at: before.due_at } : {};
    const { status } = await this.#person.ask(
      'POST',
      `/v1/tasks/${id}/${action}`,
      action === 'complete' || action === 'skip' ? body : {},
    );
    const now = await read();
    const changed = JSON.stringify(before) !== JSON.stringify(now);
    assert.ok(status === 200 || !changed, 'a refused action changed the task');
    if (!changed) return;
    const stack = this.#outcomes.get(id) ?? [];
    if (action === 'complete') stack.push('done');
    if (action === 'skip') stack.push('skipped');
    if (action === 'reopen' && before.status !== 'dropped') stack.pop();
    this.#outcomes.set(id, stack);
  }

  async check(): Promise<void> {
    // Due nudges are sent first, because a nudge between two reads would make them differ.
    await this.#app.engine?.settled();
    const { db } = this.#app;
    const { userId } = this.#person;
    const tasks = await db.selectFrom('tasks').selectAll().where('owner_id', '=', userId).execute();
    const outcomes = await db.selectFrom('outcomes').selectAll().where('owner_id', '=', userId).execute();
    const counted = (name: string) => outcomes.filter(({ outcome }) => outcome === name).length;
    for (const task of tasks) {
      if (task.status !== 'open') assert.equal(task.next_fire_at, null, 'a closed task would be nudged');
      if (task.status === 'open' && task.due_at && task.mode === 'escalate')
        assert.ok(task.next_fire_at, 'a dated task has no next nudge');
      const recorded = outcomes.filter(({ task_id }) => task_id === task.id).map(({ outcome }) => outcome);
      assert.deepEqual(
        recorded.sort(),
        (this.#outcomes.get(task.id) ?? []).toSorted(),
        'one outcome per closed occurrence',
      );
    }
    const now = this.#app.clock.now();
    const open = tasks.filter(({ status }) => status === 'open');
    const done = outcomes.filter(({ outcome }) => outcome === 'done');
    const { data } = (await this.#person.ask('GET', '/v1/stats')).body;
    assert.deepEqual(
      [data.open, data.done, data.skipped, data.overdue, data.snoozed],
      [
        open.length,
        counted('done'),
        counted('skipped'),
        open.filter(({ overdue_at }) => overdue_at && overdue_at <= now).length,
        open.filter(({ deferred_until }) => deferred_until && deferred_until > now).length,
      ],
    );
    const seconds = done.reduce((sum, { seconds_taken }) => sum + seconds_taken, 0);
    assert.equal(data.avg_hours_to_complete, done.length === 0 ? null : seconds / done.length / 3_600);
    await this.#client.sync();
    await this.#client.assertUpToDate();
  }

  #at(offset: number): string {
    return new Date(this.#app.clock.now().getTime() + offset * 3_600_000).toISOString();
  }
}

onEveryEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  test('after any sequence of actions: one outcome per occurrence, correct statistics, no nudge for closed tasks, sync equals a full read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
        await app.clock.advance('1h');
        const person = await createPerson(app);
        const use = new RandomUse(app, person);
        for (const one of steps) await use.run(one);
        await use.check();
        // Open tasks would be nudged during all later runs.
        await person.ask('DELETE', '/v1/me');
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});
