import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { AppError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { SignsOfLife } from '../../src/outages/signs-of-life.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, type EngineName, onEveryEngine, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { createPerson, makeAdmin, type Person, personWith } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const at = (time: string) => `2026-03-02T${time}:00.000Z`;
const due = (time: string) => ({ due_at: at(time), has_time: true });

/** A service at 09:00 that can die, and be started again on its database. */
class Mortal implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly holder = new FakeHolder(this.clock);
  /** Moves only while the machine is suspended. */
  readonly machine = new FakeClock();
  readonly #engine: EngineName;
  readonly #database: TestDatabase;
  app!: TestApp;

  private constructor(engine: EngineName, database: TestDatabase) {
    this.#engine = engine;
    this.#database = database;
  }

  static async start(engine: EngineName): Promise<Mortal> {
    const service = new Mortal(engine, await createDatabase(engine));
    service.app = await service.open();
    return service;
  }

  open(): Promise<TestApp> {
    const { clock, holder } = this;
    const { url: databaseUrl, folder } = this.#database;
    const settings: Record<string, string> = folder ? { DATA_DIR: folder } : {};
    const extra = { gateways: { telegram: holder }, machineClock: this.machine };
    return startTestApp(this.#engine, { databaseUrl, clock, settings, extra });
  }

  /** Resolves when the service is there again, and has caught up. */
  async dieFor(duration: string): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    await this.clock.advance(duration);
    this.holder.tick();
    this.app = await this.open();
    await this.app.engine?.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    await this.#database.drop();
  }
}

const create = async ({ ask }: Person, title: string, fields: object) =>
  (await ask('POST', '/v1/tasks', { title, ...fields })).body.data.id as string;

/** A person whose requests go to whichever service lives. */
async function joining(service: Mortal, email: string): Promise<Person> {
  const person = await createPerson(service.app, email);
  const { userId, sessionToken } = person;
  return { ...person, ask: (...request) => personWith(service.app, email, userId, sessionToken).ask(...request) };
}

interface Told {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly tasks: readonly {
    readonly title: string;
    readonly planned_at: string;
    readonly announced_via: string | null;
  }[];
}

const read = async ({ ask }: Person): Promise<Told[]> => (await ask('GET', '/v1/me/outages')).body.data;
const titles = (outages: readonly Told[]) => outages.map(({ tasks }) => tasks.map(({ title }) => title));
const wasLate = async ({ ask }: Person) => (await ask('GET', '/v1/channels')).body.data.was_late;
const countOutages = async ({ app }: Mortal) => (await app.db.selectFrom('outages').select('id').execute()).length;

/** Of an engine that has just been started. */
function newEngine({ db }: TestApp, clock: FakeClock, wallClock = clock, machineClock?: FakeClock): SignsOfLife {
  const logger = createLogger('fatal');
  const schema = new SchemaWatch(logger);
  return new SignsOfLife({ db, clock, wallClock, clockSpeed: 1, machineClock, schema, logger });
}

