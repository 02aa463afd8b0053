/** Work that grows with an account runs in slices, and nobody can tell except by how little it delays others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { findUser } from '../../src/accounts/users.store.ts';
import { listPeople } from '../../src/admin/people.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { transact } from '../../src/db/transact.ts';
import { releaseFrom } from '../../src/escalation/holds.ts';
import { deriveFields } from '../../src/tasks/plan-task.ts';
import { findOwner } from '../../src/tasks/tasks.store.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, type Person, personWith } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { ROWS, type SlicedApp, startSlicedApp } from '../support/slices.ts';
import { SyncClient } from '../support/sync-client.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNS = sized(2, 40);
/** The longest day, when the clock is set back. */
const DAY_MS = 25 * 3_600_000;

async function create(person: Person, fields: object = {}): Promise<string> {
  const { status, body } = await person.ask('POST', '/v1/tasks', { title: 'pills', ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

async function createMany(person: Person, count: number, fields: object = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await create(person, fields));
  return ids;
}

const countStale = async (db: Db, ownerId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tasks join users on users.id = tasks.owner_id
    where owner_id = ${ownerId} and status = 'open' and tasks.plan_version <> users.plan_version`.execute(db);
  return Number(rows[0]?.count);
};

const countFollowUps = async (db: Db) => (await db.selectFrom('follow_ups').select('id').execute()).length;

async function join(space: string, inviter: Person, joiner: Person): Promise<void> {
  const { token } = (await inviter.ask('POST', `/v1/spaces/${space}/invites`, {})).body.data;
  assert.equal((await joiner.ask('POST', `/v1/invites/${token}/accept`)).status, 200);
}

async function createSpace(owner: Person, ...members: readonly Person[]): Promise<string> {
  const { id } = (await owner.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
  for (const member of members) await join(id, owner, member);
  return id;
}

/** Every table that still contains the account's id in any column. */
async function tablesNaming(db: Db, id: string): Promise<string[]> {
  const naming: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(rows).includes(id)) naming.push(name);
  }
  return naming;
}

type Step =
  | { readonly do: 'create'; readonly hours: number | null; readonly hasTime: boolean; readonly mustNotMiss: boolean }
  | { readonly do: 'snooze' | 'redate' | 'complete' | 'reopen'; readonly task: number; readonly hours: number }
  | { readonly do: 'settings'; readonly changes: object }
  | { readonly do: 'pause'; readonly hours: number; readonly keep: boolean }
  | { readonly do: 'plan'; readonly hours: readonly [number, number]; readonly keep: boolean }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'slices'; readonly count: number }
  | { readonly do: 'resume' | 'cancel' | 'sync' | 'crash' };

const hours = fc.integer({ min: -30, max: 30 });
const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Auckland');
const time = fc.constantFrom('07:00', '09:30', '22:00', '23:30');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      hours: fc.option(hours, { freq: 6 }),
      hasTime: fc.boolean(),
      mustNotMiss: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('snooze' as const, 'redate' as const, 'complete' as const, 'reopen' as const),
      task: fc.nat({ max: 9 }),
      hours,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settings' as const),
      changes: fc.oneof(
        fc.record({ timezone: zone }),
        fc.record({ day_start: time }),
        fc.record({ quiet_hours_start: fc.option(time), quiet_hours_end: fc.option(time) }),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pause' as const), hours: fc.constantFrom(1, 20), keep: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('plan' as const),
      hours: fc.constantFrom([1, 5] as const, [4, 40] as const, [22, 24] as const),
      keep: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 30, 300, 1_500) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('slices' as const), count: fc.constantFrom(1, 1, 3) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('resume' as const, 'cancel' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sync' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
);

/** One user with random settings and tasks, on a service whose follow-ups lag behind and which is restarted. */
class RandomSettings {
  readonly #restart: () => Promise<SlicedApp>;
  readonly #userId: string;
  readonly #person: Person;
  readonly #client: SyncClient;
  readonly #ids: string[] = [];
  #sliced: SlicedApp;

  constructor(sliced: SlicedApp, { userId, email, sessionToken }: Person, restart: () => Promise<SlicedApp>) {
    this.#sliced = sliced;
    this.#restart = restart;
    this.#userId = userId;
    const ask: Person['ask'] = (...request) =>
      personWith(this.#sliced.app, email, userId, sessionToken).ask(...request);
    this.#person = { userId, email, sessionToken, ask };
    this.#client = new SyncClient(this.#person);
  }

  get #app() {
    return this.#sliced.app;
  }

  async run(step: Step): Promise<void> {
    const { clock } = this.#app;
    const at = (offset: number) => new Date(clock.now().getTime() + offset * 3_600_000).toISOString();
    const id = 'task' in step ? this.#ids.at(step.task) : undefined;
    switch (step.do) {
      case 'create': {
        const { hasTime: has_time, mustNotMiss: break_quiet_hours } = step;
        const due_at = step.hours === null ? null : at(step.hours);
        this.#ids.push(await create(this.#person, { due_at, has_time, break_quiet_hours, lead_time_days: 0 }));
        break;
      }
      case 'snooze':
        if (id) await this.#person.ask('POST', `/v1/tasks/${id}/snooze`, { until: at(step.hours) });
        break;
      case 'redate':
        if (id) await this.#person.ask('PATCH', `/v1/tasks/${id}`, { due_at: at(step.hours) });
        break;
      case 'complete':
      case 'reopen':
        if (id) await this.#person.ask('POST', `/v1/tasks/${id}/${step.do}`);
        break;
      case 'settings':
        assert.equal((await this.#person.ask('PATCH', '/v1/me', step.changes)).status, 200);
        break;
      case 'pause': {
        const body = { until: at(step.hours), keep_must_not_miss: step.keep };
        assert.equal((await this.#person.ask('POST', '/v1/me/pause', body)).status, 200);
        break;
      }
      case 'plan': {
        const body = { from: at(step.hours[0]), until: at(step.hours[1]), keep_must_not_miss: step.keep };
        assert.equal((await this.#person.ask('PUT', '/v1/me/pause/planned', body)).status, 200);
        break;
      }
      case 'resume':
        await this.#person.ask('DELETE', '/v1/me/pause');
        break;
      case 'cancel':
        await this.#person.ask('DELETE', '/v1/me/pause/planned');
        break;
      case 'wait':
        await clock.advance(`${step.minutes}m`);
        break;
      case 'slices':
        await this.#sliced.runSlices(step.count);
        break;
      case 'sync':
        await this.#client.sync();
        break;
      default:
        await this.#app[Symbol.asyncDispose]();
        this.#sliced = await this.#restart();
    }
    await this.#app.engine?.settled();
    await this.#checkAnswers();
  }

  /** Every answer shows each open task as planning it now, by the present settings, would. */
  async #checkAnswers(): Promise<void> {
    const { db, clock } = this.#app;
    const owner = await findOwner(db, this.#userId);
    assert.ok(owner);
    const rows = await db.selectFrom('tasks').selectAll().where('owner_id', '=', this.#userId).execute();
    const truth = new Map(rows.map((row) => [row.id, deriveFields(row, owner, clock.now())]));
    const list = (await this.#person.ask('GET', '/v1/tasks')).body.data;
    const synced = (await this.#person.ask('GET', '/v1/sync')).body.data.tasks;
    const [last] = this.#ids.slice(-1);
    const one = last ? [(await this.#person.ask('GET', `/v1/tasks/${last}`)).body.data] : [];
    assert.deepEqual([list.length, synced.length], [rows.length, rows.length]);
    const isOpen = ({ status }: { status: string }) => status === 'open';
    const isOverdue = ({ id }: { id: string }) => {
      const overdueAt = truth.get(id)?.overdue_at ?? null;
      return overdueAt !== null && overdueAt <= clock.now();
    };
    const expected = list.filter((task: { id: string; status: string }) => isOpen(task) && isOverdue(task));
    const idsOf = (tasks: { id: string }[]) => tasks.map(({ id }) => id).sort();
    const overdue = (await this.#person.ask('GET', '/v1/tasks?status=overdue')).body.data;
    assert.deepEqual(idsOf(overdue), idsOf(expected));
    assert.equal((await this.#person.ask('GET', '/v1/stats')).body.data.overdue, expected.length);
    for (const task of [...list, ...synced, ...one].filter(isOpen)) {
      const { next_fire_at, due_at } = truth.get(task.id) ?? {};
      assert.deepEqual(
        [task.next_fire_at, task.due_at],
        [next_fire_at?.toISOString() ?? null, due_at?.toISOString() ?? null],
      );
    }
  }

  /** What should have held a nudge that is sent now. */
  async findHold(taskId: string, stage: number): Promise<string[]> {
    const { db, clock } = this.#app;
    const now = clock.now();
    const owner = await findOwner(db, this.#userId);
    const task = await db.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirst();
    if (!owner || !task) return ['a nudge of a task that is gone'];
    const { overdue_at } = deriveFields(task, owner, now);
    const isEarly = stage >= 0 && task.has_time && task.due_at !== null && task.due_at > now;
    const isEarlyDay =
      stage >= 0 && !task.has_time && overdue_at !== null && overdue_at.getTime() - now.getTime() > DAY_MS;
    const { holds } = releaseFrom(now, task.break_quiet_hours, owner);
    return [...holds, ...(isEarly || isEarlyDay ? ['not due yet'] : [])];
  }

  async finish(): Promise<void> {
    await this.#sliced.runSlices();
    const { db } = this.#app;
    assert.deepEqual([await countStale(db, this.#userId), await countFollowUps(db)], [0, 0]);
    await this.#checkAnswers();
    await this.#client.sync();
    await this.#client.assertUpToDate();
  }

  async close(): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
  }
}

onEveryEngine((engine) => {
  test('whatever the settings, wherever a slice or a crash falls: answers are true, no nudge breaks a hold, sync converges', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 45, size: 'max' }), async (steps) => {
        const database = await createDatabase(engine);
        const clock = new FakeClock();
        const phone = new FakePhones(clock);
        const start = () => startSlicedApp(engine, { databaseUrl: database.url, clock, phone });
        const sliced = await start();
        const ada = await createPerson(sliced.app);
        await addDevice(sliced.app, ada.userId);
        const use = new RandomSettings(sliced, ada, start);
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
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

onEveryEngine((engine) => {
  let sliced: SlicedApp;
  let phone: FakePhones;
  const clock = new FakeClock();
  before(async () => {
    phone = new FakePhones(clock);
    sliced = await startSlicedApp(engine, { clock, phone });
  });
  after(() => sliced.app[Symbol.asyncDispose]());

  test('a slice changes no more rows than it may, and requests of the account and of others are answered in between', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const ids = await createMany(ada, 9, { due_at: '2026-06-01T12:00:00', has_time: false });
    assert.equal((await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' })).status, 200);
    let stale = await countStale(app.db, ada.userId);
    assert.equal(stale, 9 - ROWS);
    while (stale > 0) {
      await runSlices(1);
      const left = await countStale(app.db, ada.userId);
      assert.equal(left, Math.max(0, stale - ROWS));
      stale = left;
      await create(bob);
      const tasks = (await ada.ask('GET', '/v1/tasks')).body.data as { next_fire_at: string }[];
      for (const id of ids) tasks.push((await ada.ask('GET', `/v1/tasks/${id}`)).body.data);
      assert.deepEqual(new Set(tasks.map((task) => task.next_fire_at)), new Set(['2026-06-01T00:00:00.000Z']));
    }
    await runSlices();
    assert.equal(await countFollowUps(app.db), 0);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('lists and statistics of overdue tasks follow the present zone of the owner before the last slice', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const today = clock.now().toISOString().slice(0, 10);
    const allDay = await createMany(ada, 5, { due_at: `${today}T00:00:00`, has_time: false });
    const timed = await create(ada, { due_at: clock.now().toISOString(), has_time: true });
    const asked = await create(bob, { due_at: `${today}T00:00:00`, has_time: false, owner_id: ada.userId });
    await ada.ask('POST', `/v1/tasks/${asked}/accept`);
    const overdueFor = async (person: Person, query: string) =>
      ((await person.ask('GET', `/v1/tasks?status=overdue${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    const check = async (own: readonly string[], assigned: readonly string[]) => {
      assert.deepEqual(new Set(await overdueFor(ada, '')), new Set(own));
      assert.equal((await ada.ask('GET', '/v1/stats')).body.data.overdue, own.length);
      assert.deepEqual(await overdueFor(bob, '&assigned=true'), assigned);
    };
    await check([timed], []);
    // From ten o'clock in UTC on, it is tomorrow in Kiritimati.
    await clock.advance(`${Math.max(0, 10 - clock.now().getUTCHours())}h`);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Kiritimati' });
    assert.ok((await countStale(app.db, ada.userId)) > 0);
    await check([timed, ...allDay, asked], [asked]);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Pago_Pago' });
    assert.ok((await countStale(app.db, ada.userId)) > 0);
    await check([timed], []);
    await runSlices();
    await check([timed], []);
    for (const id of [...allDay, timed, asked]) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('only tasks whose plan moved get a new updated_at, and only they are synced again', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    const timed = await createMany(ada, 3, { due_at: '2026-06-01T12:00:00Z', has_time: true });
    const allDay = await createMany(ada, 3, { due_at: '2026-06-01T12:00:00', has_time: false });
    const read = async () => {
      const rows = await app.db
        .selectFrom('tasks')
        .select(['id', 'updated_at', 'changed_at'])
        .where('owner_id', '=', ada.userId)
        .execute();
      return new Map(rows.map(({ id, ...stamps }) => [id, JSON.stringify(stamps)]));
    };
    const before = await read();
    await clock.advance('1m');
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await runSlices();
    const now = await read();
    assert.deepEqual(
      timed.map((id) => now.get(id)),
      timed.map((id) => before.get(id)),
    );
    for (const id of allDay) assert.notEqual(now.get(id), before.get(id));
    for (const id of [...timed, ...allDay]) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('a plan that a client saw and that was never stored is synced again once the settings are as before', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    const ids = await createMany(ada, 6, { due_at: '2026-06-01T12:00:00', has_time: false });
    await clock.advance('1m');
    const client = new SyncClient(ada);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await client.sync();
    await clock.advance('1m');
    await ada.ask('PATCH', '/v1/me', { timezone: 'UTC' });
    await runSlices();
    await client.sync();
    await client.assertUpToDate();
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('a stale task that falls due is not nudged by its old plan, and keeps to the new one', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await addDevice(app, ada.userId);
    const due = new Date(clock.now().getTime() + 3_600_000);
    const ids = await createMany(ada, 6, { due_at: due.toISOString(), has_time: true });
    const until = new Date(clock.now().getTime() + 4 * 3_600_000).toISOString();
    await ada.ask('POST', '/v1/me/pause', { until });
    assert.equal(await countStale(app.db, ada.userId), 6 - ROWS);
    await clock.advance('2h');
    assert.deepEqual(phone.take(), []);
    for (const task of (await ada.ask('GET', '/v1/tasks')).body.data) assert.equal(task.next_fire_at, until);
    await clock.advance('2h');
    assert.equal(phone.take().length, 6);
    await runSlices();
    assert.equal(await countStale(app.db, ada.userId), 0);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('the end of a pause releases every held nudge as its slice comes', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await addDevice(app, ada.userId);
    await ada.ask('POST', '/v1/me/pause', { until: new Date(clock.now().getTime() + 86_400_000).toISOString() });
    const ids = await createMany(ada, 5, { due_at: clock.now().toISOString(), has_time: true });
    await clock.advance('1m');
    await ada.ask('DELETE', '/v1/me/pause');
    await runSlices();
    assert.equal(phone.take().length, 5);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
  });

  test('follow-ups of several accounts take turns', async () => {
    const { app, runSlices } = sliced;
    const people = [await createPerson(app), await createPerson(app)];
    for (const person of people) {
      await createMany(person, 9);
      await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      // A second change adds no second follow-up, which would be a second turn.
      await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Seoul' });
    }
    assert.equal(await countFollowUps(app.db), people.length);
    await runSlices(4);
    const left = await Promise.all(people.map(({ userId }) => countStale(app.db, userId)));
    assert.deepEqual(left, [9 - 3 * ROWS, 9 - 3 * ROWS]);
    await runSlices();
  });

  test('a member with many tasks leaves at once; the tasks and what sync removes on both sides follow', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob, cem);
    const bobs = await createMany(bob, 5, { space_id: space });
    const adas = await createMany(ada, 5, { space_id: space });
    const requests = [
      await create(bob, { space_id: space, owner_id: ada.userId }),
      await create(ada, { space_id: space, owner_id: bob.userId }),
    ];
    const clients = [ada, bob, cem].map((person) => new SyncClient(person));
    for (const client of clients) await client.sync();
    assert.equal((await bob.ask('DELETE', `/v1/spaces/${space}/membership`)).status, 200);
    assert.equal((await bob.ask('GET', `/v1/tasks/${adas[0]}`)).status, 404);
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', space_id: space })).status, 404);
    const { data: members } = (await ada.ask('GET', `/v1/spaces/${space}/members`)).body;
    assert.equal(members.length, 2);

    // Half-way, a task that Bob saw leaves the space, and another one arrives.
    await runSlices(2);
    for (const client of clients) await client.sync();
    await ada.ask('PATCH', `/v1/tasks/${adas[4]}`, { space_id: null });
    await create(ada, { space_id: space });
    await runSlices();
    assert.equal(await countFollowUps(app.db), 0);
    for (const client of clients) {
      await client.sync();
      await client.assertUpToDate();
    }
    assert.deepEqual(clients[1]?.taskIds.toSorted(), [...bobs, ...requests].toSorted());
    for (const id of requests) assert.equal((await bob.ask('GET', `/v1/tasks/${id}`)).body.data.status, 'dropped');
    for (const id of bobs) {
      assert.equal((await bob.ask('GET', `/v1/tasks/${id}`)).body.data.space_id, null);
      assert.equal((await cem.ask('GET', `/v1/tasks/${id}`)).status, 404);
    }
  });

  test('joining again while tasks are still leaving the space keeps the others in it', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob);
    await createMany(bob, 5, { space_id: space });
    const adas = await createMany(ada, 3, { space_id: space });
    const clients = [ada, bob].map((person) => new SyncClient(person));
    for (const client of clients) await client.sync();
    await bob.ask('DELETE', `/v1/spaces/${space}/membership`);
    await clock.advance('1m');
    await runSlices(1);
    await join(space, ada, bob);
    await runSlices();
    const shared = (await ada.ask('GET', `/v1/spaces/${space}/tasks`)).body.data;
    const ofBob = shared.filter(({ owner_id }: { owner_id: string }) => owner_id === bob.userId);
    assert.ok(ofBob.length > 0 && ofBob.length < 5, `${ofBob.length} of 5 tasks stayed`);
    assert.equal((await bob.ask('GET', `/v1/tasks/${adas[0]}`)).status, 200);
    for (const client of clients) {
      await client.sync();
      await client.assertUpToDate();
    }
  });

  test('a large account is gone at once: no access, no nudge, no member, no assignee, its address free again', async () => {
    const { app, runSlices } = sliced;
    const email = `ada-${engine}@example.org`;
    const [ada, bob] = [await createPerson(app, email), await createPerson(app)];
    await addDevice(app, ada.userId);
    const { token } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const space = await createSpace(ada, bob);
    const due_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await createMany(ada, 6, { due_at, has_time: true, break_quiet_hours: true, space_id: space });
    const request = await create(ada, { owner_id: bob.userId });
    const fromBob = await create(bob, { owner_id: ada.userId });
    const client = new SyncClient(bob);
    await client.sync();

    assert.deepEqual((await ada.ask('DELETE', '/v1/me')).body.data, { deleted: true });
    assert.equal(await countFollowUps(app.db), 1);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/tasks', undefined, token)).status, 401);
    const members = (await bob.ask('GET', `/v1/spaces/${space}/members`)).body.data;
    assert.deepEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
      [[bob.userId, 'owner']],
    );
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', owner_id: ada.userId })).status, 404);
    assert.equal((await bob.ask('PATCH', `/v1/tasks/${fromBob}`, { title: 'y' })).status, 404);
    assert.equal(await findUser(app.db, ada.userId), undefined);
    const people = await listPeople(app.db, { limit: 1_000 });
    assert.ok(people.every(({ id }) => id !== ada.userId));
    const again = await createPerson(app, email);
    assert.notEqual(again.userId, ada.userId);
    await clock.advance('2h');
    assert.deepEqual(phone.take(), []);

    await runSlices();
    assert.deepEqual(await tablesNaming(app.db, ada.userId), []);
    await client.sync();
    await client.assertUpToDate();
    assert.equal(client.get(request)?.assigner_id, null);
    assert.deepEqual(client.taskIds, [request]);
  });

  test('a task with a long history is deleted over several slices', async () => {
    const { app, runSlices } = sliced;
    const ada = await createPerson(app);
    await createMany(ada, 1);
    const repeating = await create(ada, { due_at: '2026-03-01T08:00:00Z', recurrence: { freq: 'daily' } });
    for (let day = 0; day < 15; day += 1) await ada.ask('POST', `/v1/tasks/${repeating}/complete`);
    await ada.ask('DELETE', '/v1/me');
    const left = async () =>
      (await app.db.selectFrom('outcomes').select('id').where('owner_id', '=', ada.userId).execute()).length;
    assert.ok((await left()) < 15);
    await runSlices();
    assert.deepEqual(await tablesNaming(app.db, ada.userId), []);
  });
});

