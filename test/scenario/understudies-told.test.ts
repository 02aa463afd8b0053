/** What people, administrators and operators are told about messages that are held elsewhere. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

const DUE = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true };
const TOKEN = 'a-token-for-the-scraper';
const REFUSED = { kind: 'rejected', reason: 'server_too_old' } as const;

/** Ada, an administrator, at 09:00. */
async function start(engine: EngineName, settings: Record<string, string> = {}) {
  const clock = new FakeClock();
  const holder = new FakeHolder(clock);
  const app = await startTestApp(engine, {
    clock,
    settings: { ADMINS: 'ada@example.org', METRICS_TOKEN: TOKEN, ...settings },
    extra: { gateways: { telegram: holder } },
  });
  const ada = await createPerson(app, 'ada@example.org');
  const look = async (userId = ada.userId) => {
    app.engine?.noteChanges([userId]);
    await app.engine?.settled();
  };
  const addChannel = async (channel: object = {}) => {
    const given = { user_id: ada.userId, provider: 'telegram', server: 'https://there.test', address_hash: newId() };
    const row = channelRow(clock.now(), { ...given, ...channel });
    await app.db.insertInto('channels').values(row).execute();
    await look(row.user_id);
    return row;
  };
  const create = async (fields: object = {}, who = ada) => {
    const { id } = (await who.ask('POST', '/v1/tasks', { ...DUE, ...fields })).body.data;
    await look(who.userId);
    return id as string;
  };
  const told = async () => (await ada.ask('GET', '/v1/me/understudies')).body.data;
  const health = async () => (await ada.ask('GET', '/v1/admin/health')).body.data.understudies;
  const metrics = async () => {
    // Results are cached for ten seconds.
    await clock.advance('10s');
    const answer = await app.fastify.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
    return answer.body.split('\n').filter((line) => /^crescendo_understud/.test(line));
  };
  const use = async (messages: number) => {
    holder.mostPerDay = 100;
    await new ThrottleService(app.db, clock).countOfDay(holder.findDayBudget()?.key ?? '', messages);
    await clock.advance('11m');
    await look();
  };
  const end = () => app[Symbol.asyncDispose]();
  return { app, ada, clock, holder, look, addChannel, create, told, health, metrics, use, [Symbol.asyncDispose]: end };
}

