import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countHeldByPause } from '../../src/tasks/timeline/timeline.store.ts';
import { onEveryEngine } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { type Scenario, startScenario } from '../support/scenario.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const at = (time: string, day = '02') => `2026-03-${day}T${time}`;
const QUIET = { quiet_hours_start: '22:00', quiet_hours_end: '07:00' };

const pause = (scenario: Scenario, until: string, keep_must_not_miss = true) =>
  scenario.ada.ask('POST', '/v1/me/pause', { until, keep_must_not_miss });

const plan = (scenario: Scenario, from: string, until: string, keep_must_not_miss = true) =>
  scenario.ada.ask('PUT', '/v1/me/pause/planned', { from, until, keep_must_not_miss });

async function createAdmin(app: TestApp): Promise<Person> {
  const admin = await createPerson(app);
  await app.db.updateTable('users').set({ is_admin: true }).where('id', '=', admin.userId).execute();
  return admin;
}

onEveryEngine((engine, it) => {
  it('a pause holds all nudges until its end, then one comes per task; welcome_back counts them', async () => {
    await using scenario = await startScenario(engine);
    await scenario.create({ title: 'before', due_at: '2026-03-02T09:00:00Z', has_time: true });
    scenario.phone.take();
    await pause(scenario, '2026-03-05T12:00:00Z');
    await scenario.create({ title: 'within', due_at: '2026-03-04T10:00:00Z', has_time: true });
    await scenario.create({ title: 'once', due_at: '2026-03-04T11:00:00Z', has_time: true, mode: 'notify_once' });
    await scenario.create({ title: 'after', due_at: '2026-03-05T18:00:00Z', has_time: true });
    await scenario.advance('74h');
    scenario.phone.expect();
    assert.equal((await scenario.ada.ask('GET', '/v1/me')).body.data.welcome_back, null);
    await scenario.advance('60m');
    scenario.phone.expect(
      `${at('12:00', '05')} 0 once`,
      `${at('12:00', '05')} 0 within`,
      `${at('12:00', '05')} 1 before`,
    );
    const { welcome_back } = (await scenario.ada.ask('GET', '/v1/me')).body.data;
    assert.equal(welcome_back.held, 3);
  });

  it('a pause that is ended early releases its nudges at once, and welcome_back counts those that quiet hours still hold', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T20:00:00Z');
    await scenario.ada.ask('PATCH', '/v1/me', QUIET);
    await pause(scenario, '2026-03-09T12:00:00Z');
    await scenario.create({ title: 'a', due_at: '2026-03-02T21:00:00Z', has_time: true });
    await scenario.create({ title: 'b', due_at: '2026-03-02T21:10:00Z', has_time: true, break_quiet_hours: true });
    await scenario.advance('150m');
    scenario.phone.expect(
      `${at('21:10')} 0 b`,
      ...['21:25', '21:40', '21:55'].map((t) => `${at(t)} 1 b`),
      `${at('22:10')} 2 b`,
    );
    const { welcome_back } = (await scenario.ada.ask('DELETE', '/v1/me/pause')).body.data;
    assert.equal(welcome_back.held, 1);
    await scenario.advance('9h');
    assert.ok(scenario.phone.take().includes(`${at('07:00', '03')} 0 a`));
    assert.equal((await scenario.ada.ask('GET', '/v1/me')).body.data.welcome_back.held, 1);
    await scenario.ada.ask('POST', '/v1/me/pause/ack');
    assert.equal((await scenario.ada.ask('GET', '/v1/me')).body.data.welcome_back, null);
  });

  it('a nudge that only quiet hours held within a pause is not counted, also while it is late', async () => {
    await using app = await startTestApp(engine);
    const { ask, userId } = await createPerson(app);
    await app.engine?.stop();
    const [paused_from, paused_until] = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-04T12:00:00Z')];
    const { id } = (await ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T23:00:00Z', has_time: true }))
      .body.data;
    const countReleasedAt = async (next_fire_at: Date) => {
      const planned = { wanted_at: new Date('2026-03-02T23:00:00Z'), next_fire_at };
      await app.db.updateTable('tasks').set(planned).where('id', '=', id).execute();
      return countHeldByPause(app.db, userId, { paused_from, paused_until });
    };
    assert.equal(await countReleasedAt(new Date('2026-03-03T07:00:00Z')), 0);
    assert.equal(await countReleasedAt(paused_until), 1);
  });

  it('a planned pause holds nudges from its start to its end, keeps must-not-miss tasks, and is followed by the card', async () => {
    await using scenario = await startScenario(engine);
    await plan(scenario, '2026-03-03T00:00:00Z', '2026-03-05T12:00:00Z');
    await scenario.create({ title: 'before', due_at: '2026-03-02T23:50:00Z', has_time: true });
    const within = await scenario.create({ title: 'within', due_at: '2026-03-04T10:00:00Z', has_time: true });
    const must = { has_time: true, mode: 'notify_once', break_quiet_hours: true };
    await scenario.create({ title: 'must', due_at: '2026-03-04T11:00:00Z', ...must });
    const next = async () => (await scenario.read(within.id)).next_fire_at;
    const [first] = (await scenario.ada.ask('GET', `/v1/tasks/${within.id}/forecast`)).body.data;
    assert.deepEqual([first.at, first.holds, await next()], ['2026-03-05T12:00:00.000Z', ['pause'], first.at]);
    await scenario.advance('74h');
    scenario.phone.expect(`${at('23:50')} 0 before`, `${at('11:00', '04')} 0 must`);
    assert.equal(await next(), first.at);
    await scenario.advance('65m');
    scenario.phone.expect(`${at('12:00', '05')} 0 within`, `${at('12:00', '05')} 1 before`);
    const { welcome_back } = (await scenario.ada.ask('GET', '/v1/me')).body.data;
    assert.deepEqual(welcome_back, {
      paused_from: '2026-03-03T00:00:00.000Z',
      paused_until: '2026-03-05T12:00:00.000Z',
      held: 2,
    });
    assert.equal(await next(), '2026-03-05T12:15:00.000Z');
  });

  it('a pause of today that meets the planned one runs on into it, and its early end leaves the planned one', async () => {
    await using scenario = await startScenario(engine);
    await plan(scenario, '2026-03-04T00:00:00Z', '2026-03-06T00:00:00Z');
    await pause(scenario, '2026-03-05T00:00:00Z');
    const task = await scenario.create({ due_at: '2026-03-02T10:00:00Z', has_time: true });
    const next = async () => (await scenario.read(task.id)).next_fire_at;
    assert.equal(await next(), '2026-03-06T00:00:00.000Z');
    await scenario.ada.ask('DELETE', '/v1/me/pause');
    assert.equal(await next(), '2026-03-02T10:00:00.000Z');
    await pause(scenario, '2026-03-05T00:00:00Z');
    await scenario.advance('72h');
    const { paused_until } = (await scenario.ada.ask('GET', '/v1/me')).body.data;
    assert.equal(paused_until, '2026-03-06T00:00:00.000Z');
    await scenario.advance('15h');
    scenario.phone.expect('2026-03-06T00:00 0 pills');
    const { welcome_back } = (await scenario.ada.ask('GET', '/v1/me')).body.data;
    assert.deepEqual([welcome_back.paused_from, welcome_back.held], ['2026-03-02T09:00:00.000Z', 1]);
  });

  it('a nudge that one pause hands to the next through quiet hours is counted once', async () => {
    await using scenario = await startScenario(engine);
    await scenario.ada.ask('PATCH', '/v1/me', QUIET);
    await pause(scenario, '2026-03-02T23:00:00Z');
    await plan(scenario, '2026-03-03T06:00:00Z', '2026-03-04T12:00:00Z');
    await scenario.create({ due_at: '2026-03-02T12:00:00Z', has_time: true });
    await scenario.advance('52h');
    assert.equal(scenario.phone.take()[0], `${at('12:00', '04')} 0 pills`);
    const { welcome_back } = (await scenario.ada.ask('GET', '/v1/me')).body.data;
    assert.deepEqual([welcome_back.paused_from, welcome_back.held], ['2026-03-02T09:00:00.000Z', 1]);
  });

  it('the nudges that come are those of the forecast, with the same holds', async () => {
    await using scenario = await startScenario(engine);
    await scenario.ada.ask('PATCH', '/v1/me', { ...QUIET, timezone: 'America/New_York' });
    await pause(scenario, '2026-03-04T03:00:00Z');
    const task = await scenario.create({ due_at: '2026-03-03T10:00:00Z', has_time: true, lead_time_days: 1 });
    const forecast = (await scenario.ada.ask('GET', `/v1/tasks/${task.id}/forecast?limit=12`)).body.data;
    await scenario.advance('3d');
    const shown = scenario.phone.shown.map(({ at, push }) => ({ at: at.toISOString(), stage: push.stage }));
    assert.deepEqual(
      shown.slice(0, 12),
      forecast.map(({ at, stage }: { at: string; stage: number }) => ({ at, stage })),
    );
    const { body } = await scenario.ada.ask('GET', `/v1/tasks/${task.id}/timeline?limit=200`);
    const held = body.data.filter(({ kind }: { kind: string }) => kind === 'held').reverse();
    const planned = forecast.filter(({ holds }: { holds: string[] }) => holds.length > 0);
    assert.ok(planned.length > 0);
    assert.deepEqual(
      held.slice(0, planned.length).map(({ at, until, holds }: Record<string, unknown>) => ({ at, until, holds })),
      planned.map(({ wanted_at, at, holds }: Record<string, unknown>) => ({ at: wanted_at, until: at, holds })),
    );
  });

  it('a nudge rings anyway at the moment that its owner named, in quiet hours and a planned pause, and the next one is held', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T20:00:00Z');
    const { ada, phone } = scenario;
    await ada.ask('PATCH', '/v1/me', QUIET);
    const task = await scenario.create({
      title: 'lock',
      due_at: '2026-03-02T23:30:00Z',
      has_time: true,
    });
    const path = `/v1/tasks/${task.id}/ring-anyway`;
    const next = async () => (await scenario.read(task.id)).next_fire_at;
    assert.equal(await next(), '2026-03-03T07:00:00.000Z');
    for (const wrong of ['2026-03-02T23:31:00Z', '2026-03-03T07:00:00Z']) {
      const { status, body } = await ada.ask('POST', path, { at: wrong });
      assert.equal(status, 422);
      assert.match(body.detail[0].msg, /wanted_at of one of the next nudges/);
    }
    // Written in another zone; sent twice, it is one change.
    const named = { at: '2026-03-03T00:30:00+01:00' };
    const first = await ada.ask('POST', path, named);
    assert.deepEqual([first.status, first.body.data.next_fire_at], [200, '2026-03-02T23:30:00.000Z']);
    assert.deepEqual((await ada.ask('POST', path, named)).body.data, first.body.data);
    assert.equal((await ada.ask('DELETE', path)).body.data.next_fire_at, '2026-03-03T07:00:00.000Z');
    await ada.ask('POST', path, named);
    await plan(scenario, '2026-03-02T23:00:00Z', '2026-03-03T12:00:00Z');
    assert.equal(await next(), '2026-03-02T23:30:00.000Z');
    // The first attempt fails, and the second is in the hold too.
    phone.answer = () => ({ kind: 'retry', reason: 'busy' });
    await scenario.advance('210m');
    phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('5m');
    phone.expect(`${at('23:30')} 0 lock`);
    assert.equal(await next(), '2026-03-03T12:00:00.000Z');
    await scenario.advance('745m');
    phone.expect(`${at('12:00', '03')} 1 lock`);
    const entries: { kind: string; by: string; until: string }[] = (
      await ada.ask('GET', `/v1/tasks/${task.id}/timeline`)
    ).body.data;
    const told = entries.filter(({ kind }) => kind.startsWith('rings')).map(({ kind, by, until }) => [kind, by, until]);
    const passes = ['rings_anyway', 'owner', '2026-03-02T23:30:00.000Z'];
    assert.deepEqual(told, [passes, ['rings_anyway_undone', 'owner', null], passes]);
  });

  it('what was to ring anyway is held as usual after another snooze and in the next occurrence, and a moment of half an hour ago cannot ring any more', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T22:30:00Z');
    const { ada, phone } = scenario;
    await ada.ask('PATCH', '/v1/me', QUIET);
    const fields = { has_time: true, recurrence: { freq: 'daily' }, mode: 'notify_once' };
    const daily = await scenario.create({ title: 'daily', due_at: '2026-03-02T23:00:00Z', ...fields });
    const again = await scenario.create({ title: 'again', due_at: '2026-03-02T22:31:00Z', ...fields });
    const ring = (id: string, when: string) => ada.ask('POST', `/v1/tasks/${id}/ring-anyway`, { at: when });
    const snooze = (id: string, until: string) => ada.ask('POST', `/v1/tasks/${id}/snooze`, { until });
    await ring(daily.id, '2026-03-02T23:00:00Z');
    await snooze(again.id, '2026-03-02T22:45:00.123Z');
    const { body } = await ring(again.id, '2026-03-02T22:45:00.123Z');
    assert.equal(body.data.next_fire_at, '2026-03-02T22:45:00.123Z');
    assert.equal((await snooze(again.id, '2026-03-02T22:50:00Z')).body.data.next_fire_at, '2026-03-03T07:00:00.000Z');
    await scenario.advance('1h');
    phone.expect(`${at('23:00')} 0 daily`);
    assert.equal((await ring(again.id, '2026-03-02T22:50:00Z')).status, 422);
    const done = await ada.ask('POST', `/v1/tasks/${daily.id}/complete`, {});
    assert.equal(done.body.data.next_fire_at, '2026-03-04T07:00:00.000Z');
    await scenario.advance('8h');
    phone.expect(`${at('07:00', '03')} 0 again`);
  });

  it('only the owner lets an open, accepted task ring anyway, and never through a token below the strongest stage', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T20:00:00Z');
    const { ada, app } = scenario;
    const bob = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', QUIET);
    // A heads-up comes first.
    const moment = '2026-03-04T23:30:00Z';
    const dated = { title: 'lock', due_at: moment, has_time: true, lead_time_days: 1 };
    const assigned = (await bob.ask('POST', '/v1/tasks', { ...dated, owner_id: ada.userId })).body.data;
    const path = `/v1/tasks/${assigned.id}/ring-anyway`;
    const ring = async (person: Person) => (await person.ask('POST', path, { at: moment })).status;
    assert.deepEqual([await ring(ada), await ring(bob), await ring(await createPerson(app))], [409, 403, 404]);
    await ada.ask('POST', `/v1/tasks/${assigned.id}/accept`);
    assert.equal(await ring(bob), 403);
    const token = async (max_stage: number | null) => {
      const made = await ada.ask('POST', '/v1/tokens', { name: 't', scopes: ['tasks:write'], max_stage });
      const headers = { authorization: `Bearer ${made.body.data.token}` };
      return (await app.ask({ method: 'POST', url: path, headers, payload: { at: moment } })).status;
    };
    assert.deepEqual([await token(1), await token(2)], [403, 200]);
    await ada.ask('POST', `/v1/tasks/${assigned.id}/drop`);
    assert.deepEqual([await ring(ada), (await ada.ask('DELETE', path)).status], [409, 409]);
  });

  it('a suspended account is not nudged; lifted, each due task is nudged once and its ladder goes on', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    const open = await scenario.create({ title: 'open', due_at: '2026-03-02T09:10:00Z', has_time: true });
    const later = { title: 'later', due_at: '2026-03-02T12:00:00Z', has_time: true, break_quiet_hours: true };
    await scenario.create(later);
    const daily = { title: 'daily', due_at: '2026-03-02T10:00:00Z', has_time: true, recurrence: { freq: 'daily' } };
    await scenario.create(daily);
    await scenario.advance('30m');
    phone.expect(`${at('09:10')} 0 open`, `${at('09:25')} 1 open`);
    const admin = await createAdmin(app);
    const path = `/v1/admin/people/${ada.userId}`;
    assert.equal((await admin.ask('POST', `${path}/suspend`)).status, 200);
    const plans = () =>
      app.db.selectFrom('tasks').select('next_fire_at').where('next_fire_at', 'is not', null).execute();
    assert.deepEqual(await plans(), []);
    await scenario.advance('48h');
    phone.expect();

    assert.equal((await admin.ask('POST', `${path}/lift`)).status, 200);
    await scenario.advance('1m');
    phone.expect(`${at('09:30', '04')} 0 daily`, `${at('09:30', '04')} 0 later`, `${at('09:30', '04')} 1 open`);
    const { next_fire_at, nudge_count } = await scenario.read(open.id);
    assert.deepEqual([next_fire_at, nudge_count], ['2026-03-04T09:45:00.000Z', 3]);
  });

  test('a delivery that waits when its owner is suspended is not sent', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    phone.answer = () => ({ kind: 'retry', reason: 'busy' });
    await scenario.create({ due_at: '2026-03-02T09:10:00Z', has_time: true });
    await scenario.advance('10m');
    const admin = await createAdmin(app);
    await admin.ask('POST', `/v1/admin/people/${ada.userId}/suspend`);
    phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('1h');
    phone.expect();
    const deliveries = await app.db.selectFrom('deliveries').select(['status', 'reason']).execute();
    assert.deepEqual(deliveries, [{ status: 'cancelled', reason: 'suspended' }]);
  });

  it('the one nudge of a task that notifies once waits for the end of a suspension, unless the task is closed', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    phone.answer = () => ({ kind: 'retry', reason: 'busy' });
    const once = { due_at: '2026-03-02T09:10:00Z', has_time: true, mode: 'notify_once' };
    await scenario.create({ ...once, title: 'open' });
    const closed = await scenario.create({ ...once, title: 'closed' });
    await scenario.advance('30m');
    const admin = await createAdmin(app);
    const path = `/v1/admin/people/${ada.userId}`;
    await admin.ask('POST', `${path}/suspend`);
    phone.answer = () => ({ kind: 'accepted' });
    // It ends the outage of the provider, which hastens retries, and must not send what waits for the suspension.
    await addDevice(app, admin.userId);
    await admin.ask('POST', '/v1/tasks', { ...once, title: 'of another', due_at: '2026-03-02T10:00:00Z' });
    await scenario.advance('24h');
    phone.expect(`${at('10:00')} 0 of another`);
    await admin.ask('POST', `${path}/lift`);
    await ada.ask('POST', `/v1/tasks/${closed.id}/drop`);
    await scenario.advance('15m');
    assert.match(phone.take().join(), /^\S+ 0 open$/);
    await scenario.advance('24h');
    phone.expect();
  });

  it('a push that a long pause keeps is looked at less and less often, and is sent when the pause ends', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    phone.answer = () => ({ kind: 'retry', reason: 'busy' });
    await scenario.create({ due_at: '2026-03-02T09:10:00Z', has_time: true, mode: 'notify_once' });
    await scenario.advance('10m');
    await ada.ask('POST', '/v1/me/pause', { until: '2026-03-05T09:00:00Z' });
    phone.answer = () => ({ kind: 'accepted' });
    const nextLook = async () =>
      (await app.db.selectFrom('deliveries').select('next_attempt_at').executeTakeFirstOrThrow()).next_attempt_at;
    await scenario.advance('1m');
    assert.ok((await nextLook()).getTime() - app.clock.now().getTime() <= 30_000);
    await scenario.advance('2h');
    const looks = new Set<number>();
    for (let minute = 0; minute < 60; minute += 1) {
      await scenario.advance('1m');
      looks.add((await nextLook()).getTime());
    }
    assert.ok(looks.size <= 5, `${looks.size} looks in an hour`);
    phone.expect();
    await scenario.advance('72h');
    phone.expect(`${at('09:00', '05')} 0 pills`);
  });
});