onEveryEngine((engine) => {
  test('a new process finishes what a stopped one has left: plans, a departure and a deletion', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    const start = () => startSlicedApp(engine, { databaseUrl: database.url, clock });
    const first = await start();
    let running = first;
    try {
      const [ada, bob, cem] = [
        await createPerson(first.app),
        await createPerson(first.app),
        await createPerson(first.app),
      ];
      const space = await createSpace(ada, bob, cem);
      for (const person of [ada, bob, cem]) await createMany(person, 7, { space_id: space });
      await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      await bob.ask('DELETE', `/v1/spaces/${space}/membership`);
      await cem.ask('DELETE', '/v1/me');
      await first.runSlices(4);
      assert.equal(await countFollowUps(first.app.db), 3);
      await first.app[Symbol.asyncDispose]();

      running = await start();
      await running.runSlices();
      const { db } = running.app;
      assert.deepEqual([await countFollowUps(db), await countStale(db, ada.userId)], [0, 0]);
      assert.deepEqual(await tablesNaming(db, cem.userId), []);
      const shared = await db.selectFrom('tasks').select('owner_id').where('space_id', '=', space).execute();
      assert.deepEqual(new Set(shared.map(({ owner_id }) => owner_id)), new Set([ada.userId]));
    } finally {
      await running.app[Symbol.asyncDispose]();
      await database.drop();
    }
  });
});

