import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { type Scene, startScene } from '../support/scene.ts';

const at = (time: string, day = '02') => `2026-03-${day}T${time}`;
const QUIET = { quiet_hours_start: '22:00', quiet_hours_end: '07:00' };

const pause = (scene: Scene, until: string, keep_must_not_miss = true) =>
  scene.ada.ask('POST', '/v1/me/pause', { until, keep_must_not_miss });

onEveryEngine((engine) => {
  test('quiet hours over midnight hold the ladder at its step, and one nudge comes when they end', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', QUIET);
    const task = await scene.create({ due_at: '2026-03-02T21:40:00Z', has_time: true });
    await scene.advance('780m');
    scene.phone.expect(`${at('21:40')} 0 pills`, `${at('21:55')} 1 pills`);
    const held = await scene.read(task.id);
    assert.deepEqual([held.next_fire_at, held.escalation_stage], ['2026-03-03T07:00:00.000Z', 1]);
    await scene.advance('10h');
    scene.phone.expect(
      ...['07:00', '07:15'].map((time) => `${at(time, '03')} 1 pills`),
      `${at('07:30', '03')} 2 pills`,
    );
  });

  test('a must-not-miss task passes quiet hours', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', QUIET);
    await scene.create({ due_at: '2026-03-02T23:00:00Z', has_time: true, break_quiet_hours: true });
    await scene.advance('855m');
    scene.phone.expect(`${at('23:00')} 0 pills`, `${at('23:15')} 1 pills`);
  });

  test('quiet hours that end as they begin hold nothing', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '22:00' });
    await scene.create({ due_at: '2026-03-02T22:00:00Z', has_time: true });
    await scene.advance('785m');
    scene.phone.expect(`${at('22:00')} 0 pills`);
  });

  test('quiet hours follow the wall clock over the night in which summer time begins', async () => {
    // In Berlin the clock goes from 02:00 to 03:00 on 29 March.
    await using scene = await startScene(engine, '2026-03-28T20:00:00Z');
    await scene.ada.ask('PATCH', '/v1/me', { ...QUIET, timezone: 'Europe/Berlin' });
    await scene.create({ due_at: '2026-03-28T23:00:00+01:00', has_time: true });
    await scene.advance('12h');
    assert.equal(scene.phone.take()[0], '2026-03-29T05:00 0 pills');
  });

  test('a heads-up that quiet hours hold until the task is due is dropped', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '08:00', quiet_hours_end: '12:00' });
    await scene.create({ due_at: '2026-03-03T11:00:00Z', has_time: true, lead_time_days: 0 });
    await scene.advance('28h');
    scene.phone.expect(
      `${at('12:00', '03')} 0 pills`,
      ...['12:15', '12:30', '12:45'].map((t) => `${at(t, '03')} 1 pills`),
      `${at('13:00', '03')} 2 pills`,
    );
  });

  test('changed quiet hours move what is waiting, at once', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', QUIET);
    const task = await scene.create({ due_at: '2026-03-02T23:00:00Z', has_time: true });
    await scene.advance('16h');
    scene.phone.expect();
    await scene.ada.ask('PATCH', '/v1/me', { quiet_hours_start: null });
    await scene.advance('1m');
    scene.phone.expect(`${at('01:00', '03')} 0 pills`);
    assert.equal((await scene.read(task.id)).next_fire_at, '2026-03-03T01:15:00.000Z');
  });

  test('moving to another time zone moves quiet hours and days, not times', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { ...QUIET, timezone: 'Europe/Berlin' });
    await scene.create({ title: 'timed', due_at: '2026-03-03T18:00:00+01:00', has_time: true });
    await scene.create({ title: 'day', due_at: '2026-03-03T00:00:00+01:00' });
    await scene.ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    await scene.advance('24h');
    scene.phone.expect();
    await scene.advance('5h');
    // The day begins at 09:00 in New York, which is 14:00 UTC.
    scene.phone.expect(`${at('14:00', '03')} 0 day`);
    await scene.advance('3h');
    assert.ok(scene.phone.take().includes(`${at('17:00', '03')} 0 timed`));
  });

  test('a pause holds everything until its end, then one nudge each; the card tells how many were held', async () => {
    await using scene = await startScene(engine);
    await scene.create({ title: 'before', due_at: '2026-03-02T09:00:00Z', has_time: true });
    scene.phone.take();
    await pause(scene, '2026-03-05T12:00:00Z');
    await scene.create({ title: 'within', due_at: '2026-03-04T10:00:00Z', has_time: true });
    await scene.create({ title: 'once', due_at: '2026-03-04T11:00:00Z', has_time: true, mode: 'notify_once' });
    await scene.create({ title: 'after', due_at: '2026-03-05T18:00:00Z', has_time: true });
    await scene.advance('74h');
    scene.phone.expect();
    assert.equal((await scene.ada.ask('GET', '/v1/me')).body.data.welcome_back, null);
    await scene.advance('60m');
    scene.phone.expect(`${at('12:00', '05')} 0 once`, `${at('12:00', '05')} 0 within`, `${at('12:00', '05')} 1 before`);
    const { welcome_back } = (await scene.ada.ask('GET', '/v1/me')).body.data;
    assert.equal(welcome_back.held, 3);
  });

  test('must-not-miss tasks come through a pause that keeps them, and wait in one that does not', async () => {
    await using scene = await startScene(engine);
    const due = { has_time: true, break_quiet_hours: true, mode: 'notify_once' };
    await pause(scene, '2026-03-03T12:00:00Z', true);
    await scene.create({ title: 'kept', due_at: '2026-03-02T10:00:00Z', ...due });
    await scene.advance('2h');
    scene.phone.expect(`${at('10:00')} 0 kept`);
    await pause(scene, '2026-03-03T12:00:00Z', false);
    await scene.create({ title: 'held', due_at: '2026-03-02T12:00:00Z', ...due });
    await scene.advance('25h');
    scene.phone.expect(`${at('12:00', '03')} 0 held`);
  });

  test('a pause that ends early lets the waiting nudges go at once, and the card counts those that quiet hours still hold', async () => {
    await using scene = await startScene(engine, '2026-03-02T20:00:00Z');
    await scene.ada.ask('PATCH', '/v1/me', QUIET);
    await pause(scene, '2026-03-09T12:00:00Z');
    await scene.create({ title: 'a', due_at: '2026-03-02T21:00:00Z', has_time: true });
    await scene.create({ title: 'b', due_at: '2026-03-02T21:10:00Z', has_time: true, break_quiet_hours: true });
    await scene.advance('150m');
    scene.phone.expect(
      `${at('21:10')} 0 b`,
      ...['21:25', '21:40', '21:55'].map((t) => `${at(t)} 1 b`),
      `${at('22:10')} 2 b`,
    );
    const { welcome_back } = (await scene.ada.ask('DELETE', '/v1/me/pause')).body.data;
    assert.equal(welcome_back.held, 1);
    await scene.advance('9h');
    assert.ok(scene.phone.take().includes(`${at('07:00', '03')} 0 a`));
    assert.equal((await scene.ada.ask('GET', '/v1/me')).body.data.welcome_back.held, 1);
    await scene.ada.ask('POST', '/v1/me/pause/ack');
    assert.equal((await scene.ada.ask('GET', '/v1/me')).body.data.welcome_back, null);
  });

  test('what was forecast is what comes, holds and their reasons included', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { ...QUIET, timezone: 'America/New_York' });
    await pause(scene, '2026-03-04T03:00:00Z');
    const task = await scene.create({ due_at: '2026-03-03T10:00:00Z', has_time: true, lead_time_days: 1 });
    const forecast = (await scene.ada.ask('GET', `/v1/tasks/${task.id}/forecast?limit=12`)).body.data;
    await scene.advance('3d');
    const shown = scene.phone.shown.map(({ at, push }) => ({ at: at.toISOString(), stage: push.stage }));
    assert.deepEqual(
      shown.slice(0, 12),
      forecast.map(({ at, stage }: { at: string; stage: number }) => ({ at, stage })),
    );
    const { body } = await scene.ada.ask('GET', `/v1/tasks/${task.id}/timeline?limit=200`);
    const held = body.data.filter(({ kind }: { kind: string }) => kind === 'held').reverse();
    const planned = forecast.filter(({ holds }: { holds: string[] }) => holds.length > 0);
    assert.ok(planned.length > 0);
    assert.deepEqual(
      held.slice(0, planned.length).map(({ at, until, holds }: Record<string, unknown>) => ({ at, until, holds })),
      planned.map(({ wanted_at, at, holds }: Record<string, unknown>) => ({ at: wanted_at, until: at, holds })),
    );
  });
});
