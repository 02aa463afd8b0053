/** Random actions and settings of one person, on a service whose follow-ups lag behind and which is restarted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { releaseFrom } from '../../src/escalation/holds.ts';
import { deriveFields } from '../../src/tasks/plan-task.ts';
import { findOwner } from '../../src/tasks/tasks.store.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, type Person, personWith } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { countFollowUps, countStale, type SlicedApp, startSlicedApp } from '../support/slices.ts';
import { SyncClient } from '../support/sync-client.ts';

/** A run takes several times as long on PostgreSQL. */
const RUNS = { sqlite: sized(3, 40), postgres: sized(2, 40) };
/** The longest day, when the clock is set back. */
const DAY_MS = 25 * 3_600_000;

const is = <const T extends string>(...names: T[]) => fc.constantFrom(...names);
/** One of the tasks that there are. */
const task = fc.nat({ max: 5 });
const hours = fc.integer({ min: -72, max: 72 });
const time = is('07:00', '09:30', '22:00', '23:30');
const rule = fc.constantFrom(
  null,
  { freq: 'daily' },
  { freq: 'weekly', by_weekday: ['mo', 'th'] },
  { freq: 'daily', count: 2 },
  { frequency: 'days', every: 2 },
  { freq: 'daily', interval: 2, from: 'completion' },
);
const settings = fc.oneof(
  fc.record({ timezone: is('UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Auckland') }),
  fc.record({ day_start: time }),
  fc.record({ quiet_hours_start: fc.option(time), quiet_hours_end: fc.option(time) }),
);
const create = {
  do: is('create'),
  hours: fc.option(hours, { freq: 6 }),
  rule,
  hasTime: fc.boolean(),
  mustNotMiss: fc.boolean(),
};
const close = {
  do: is('complete', 'skip', 'drop', 'reopen'),
  task,
  times: fc.integer({ min: 1, max: 3 }),
  isBound: fc.boolean(),
};
const planned = fc.constantFrom([1, 5] as const, [4, 40] as const, [22, 24] as const);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record(create) },
  { weight: 14, arbitrary: fc.record(close) },
  { weight: 2, arbitrary: fc.record({ do: is('snooze', 'redate'), task, hours }) },
  { weight: 4, arbitrary: fc.record({ do: is('settings'), changes: settings }) },
  { weight: 2, arbitrary: fc.record({ do: is('pause'), hours: fc.constantFrom(1, 20), keep: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: is('plan'), hours: planned, keep: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: is('wait'), minutes: fc.constantFrom(1, 30, 300, 1_500) }) },
  { weight: 4, arbitrary: fc.record({ do: is('slices'), count: fc.constantFrom(1, 1, 3) }) },
  { weight: 1, arbitrary: fc.record({ do: is('resume', 'cancel') }) },
  { weight: 3, arbitrary: fc.record({ do: is('sync') }) },
  { weight: 1, arbitrary: fc.record({ do: is('crash') }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type Closing = Extract<Step, { times: number }>;

interface Answered {
  readonly id: string;
  readonly status: string;
  readonly due_at: string | null;
  readonly next_fire_at: string | null;
}

class RandomUse {
  readonly #restart: () => Promise<SlicedApp>;
  readonly #person: Person;
  readonly #client: SyncClient;
  readonly #ids: string[] = [];
  /** Expected outcomes per task: closing pushes one, reopening pops it. */
  readonly #outcomes = new Map<string, string[]>();
  #sliced: SlicedApp;

  constructor(sliced: SlicedApp, { userId, email, sessionToken }: Person, restart: () => Promise<SlicedApp>) {
    this.#sliced = sliced;
    this.#restart = restart;
    const ask: Person['ask'] = (...request) =>
      personWith(this.#sliced.app, email, userId, sessionToken).ask(...request);
    this.#person = { userId, email, sessionToken, ask };
    this.#client = new SyncClient(this.#person);
  }

  get #app() {
    return this.#sliced.app;
  }

  #at(offset: number): string {
    return new Date(this.#app.clock.now().getTime() + offset * 3_600_000).toISOString();
  }

  async #ask(...request: Parameters<Person['ask']>) {
    const { status, body } = await this.#person.ask(...request);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }

  async run(one: Step): Promise<void> {
    const id = 'task' in one ? this.#ids[one.task % this.#ids.length] : undefined;
    switch (one.do) {
      case 'create':
        await this.#create(one);
        break;
      case 'snooze':
        if (id) await this.#person.ask('POST', `/v1/tasks/${id}/snooze`, { until: this.#at(one.hours) });
        break;
      case 'redate':
        if (id) await this.#person.ask('PATCH', `/v1/tasks/${id}`, { due_at: this.#at(one.hours) });
        break;
      case 'settings':
        await this.#ask('PATCH', '/v1/me', one.changes);
        break;
      case 'pause':
        await this.#ask('POST', '/v1/me/pause', { until: this.#at(one.hours), keep_must_not_miss: one.keep });
        break;
      case 'plan': {
        const [from, until] = one.hours.map((offset) => this.#at(offset));
        await this.#ask('PUT', '/v1/me/pause/planned', { from, until, keep_must_not_miss: one.keep });
        break;
      }
      case 'resume':
        await this.#person.ask('DELETE', '/v1/me/pause');
        break;
      case 'cancel':
        await this.#person.ask('DELETE', '/v1/me/pause/planned');
        break;
      case 'wait':
        await this.#app.clock.advance(`${one.minutes}m`);
        break;
      case 'slices':
        await this.#sliced.runSlices(one.count);
        break;
      case 'sync':
        await this.#client.sync();
        break;
      case 'crash':
        await this.#app[Symbol.asyncDispose]();
        this.#sliced = await this.#restart();
        break;
      default:
        for (let tap = 0; id && tap < one.times; tap += 1) await this.#close(id, one);
    }
    // Due nudges are sent first, because a nudge between two reads would make them differ.
    await this.#app.engine?.settled();
    await this.#check();
  }

  async #create({ hours: offset, rule: recurrence, hasTime, mustNotMiss }: Extract<Step, { do: 'create' }>) {
    const due_at = offset === null ? null : this.#at(offset);
    const fields = { due_at, has_time: hasTime, break_quiet_hours: mustNotMiss, lead_time_days: 0, recurrence };
    this.#ids.push((await this.#ask('POST', '/v1/tasks', { title: 'pills', ...fields })).id);
  }

  async #close(id: string, { do: action, isBound }: Closing): Promise<void> {
    await this.#app.engine?.settled();
    const before = await this.#ask('GET', `/v1/tasks/${id}`);
    const body = isBound && (action === 'complete' || action === 'skip') ? { occurrence_due_at: before.due_at } : {};
    const { status } = await this.#person.ask('POST', `/v1/tasks/${id}/${action}`, body);
    const isChanged = JSON.stringify(await this.#ask('GET', `/v1/tasks/${id}`)) !== JSON.stringify(before);
    assert.ok(status === 200 || !isChanged, 'a refused action changed the task');
    if (!isChanged) return;
    const stack = this.#outcomes.get(id) ?? [];
    if (action === 'complete') stack.push('done');
    if (action === 'skip') stack.push('skipped');
    if (action === 'reopen' && before.status !== 'dropped') stack.pop();
    this.#outcomes.set(id, stack);
  }

  /** Every answer shows each task as planning it now, by the present settings, would. */
  async #check(): Promise<void> {
    const { db, clock } = this.#app;
    const { userId } = this.#person;
    const owner = await findOwner(db, userId);
    assert.ok(owner);
    const rows = await db.selectFrom('tasks').selectAll().where('owner_id', '=', userId).execute();
    const truth = new Map(rows.map((row) => [row.id, deriveFields(row, owner, clock.now())]));
    const list: Answered[] = await this.#ask('GET', '/v1/tasks');
    const synced: Answered[] = (await this.#ask('GET', '/v1/sync')).tasks;
    const last = this.#ids.at(-1);
    const one: Answered[] = last ? [await this.#ask('GET', `/v1/tasks/${last}`)] : [];
    assert.deepEqual([list.length, synced.length], [rows.length, rows.length]);
    for (const { id, status, due_at, next_fire_at } of [...list, ...synced, ...one]) {
      const planned = truth.get(id);
      if (status !== 'open') assert.equal(next_fire_at, null, 'a closed task would be nudged');
      else
        assert.deepEqual(
          [next_fire_at, due_at],
          [planned?.next_fire_at?.toISOString() ?? null, planned?.due_at?.toISOString() ?? null],
        );
    }
    const isPast = (moment: Date | null | undefined) =>
      (moment ?? null) !== null && Number(moment) <= Number(clock.now());
    const open = rows.filter(({ status }) => status === 'open');
    const overdue = open.filter(({ id }) => isPast(truth.get(id)?.overdue_at));
    const snoozed = open.filter(({ deferred_until }) => deferred_until && !isPast(deferred_until));
    const idsOf = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id).toSorted();
    assert.deepEqual(idsOf(await this.#ask('GET', '/v1/tasks?status=overdue')), idsOf(overdue));
    await this.#checkOutcomes({ open: open.length, overdue: overdue.length, snoozed: snoozed.length });
  }

  async #checkOutcomes(counts: { open: number; overdue: number; snoozed: number }): Promise<void> {
    const { userId } = this.#person;
    const stored = await this.#app.db.selectFrom('outcomes').selectAll().where('owner_id', '=', userId).execute();
    for (const id of this.#ids) {
      const recorded = stored.filter(({ task_id }) => task_id === id).map(({ outcome }) => outcome);
      const expected = this.#outcomes.get(id) ?? [];
      assert.deepEqual(recorded.toSorted(), expected.toSorted(), 'one outcome per closed occurrence');
    }
    const done = stored.filter(({ outcome }) => outcome === 'done');
    const seconds = done.reduce((sum, { seconds_taken }) => sum + seconds_taken, 0);
    const { open, overdue, snoozed, ...answered } = await this.#ask('GET', '/v1/stats');
    assert.deepEqual({ open, overdue, snoozed }, counts);
    assert.deepEqual(
      [answered.done, answered.skipped, answered.avg_hours_to_complete],
      [done.length, stored.length - done.length, done.length === 0 ? null : seconds / done.length / 3_600],
    );
  }

  /** What should have held a nudge that is sent now. */
  async findHold(taskId: string, stage: number): Promise<string[]> {
    const { db, clock } = this.#app;
    const now = clock.now();
    const owner = await findOwner(db, this.#person.userId);
    const row = await db.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirst();
    if (!owner || !row) return ['a nudge of a task that is gone'];
    const { overdue_at } = deriveFields(row, owner, now);
    const isEarly = stage >= 0 && row.has_time && row.due_at !== null && row.due_at > now;
    const isEarlyDay =
      stage >= 0 && !row.has_time && overdue_at !== null && overdue_at.getTime() - now.getTime() > DAY_MS;
    const { holds } = releaseFrom(now, row.break_quiet_hours, owner);
    return [...holds, ...(isEarly || isEarlyDay ? ['not due yet'] : [])];
  }

  async finish(): Promise<void> {
    await this.#sliced.runSlices();
    const { db } = this.#app;
    assert.deepEqual([await countStale(db, this.#person.userId), await countFollowUps(db)], [0, 0]);
    await this.#check();
    await this.#client.sync();
    await this.#client.assertUpToDate();
  }

  async close(): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
  }
}

onEveryEngine((engine) => {
  test('after any actions and settings, wherever a slice or a crash falls: answers are true, one outcome per occurrence, correct statistics, no nudge of a closed task or in a hold, sync equals a full read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 45, size: 'max' }), async (steps) => {
        const database = await createDatabase(engine);
        const clock = new FakeClock();
        const phone = new FakePhones(clock);
        const start = () => startSlicedApp(engine, { databaseUrl: database.url, clock, phone });
        const sliced = await start();
        const ada = await createPerson(sliced.app);
        await addDevice(sliced.app, ada.userId);
        const use = new RandomUse(sliced, ada, start);
        const early: string[] = [];
        phone.answer = async (push) => {
          if (push.kind === 'nudge') early.push(...(await use.findHold(push.task.id, push.stage)));
          return { kind: 'accepted' };
        };
        try {
          for (const one of steps) await use.run(one);
          await use.finish();
          assert.deepEqual(early, []);
        } finally {
          await use.close();
          await database.drop();
        }
      }),
      { numRuns: RUNS[engine], endOnFailure: true },
    );
  });
});