onlyOn('postgres', () => {
  test('two processes share the follow-ups, and a slice waits for a task that is locked', async () => {
    const database = await createDatabase('postgres');
    const clock = new FakeClock();
    const start = () => startSlicedApp('postgres', { databaseUrl: database.url, clock });
    const [one, two] = [await start(), await start()];
    const unlock = Promise.withResolvers<void>();
    try {
      const people: Person[] = [];
      while (people.length < 4) people.push(await createPerson(one.app));
      for (const person of people) {
        await createMany(person, 7);
        await person.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
      }
      const locked = Promise.withResolvers<void>();
      const holding = transact(two.app.db, async (trx) => {
        const [ada] = people;
        await trx
          .selectFrom('tasks')
          .select('id')
          .where('owner_id', '=', ada?.userId ?? '')
          .forUpdate()
          .execute();
        locked.resolve();
        await unlock.promise;
      });
      await locked.promise;
      const slices = Promise.all([one.runSlices(), two.runSlices()]);
      await waitUntil(async () => (await waitingForLocks(two.app.db)) > 0);
      unlock.resolve();
      await Promise.all([holding, slices]);
      await one.runSlices();
      for (const { userId } of people) assert.equal(await countStale(one.app.db, userId), 0);
      assert.equal(await countFollowUps(one.app.db), 0);
    } finally {
      unlock.resolve();
      await one.app[Symbol.asyncDispose]();
      await two.app[Symbol.asyncDispose]();
      await database.drop();
    }
  });
});

async function waitingForLocks(db: Db): Promise<number> {
  const { rows } = await sql`select 1 from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`.execute(db);
  return rows.length;
}