onEveryEngine((engine, it) => {
  it('a person reads what is held for them, where, until when, and which channels could', async () => {
    await using world = await start(engine);
    const { told, addChannel, create } = world;
    assert.deepEqual(await told(), {
      state: 'no_channel',
      channel_id: null,
      reason: null,
      problem: null,
      horizon_seconds: null,
      moved_at: null,
      held: [],
      channels: [],
    });
    const there = await addChannel();
    const here = await addChannel({ server: 'https://here.test', tier: 1 });
    const mail = await addChannel({ provider: 'webhook', tier: 2 });
    const dead = await addChannel({ valid: false, tier: 3 });
    const id = await create({ break_quiet_hours: true });
    const { held, channels, ...rest } = await told();
    assert.deepEqual(rest, {
      state: 'held',
      channel_id: there.id,
      reason: null,
      problem: null,
      horizon_seconds: 3 * 86_400,
      moved_at: '2026-03-02T09:00:00.000Z',
    });
    assert.deepEqual(held, [
      { at: '2026-03-02T10:10:00.000Z', kind: 'task', task_id: id },
      { at: '2026-03-02T11:00:00.000Z', kind: 'due', task_id: null },
      { at: '2026-03-02T14:00:00.000Z', kind: 'due', task_id: null },
    ]);
    assert.deepEqual(channels, [
      { id: there.id, holds: 'yes' },
      { id: here.id, holds: 'same_machine' },
      { id: mail.id, holds: 'not_the_kind' },
      { id: dead.id, holds: 'not_working' },
    ]);
  });

  it('nobody is told that messages are held which the server refused, and the reason is in plain words', async () => {
    await using world = await start(engine);
    const { holder, told, addChannel, create } = world;
    holder.send = async () => REFUSED;
    const { id } = await addChannel();
    await create();
    const { state, reason, problem, held, channels } = await told();
    assert.deepEqual([state, reason, held], ['not_held', 'server_too_old', []]);
    assert.match(problem, /needs ntfy 2\.16 or newer/);
    assert.deepEqual(channels, [{ id, holds: 'server_too_old' }]);
    assert.deepEqual((await world.health()).servers, [{ name: null, people: 0, failing: 1, problem }]);
  });

  it('a pause that is longer than messages are held is no promise', async () => {
    await using world = await start(engine);
    await world.addChannel();
    await world.create();
    await world.ada.ask('POST', '/v1/me/pause', { until: '2026-03-20T09:00:00Z' });
    await world.look();
    assert.deepEqual([(await world.told()).state, (await world.told()).held], ['paused', []]);
  });

  it('the person, the administrator and the metrics say when the messages of the day run short', async () => {
    await using world = await start(engine);
    const { told, health, metrics, use } = world;
    await world.addChannel({ server: 'https://ntfy.sh' });
    await world.create();
    const { held, one, none_left, servers, horizon_seconds, where, last_moved_at } = await health();
    assert.deepEqual([where, held, one, none_left], ['elsewhere', 1, 0, 0]);
    assert.deepEqual(servers, [{ name: 'ntfy.sh', people: 1, failing: 0, problem: null }]);
    assert.deepEqual([horizon_seconds, last_moved_at], [3 * 86_400, '2026-03-02T09:00:00.000Z']);
    assert.ok((await metrics()).includes('crescendo_understudy_people{state="held"} 1'));
    await use(50);
    assert.equal((await told()).state, 'one');
    assert.equal((await told()).held.length, 1);
    assert.deepEqual([(await health()).held, (await health()).one], [0, 1]);
    await use(25);
    assert.equal((await told()).state, 'none_left');
    assert.equal((await health()).none_left, 1);
    const lines = await metrics();
    assert.ok(lines.includes('crescendo_understudy_people{state="none_left"} 1'), lines.join('\n'));
    assert.ok(lines.includes('crescendo_understudies_held 0'), lines.join('\n'));
  });

  it('metrics count what is placed, moved, cancelled, sounded and failed', async () => {
    await using world = await start(engine);
    const { holder, clock, ada, metrics } = world;
    await world.addChannel();
    const id = await world.create();
    const count = async (event: string) => {
      const line = (await metrics()).find((one) => one.startsWith(`crescendo_understudies_total{event="${event}"}`));
      return Number(line?.split(' ')[1]);
    };
    // The message that nothing rings becomes the first of three.
    assert.deepEqual([await count('placed'), await count('moved')], [3, 1]);
    assert.deepEqual([await count('cancelled'), await count('sounded'), await count('failed')], [0, 0, 0]);
    assert.ok((await metrics()).includes('crescendo_understudies_held 3'));
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:30:00Z' });
    await world.look();
    assert.equal(await count('moved'), 4);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await clock.advance('6m');
    await world.look();
    assert.equal(await count('cancelled'), 2);
    holder.isAway = true;
    await world.create();
    assert.ok((await count('failed')) > 0);
    holder.isAway = false;
    await clock.advance('1m');
    await world.look();
    holder.isAway = true;
    for (let minutes = 0; minutes < 90; minutes += 10) await clock.advance('10m');
    assert.ok((await count('sounded')) > 0);
  });

  it('where the operator has switched it off, nothing is promised', async () => {
    await using app = await startTestApp(engine, { settings: { UNDERSTUDIES: 'off', ADMINS: 'ada@example.org' } });
    const ada = await createPerson(app, 'ada@example.org');
    const { id, ...row } = channelRow(app.clock.now(), {
      user_id: ada.userId,
      provider: 'ntfy',
      server: 'https://ntfy.sh',
    });
    await app.db
      .insertInto('channels')
      .values({ id, ...row })
      .execute();
    const { state, channels } = (await ada.ask('GET', '/v1/me/understudies')).body.data;
    assert.deepEqual([state, channels], ['off', [{ id, holds: 'off' }]]);
    assert.equal((await ada.ask('GET', '/v1/admin/health')).body.data.understudies.where, 'off');
  });
});
