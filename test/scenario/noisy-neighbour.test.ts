/**
 * One account with as many devices as it may have and very many due tasks, beside a quiet account with one of each. All
 * guarantees are counted in pushes, so they do not depend on the speed of the machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Push, PushResult } from '../../src/push/gateway.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const DEVICES = 50;
const ACCEPTED: PushResult = { kind: 'accepted' };
/** With the budget out of the way, only the turns keep the accounts apart. */
const NO_BUDGET = { DELIVERIES_PER_MINUTE: '100000000' };
const LOUD = 'pills';
const QUIET = 'quiet';
const DUE_NOW = { title: QUIET, due_at: '2026-03-02T09:00:00Z', has_time: true };

/** The loud account, with tasks that have been due for a minute. They fall due last, so that none is nudged too early. */
async function addLoud(app: TestApp, tasks: number, devices = DEVICES): Promise<string> {
  const inAnHour = new Date(app.clock.now().getTime() + 3_600_000);
  const [owner = ''] = await insertDueTasks(app.db, { tasks, owners: 1, dueAt: inAnHour, withDevices: false });
  for (let count = 0; count < devices; count += 1) await addDevice(app, owner);
  const counts = { open: tasks, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };
  await app.db
    .insertInto('task_counts')
    .values({ user_id: owner, ...counts })
    .execute();
  const due_at = new Date(app.clock.now().getTime() - 60_000);
  const due = { due_at, due_written: due_at.toISOString(), next_fire_at: due_at, wanted_at: due_at };
  await app.db.updateTable('tasks').set(due).where('owner_id', '=', owner).execute();
  return owner;
}

async function addQuiet(app: TestApp): Promise<Person> {
  const quiet = await createPerson(app, 'quiet@example.org');
  await addDevice(app, quiet.userId);
  return quiet;
}

const titleOf = (push: Push) => (push.kind === 'test' ? '' : push.task.title);

const deliveriesOf = async ({ db }: TestApp, owner: string, status: string) =>
  db
    .selectFrom('deliveries')
    .selectAll()
    .where('recipient_id', '=', owner)
    .where('status', '=', status as 'pending')
    .execute();

/** A quarter of a million pushes at full size. */
const FEW_MINUTES_MS = 300_000;

/** Creates a due task of the quiet account at the loud one's first push; returns how many more of those came before it. */
async function countPushesBefore(engines: readonly [TestApp, ...TestApp[]], phone: FakePhones, pushes: number) {
  const [app] = engines;
  const quiet = await addQuiet(app);
  const sent: string[] = [];
  const created = Promise.withResolvers<void>();
  phone.answer = (push) => {
    sent.push(titleOf(push));
    if (sent.length === 1) {
      quiet.ask('POST', '/v1/tasks', DUE_NOW).then(() => {
        sent.push('created');
        created.resolve();
      }, created.reject);
    }
    return ACCEPTED;
  };
  for (const { engine } of engines) engine?.wakeUp();
  await created.promise;
  // Two engines that met at the same rows try again after a moment that the fake clock never reaches by itself.
  await waitUntil(() => {
    for (const { engine } of engines) engine?.wakeUp();
    return phone.shown.length >= pushes;
  }, FEW_MINUTES_MS);
  await Promise.all(engines.map(({ engine }) => engine?.settled()));
  assert.equal(phone.shown.length, pushes, 'each nudge was sent once');
  return sent.slice(sent.indexOf('created'), sent.indexOf(QUIET)).filter((title) => title === LOUD).length;
}

