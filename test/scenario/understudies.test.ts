import assert from 'node:assert/strict';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };

/** Ada at 09:00 with a channel whose provider holds messages. */
async function start(engine: EngineName, channel: { server?: string; private_title?: boolean } = {}) {
  const clock = new FakeClock();
  const holder = new FakeHolder(clock);
  const app = await startTestApp(engine, { clock, extra: { gateways: { telegram: holder } } });
  const ada = await createPerson(app, 'ada@example.org');
  const row = channelRow(clock.now(), {
    user_id: ada.userId,
    provider: 'telegram',
    server: 'https://there.test',
    ...channel,
  });
  await app.db.insertInto('channels').values(row).execute();
  const create = async (fields: object) =>
    (await ada.ask('POST', '/v1/tasks', { title: 'pills', ...fields })).body.data;
  /** Lets the engine look after Ada. */
  const look = async () => {
    app.engine?.noteChanges([ada.userId]);
    await app.engine?.settled();
  };
  const advance = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      await clock.advance('1m');
      holder.tick();
    }
  };
  return {
    app,
    ada,
    clock,
    holder,
    row,
    create,
    look,
    advance,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

onEveryEngine((engine, it) => {
  it('three messages stand behind the next nudge, each stronger, and a service that lives lets none sound', async () => {
    await using world = await start(engine);
    const { holder } = world;
    await world.create(DUE);
    await waitUntil(() => holder.plan.length === 3);
    assert.deepEqual(holder.plan, ['2026-03-02T10:10 0', '2026-03-02T11:00 1', '2026-03-02T14:00 2']);
    const [first] = [...holder.waiting.values()].toSorted((a, b) => a.at.getTime() - b.at.getTime());
    assert.equal(first?.title, 'A task is due, and Crescendo is silent');
    assert.match(
      first?.body ?? '',
      /^Crescendo has not been heard of since Mon 09:00\. Due by now: pills \(Mon 10:00\)\./,
    );
    await world.advance(6 * 60);
    assert.deepEqual(holder.sounded, []);
    assert.ok(holder.nudges.length >= 8, `${holder.nudges.length} nudges`);
  });

  it('Done, a pause and the end of the channel take back what is held', async () => {
    await using world = await start(engine);
    const { app, ada, holder, row } = world;
    const { id } = await world.create(DUE);
    await world.look();
    assert.equal(holder.plan.length, 3);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await world.look();
    // Nothing is planned: the message says that the service is gone.
    assert.equal(holder.plan.length, 1);
    assert.match([...holder.waiting.values()][0]?.body ?? '', /Nothing rings until it is back/);
    await app.db.updateTable('channels').set({ valid: false }).where('id', '=', row.id).execute();
    await world.look();
    assert.deepEqual(holder.plan, []);
  });

  it('a must-not-miss task has a message of its own, which quiet hours do not hold', async () => {
    await using world = await start(engine);
    const { ada, holder } = world;
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '10:05', quiet_hours_end: '12:00' });
    await world.create(DUE);
    await world.create({ ...DUE, title: 'insulin', break_quiet_hours: true });
    await world.look();
    assert.deepEqual(holder.plan, [
      '2026-03-02T10:10 2',
      '2026-03-02T12:00 0',
      '2026-03-02T12:00 1',
      '2026-03-02T14:00 2',
    ]);
  });

  it('a private channel is told how many, and never which', async () => {
    await using world = await start(engine, { private_title: true });
    await world.create({ ...DUE, break_quiet_hours: true });
    await world.look();
    for (const { title, body } of world.holder.waiting.values()) assert.doesNotMatch(`${title} ${body}`, /pills/);
  });

  it('nothing is held on this machine', async () => {
    await using world = await start(engine, { server: 'https://here.test' });
    await world.create(DUE);
    await world.look();
    assert.deepEqual(world.holder.plan, []);
  });

  it('putting off waits five minutes, an earlier moment does not', async () => {
    await using world = await start(engine);
    const { ada, holder } = world;
    const { id } = await world.create(DUE);
    await world.look();
    const { requests } = holder;
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T12:00:00Z' });
    await world.look();
    assert.equal(holder.requests, requests, 'it was placed a moment ago');
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:30:00Z' });
    await world.look();
    assert.equal(holder.plan[0], '2026-03-02T09:40 0');
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T12:00:00Z' });
    await world.look();
    assert.equal(holder.plan[0], '2026-03-02T09:40 0');
    await world.advance(6);
    assert.equal(holder.plan[0], '2026-03-02T12:10 0');
  });

  it('a server that runs short holds one message and then none, and nudges come first', async () => {
    await using world = await start(engine);
    const { app, clock, holder } = world;
    const throttle = new ThrottleService(app.db, clock);
    holder.countOfDay = (key) => throttle.countOfDay(key, 1);
    holder.mostPerDay = 100;
    await world.create(DUE);
    await world.look();
    assert.equal(holder.plan.length, 3);
    const state = async () => (await app.db.selectFrom('understudy_people').select('state').executeTakeFirst())?.state;
    await throttle.countOfDay(holder.findDayBudget()?.key ?? '', 50);
    await world.advance(11);
    assert.deepEqual([holder.plan.length, await state()], [1, 'one']);
    await throttle.countOfDay(holder.findDayBudget()?.key ?? '', 25);
    await world.advance(11);
    assert.deepEqual([holder.plan.length, await state()], [0, 'none_left']);
    await world.advance(60);
    assert.equal(holder.nudges.length > 0, true);
  });

  it('people who are looked at together do not use more than three quarters of the day', async () => {
    await using world = await start(engine);
    const { app, ada, clock, holder } = world;
    const throttle = new ThrottleService(app.db, clock);
    holder.countOfDay = (key) => throttle.countOfDay(key, 1);
    holder.mostPerDay = 8;
    const others = [await createPerson(app, 'ben@example.org'), await createPerson(app, 'cleo@example.org')];
    for (const { userId } of others) {
      const row = channelRow(clock.now(), { user_id: userId, provider: 'telegram', server: 'https://there.test' });
      await app.db.insertInto('channels').values(row).execute();
    }
    const people = [...others, ada];
    for (const person of people) await person.ask('POST', '/v1/tasks', { title: 'pills', ...DUE });
    app.engine?.noteChanges(people.map(({ userId }) => userId));
    await app.engine?.settled();
    assert.ok(holder.delays.length <= 6, `${holder.delays.length} of 8 messages were used`);
  });

  it('a server that holds messages for hours only does not sound that a living service is gone', async () => {
    await using world = await start(engine);
    const { holder } = world;
    holder.longestMs = 4 * 3_600_000;
    await world.look();
    await world.advance(10);
    assert.equal(holder.plan.length, 1);
    await world.advance(6 * 60);
    assert.deepEqual([holder.sounded, holder.plan.length], [[], 1]);
  });

  it('a server that turns out to hold no messages is left at once for that of another channel', async () => {
    await using world = await start(engine);
    const { app, clock, holder, row, ada } = world;
    const other = { user_id: ada.userId, provider: 'telegram', server: 'https://other.test', address_hash: 'other' };
    await app.db
      .insertInto('channels')
      .values(channelRow(clock.now(), { ...other, tier: 1 }))
      .execute();
    holder.unfit.add(row.id);
    await world.create(DUE);
    await waitUntil(() => holder.plan.length === 3);
  });

  it('what could not be brought before its moment is not brought late', async () => {
    await using world = await start(engine);
    const { app, clock, holder } = world;
    await world.create(DUE);
    await world.look();
    // As a service finds it that died with this wish on its way.
    const wish = { version: 9, sounds_at: new Date(clock.now().getTime() - 3_600_000), next_attempt_at: clock.now() };
    await app.db.updateTable('understudies').set(wish).where('slot', '=', 'first').execute();
    await world.advance(3);
    assert.ok(Math.min(...holder.delays) > 3_600_000, `held for ${Math.min(...holder.delays)} ms`);
    assert.equal(holder.plan[0], '2026-03-02T10:10 0');
  });

  it('what could not be taken back is tried again', async () => {
    await using world = await start(engine);
    const { ada, holder } = world;
    await world.create(DUE);
    await world.look();
    holder.isAway = true;
    await ada.ask('DELETE', '/v1/me');
    await world.look();
    assert.equal(holder.waiting.size, 3);
    holder.isAway = false;
    await world.advance(2);
    assert.equal(holder.waiting.size, 0);
    assert.deepEqual(await world.app.db.selectFrom('understudies').select('id').execute(), []);
  });

  it('what was sounded stands in the timeline, and is taken back when the service is there again', async () => {
    await using world = await start(engine);
    const { ada, holder } = world;
    const { id } = await world.create(DUE);
    await world.look();
    holder.isAway = true;
    await world.advance(75);
    assert.equal(holder.sounded.length, 1);
    holder.isAway = false;
    await world.advance(15);
    const { data } = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body;
    const announced = data.filter(({ kind }: { kind: string }) => kind === 'understudy');
    assert.deepEqual(
      announced.map(({ at, via }: { at: string; via: string }) => [at, via]),
      [['2026-03-02T10:10:00.000Z', 'telegram']],
    );
  });
});