onEveryEngine((engine, it) => {
  test('after an outage, each person finds which of their nudges were late, and the administrator how many', async () => {
    await using service = await Mortal.start(engine);
    const [ada, bob, boss] = [
      await joining(service, 'ada@example.org'),
      await joining(service, 'bob@example.org'),
      await joining(service, 'boss@example.org'),
    ];
    await makeAdmin(service.app, boss);
    await create(ada, 'pills', due('10:00'));
    await create(ada, 'call', due('09:30'));
    await create(ada, 'dinner', due('19:00'));
    await create(ada, 'just now', due('10:59'));
    const gone = await create(bob, 'gone', due('10:00'));
    await service.dieFor('2h');
    const [outage, ...others] = await read(ada);
    assert.deepEqual(others, []);
    assert.deepEqual([outage?.from, outage?.to, outage?.count], [at('09:00'), at('11:00'), 2]);
    // The sweep has planned them anew since.
    assert.deepEqual(
      outage?.tasks.map(({ title, planned_at, announced_via }) => [title, planned_at, announced_via]),
      [
        ['call', at('09:30'), null],
        ['pills', at('10:00'), null],
      ],
    );
    assert.deepEqual([await wasLate(ada), await wasLate(boss)], [true, false]);
    assert.deepEqual(await read(boss), []);
    assert.deepEqual(titles(await read(bob)), [['gone']]);
    const { last_outage } = (await boss.ask('GET', '/v1/admin/health')).body.data;
    assert.deepEqual(last_outage, { from: at('09:00'), to: at('11:00'), people: 2, nudges: 3 });
    await service.app.db.deleteFrom('tasks').where('id', '=', gone).execute();
    assert.deepEqual(await read(bob), []);
    await ada.ask('DELETE', '/v1/me');
    await service.app.engine?.settled();
    const left = await service.app.db.selectFrom('outage_people').select('user_id').execute();
    assert.deepEqual(
      left.map(({ user_id }) => user_id),
      [bob.userId],
    );
  });

  it('a first start, a short restart and a clock that was set back are no outages', async () => {
    await using service = await Mortal.start(engine);
    const ada = await joining(service, 'ada@example.org');
    await create(ada, 'pills', due('12:02'));
    await service.clock.advance('3h');
    await service.dieFor('4m');
    assert.equal(await countOutages(service), 0);
    await service.app[Symbol.asyncDispose]();
    service.clock.set('2026-03-02T07:00:00Z');
    service.app = await service.open();
    await service.app.engine?.settled();
    assert.equal(await countOutages(service), 0);
    // The sign of life went back with the clock.
    await service.dieFor('6m');
    assert.equal(await countOutages(service), 1);
  });

  it('what was dismissed stays dismissed, and nobody dismisses for others', async () => {
    await using service = await Mortal.start(engine);
    const [ada, bob] = [await joining(service, 'ada@example.org'), await joining(service, 'bob@example.org')];
    await create(ada, 'pills', due('10:00'));
    await service.dieFor('2h');
    const path = `/v1/me/outages/${(await read(ada))[0]?.id}`;
    assert.equal((await bob.ask('DELETE', path)).status, 404);
    assert.equal((await read(ada)).length, 1);
    assert.equal((await ada.ask('DELETE', path)).status, 200);
    assert.equal((await ada.ask('DELETE', path)).status, 200);
    assert.deepEqual([await read(ada), await wasLate(ada)], [[], false]);
    await service.dieFor('10m');
    assert.deepEqual(await read(ada), []);
  });

  it('people are told for a week, and an outage is forgotten after a month', async () => {
    await using service = await Mortal.start(engine);
    const ada = await joining(service, 'ada@example.org');
    await create(ada, 'pills', { ...due('10:00'), mode: 'notify_once' });
    await service.dieFor('2h');
    await service.clock.advance('6d');
    assert.deepEqual(titles(await read(ada)), [['pills']]);
    await service.clock.advance('2d');
    assert.deepEqual([await read(ada), await wasLate(ada)], [[], false]);
    const { db } = service.app;
    const housekeeping = new Housekeeping(db, service.clock);
    const isKept = async () => {
      await housekeeping.runOnce();
      return (await db.selectFrom('outages').select('id').where('people', '>', 0).execute()).length > 0;
    };
    assert.equal(await isKept(), true);
    await service.clock.advance('30d');
    assert.equal(await isKept(), false);
    assert.deepEqual(await db.selectFrom('outage_nudges').selectAll().execute(), []);
  });

  it('of a person with many late nudges the first 20 are named, and a suspended one is left out', async () => {
    await using service = await Mortal.start(engine);
    const [ada, eve] = [await joining(service, 'ada@example.org'), await joining(service, 'eve@example.org')];
    for (let number = 10; number < 35; number += 1) await create(ada, `task ${number}`, due(`09:${number}`));
    await create(eve, 'suspended', due('10:00'));
    await service.app.db
      .updateTable('users')
      .set({ suspended_at: service.clock.now() })
      .where('id', '=', eve.userId)
      .execute();
    await service.dieFor('2h');
    const [outage] = await read(ada);
    assert.deepEqual([outage?.count, outage?.tasks.length, outage?.tasks[19]?.title], [25, 20, 'task 29']);
    const people = await service.app.db.selectFrom('outage_people').select('user_id').execute();
    assert.deepEqual(
      people.map(({ user_id }) => user_id),
      [ada.userId],
    );
  });

  it('a task that is somebody else’s by now is told to neither of them', async () => {
    await using service = await Mortal.start(engine);
    const [ada, eve] = [await joining(service, 'ada@example.org'), await joining(service, 'eve@example.org')];
    const id = await create(ada, 'handed on', due('10:00'));
    await create(ada, 'kept', due('10:05'));
    await service.dieFor('2h');
    await service.app.db.updateTable('tasks').set({ owner_id: eve.userId }).where('id', '=', id).execute();
    assert.deepEqual([titles(await read(ada)), titles(await read(eve))], [[['kept']], []]);
  });

  it('however many people were concerned, each of them is told', async () => {
    await using service = await Mortal.start(engine);
    const { db } = service.app;
    await service.app.engine?.stop();
    await insertDueTasks(db, { tasks: 101, owners: 101, dueAt: new Date(at('10:00')), withDevices: false });
    service.clock.set(at('11:00'));
    await newEngine(service.app, service.clock).show();
    const [outage] = await db.selectFrom('outages').select(['people', 'nudges']).execute();
    const told = await db.selectFrom('outage_nudges').select('user_id').execute();
    assert.deepEqual([outage?.people, outage?.nudges, told.length], [101, 101, 101]);
  });

  it('a time without a database is an outage, although an engine was alive', async () => {
    await using service = await Mortal.start(engine);
    await service.app.engine?.stop();
    const clock = new FakeClock(at('09:01'));
    let isAway = false;
    const db = new Proxy(service.app.db, {
      get: (target, name) => {
        if (isAway) throw new AppError('database_unavailable');
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const logger = createLogger('fatal');
    const schema = new SchemaWatch(logger);
    const signs = new SignsOfLife({ db, clock, wallClock: clock, clockSpeed: 1, machineClock: clock, schema, logger });
    await signs.show();
    isAway = true;
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.advance('1m');
      await assert.rejects(signs.show(), { code: 'database_unavailable' });
    }
    isAway = false;
    await signs.show();
    const outages = await service.app.db.selectFrom('outages').select(['started_at', 'ended_at']).execute();
    assert.deepEqual(outages, [{ started_at: new Date(at('09:01')), ended_at: new Date(at('09:11')) }]);
  });

  test('engines that start together store one outage, and none sweeps before it is stored', async () => {
    await using service = await Mortal.start(engine);
    const ada = await joining(service, 'ada@example.org');
    await create(ada, 'pills', due('10:00'));
    service.clock.set(at('11:00'));
    const { db } = service.app;
    const seen: number[] = [];
    const show = async (signs: SignsOfLife) => {
      await signs.show();
      seen.push((await db.selectFrom('outage_nudges').select('task_id').execute()).length);
    };
    const engines = Array.from({ length: 3 }, () => newEngine(service.app, service.clock));
    await Promise.all([...engines, ...engines.slice(1)].map(show));
    assert.deepEqual(seen, [1, 1, 1, 1, 1]);
    service.app.engine?.wakeUp();
    await service.app.engine?.settled();
    assert.equal(await countOutages(service), 1);
    assert.deepEqual(titles(await read(ada)), [['pills']]);
  });

  it('real time decides whether there was an outage, and the clock of the service is told', async () => {
    await using service = await Mortal.start(engine);
    const [fast, real] = [new FakeClock(at('09:00')), new FakeClock(at('09:00'))];
    const show = async (fastAt: string, realAt: string) => {
      fast.set(at(fastAt));
      real.set(at(realAt));
      await newEngine(service.app, fast, real).show();
      return (await service.app.db.selectFrom('outages').select(['started_at', 'ended_at']).execute()).map(
        ({ started_at, ended_at }) => [started_at.toISOString(), ended_at.toISOString()],
      );
    };
    assert.deepEqual(await show('13:00', '09:04'), []);
    // A clock that runs faster begins anew with each process.
    assert.deepEqual(await show('09:10', '09:10'), []);
    assert.deepEqual(await show('15:10', '09:16'), [[at('09:10'), at('15:10')]]);
  });

  it('nudges do not wait for what is only told about them', async () => {
    await using service = await Mortal.start(engine);
    const ada = await joining(service, 'ada@example.org');
    const id = await create(ada, 'pills', due('10:00'));
    await service.app.db.schema.dropTable('outage_nudges').execute();
    await service.dieFor('2h');
    const { nudge_count } = (await ada.ask('GET', `/v1/tasks/${id}`)).body.data;
    assert.equal(nudge_count, 1);
    assert.match(JSON.stringify(service.app.log), /a sign of life could not be stored/);
  });

  it('a machine that was suspended was away too', async () => {
    await using service = await Mortal.start(engine);
    const ada = await joining(service, 'ada@example.org');
    await create(ada, 'pills', due('10:00'));
    await service.clock.advance('30m');
    service.clock.set(at('11:00'));
    service.machine.set(at('10:30'));
    service.app.engine?.wakeUp();
    await service.app.engine?.settled();
    const [outage] = await read(ada);
    assert.deepEqual([outage?.to, outage?.tasks[0]?.planned_at], [at('11:00'), at('10:00')]);
    // It is awake, whatever its clock says.
    await service.clock.advance('3d');
    service.machine.set(at('10:31'));
    service.app.engine?.wakeUp();
    await service.app.engine?.settled();
    assert.equal(await countOutages(service), 1);
  });

  it('an engine that is stopped when its machine wakes up hides no outage', async () => {
    await using service = await Mortal.start(engine);
    await service.app.engine?.stop();
    const clock = new FakeClock(at('12:00'));
    const suspended = newEngine(service.app, clock, clock, service.machine);
    await suspended.show();
    const before = await countOutages(service);
    clock.set(at('13:00'));
    service.machine.set(at('13:00'));
    await suspended.end();
    await newEngine(service.app, clock).show();
    assert.equal((await countOutages(service)) - before, 1);
  });

  it('it is told what a provider has probably announced in that time', async () => {
    await using service = await Mortal.start(engine);
    const { clock, holder } = service;
    const ada = await joining(service, 'ada@example.org');
    const channel = channelRow(clock.now(), {
      user_id: ada.userId,
      provider: 'telegram',
      server: 'https://there.test',
    });
    await service.app.db.insertInto('channels').values(channel).execute();
    await create(ada, 'pills', due('10:00'));
    service.app.engine?.noteChanges([ada.userId]);
    await service.app.engine?.settled();
    assert.equal(holder.plan.length, 3);
    await service.dieFor('75m');
    service.app.engine?.noteChanges([ada.userId]);
    await service.app.engine?.settled();
    const [outage] = await read(ada);
    assert.deepEqual(
      outage?.tasks.map(({ title, announced_via }) => [title, announced_via]),
      [['pills', 'telegram']],
    );
    // Nobody announces anything in a later outage, and what was announced in the first one is not told again.
    await service.app.db.updateTable('channels').set({ valid: false }).execute();
    service.app.engine?.noteChanges([ada.userId]);
    await service.app.engine?.settled();
    assert.deepEqual(holder.plan, []);
    await service.dieFor('75m');
    const [later] = await read(ada);
    assert.notEqual(later?.id, outage?.id);
    assert.deepEqual(
      later?.tasks.map(({ title, announced_via }) => [title, announced_via]),
      [['pills', null]],
    );
    const afterwards = new Date(Date.parse(later?.to ?? '') + 60_000);
    await service.app.db.updateTable('timeline').set({ at: afterwards }).where('kind', '=', 'understudy').execute();
    const via = (await read(ada)).flatMap(({ tasks }) => tasks.map(({ announced_via }) => announced_via));
    assert.deepEqual(via, [null, null], 'nor what is announced when it is over');
  });
});