onEveryEngine((engine) => {
  test('a quiet account is nudged long before everything of a loud one is sent', async () => {
    const [clock, tasks] = [new FakeClock(), sized(100, 5_000)];
    const phone = new FakePhones(clock);
    await using app = await startTestApp(engine, { clock, settings: NO_BUDGET, extra: { gateways: { apns: phone } } });
    await addLoud(app, tasks);
    const before = await countPushesBefore([app], phone, tasks * DEVICES + 1);
    assert.ok(before <= 2_000, `${before} pushes of ${tasks * DEVICES} came first`);
  });

  test('a slow provider always has capacity left for another account', async () => {
    const clock = new FakeClock();
    const phone = new FakePhones(clock);
    const [sent, answered]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers()];
    phone.answer = async (push) => {
      sent.push(titleOf(push));
      phone.capacityLeft -= 1;
      await answered.promise;
      phone.capacityLeft += 1;
      return ACCEPTED;
    };
    await using app = await startTestApp(engine, { clock, settings: NO_BUDGET, extra: { gateways: { apns: phone } } });
    const quiet = await addQuiet(app);
    phone.capacityLeft = 40;
    await addLoud(app, 20, 5);
    app.engine?.wakeUp();
    try {
      await waitUntil(() => sent.length >= 20);
      await quiet.ask('POST', '/v1/tasks', DUE_NOW);
      await waitUntil(() => sent.includes(QUIET));
      assert.equal(sent.filter((title) => title === LOUD).length, 20, 'the loud account has half of the capacity');
    } finally {
      // The engine stops only after every push has been answered.
      answered.resolve();
    }
    await waitUntil(() => phone.shown.length === 101);
  });

  for (const accounts of [1, 2]) {
    test(`after an outage the backlog of ${accounts} loud accounts does not go out before that of another`, async () => {
      const [clock, tasks] = [new FakeClock(), 40];
      const phone = new FakePhones(clock);
      await using app = await startTestApp(engine, {
        clock,
        settings: NO_BUDGET,
        extra: { gateways: { apns: phone } },
      });
      phone.answer = () => ({ kind: 'retry', reason: 'down', afterMs: 300_000 });
      for (let count = 0; count < accounts; count += 1) await addLoud(app, tasks / accounts);
      const quiet = await addQuiet(app);
      await quiet.ask('POST', '/v1/tasks', DUE_NOW);
      app.engine?.wakeUp();
      await app.engine?.settled();
      // The engine also checks by a timer: without capacity it leases nothing until both accounts are due.
      phone.capacityLeft = 0;
      const past = (ms: number) => ({ next_attempt_at: new Date(clock.now().getTime() - ms) });
      await app.db.updateTable('deliveries').set(past(60_000)).where('recipient_id', '!=', quiet.userId).execute();
      await app.db.updateTable('deliveries').set(past(1_000)).where('recipient_id', '=', quiet.userId).execute();
      phone.answer = () => ACCEPTED;
      phone.capacityLeft = 1_000;
      app.engine?.wakeUp();
      await app.engine?.settled();
      const titles = phone.shown.map(({ push }) => push.task.title);
      assert.equal(titles.length, tasks * DEVICES + 1);
      assert.ok(titles.indexOf(QUIET) <= 1_000, `${titles.indexOf(QUIET)} of ${titles.length} came first`);
    });
  }

  test('beyond its budget an account waits, a newer nudge replaces one that waits, and the rest is not sent', async () => {
    const clock = new FakeClock();
    const phone = new FakePhones(clock);
    const settings = { DELIVERIES_PER_MINUTE: '60' };
    await using app = await startTestApp(engine, { clock, settings, extra: { gateways: { apns: phone } } });
    const quiet = await addQuiet(app);
    const owner = await addLoud(app, 30);
    app.engine?.wakeUp();
    await app.engine?.settled();
    // Each nudge books 50 s. The first eleven fit into a burst of 500 s, the next twelve into ten minutes.
    assert.equal(phone.take().length, 11 * DEVICES);
    const waiting = await deliveriesOf(app, owner, 'pending');
    assert.equal(waiting.length, 12 * DEVICES);
    await clock.advance('50s');
    assert.equal(phone.take().length, DEVICES, 'one nudge has waited for 50 s');
    await quiet.ask('POST', '/v1/tasks', DUE_NOW);
    await app.engine?.settled();
    phone.expect('2026-03-02T09:00 0 quiet');

    const last = waiting.toSorted((a, b) => a.next_attempt_at.getTime() - b.next_attempt_at.getTime()).at(-1);
    const now = clock.now();
    await app.db
      .updateTable('tasks')
      .set({ last_nudge_at: new Date(now.getTime() - 900_000), next_fire_at: now, wanted_at: now })
      .where('id', '=', last?.task_id ?? '')
      .execute();
    app.engine?.wakeUp();
    await app.engine?.settled();
    const superseded = await deliveriesOf(app, owner, 'superseded');
    assert.deepEqual(new Set(superseded.map(({ entry_id }) => entry_id)), new Set([last?.entry_id]));
    phone.expect();

    await clock.advance('9m');
    assert.equal(phone.take().length, 10 * DEVICES, 'everything that waited was sent, but for what was replaced');
    const sent = app.db.selectFrom('deliveries').select('task_id');
    const unsent = await app.db
      .selectFrom('tasks')
      .select(['id', 'nudge_count'])
      .where('owner_id', '=', owner)
      .where('id', 'not in', sent)
      .execute();
    assert.deepEqual(
      unsent.map(({ nudge_count }) => nudge_count),
      Array(7).fill(1),
      'seven tasks climbed without a delivery',
    );
    await app.db.updateTable('tasks').set({ owner_id: quiet.userId }).where('owner_id', '=', owner).execute();
    const reached = async (id = '') => (await quiet.ask('GET', `/v1/tasks/${id}/timeline`)).body.data[0].reached;
    assert.equal(await reached(unsent[0]?.id), 'not_sent');
  });
});

onlyOn('postgres', () => {
  test('with two engines, a quiet account is nudged long before everything of a loud one is sent', async () => {
    const [database, clock] = [await createDatabase('postgres'), new FakeClock()];
    const [phone, tasks] = [new FakePhones(clock), sized(100, 5_000)];
    {
      const options = { clock, databaseUrl: database.url, settings: NO_BUDGET, extra: { gateways: { apns: phone } } };
      await using first = await startTestApp('postgres', options);
      await using second = await startTestApp('postgres', options);
      await addLoud(first, tasks);
      const before = await countPushesBefore([first, second], phone, tasks * DEVICES + 1);
      assert.ok(before <= 2_000, `${before} pushes of ${tasks * DEVICES} came first`);
    }
    await database.drop();
  });
});
