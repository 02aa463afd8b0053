import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { startScene } from '../support/scene.ts';

const NINE = '2026-03-02T09:00:00Z';
const at = (time: string, day = '02') => `2026-03-${day}T${time}`;

onEveryEngine((engine) => {
  test('a task climbs the ladder: at due, thrice a quarter of an hour, at an hour, then every hour without end', async () => {
    await using scene = await startScene(engine);
    const task = await scene.create({ due_at: '2026-03-02T10:00:00Z', has_time: true });
    assert.equal(task.next_fire_at, '2026-03-02T10:00:00.000Z');
    await scene.advance('59m');
    scene.phone.expect();
    await scene.advance('1m');
    scene.phone.expect(`${at('10:00')} 0 pills`);
    const first = await scene.read(task.id);
    assert.equal(first.escalation_stage, 0);
    assert.equal(first.nudge_count, 1);
    assert.equal(first.last_nudge_at, '2026-03-02T10:00:00.000Z');
    assert.equal(first.next_fire_at, '2026-03-02T10:15:00.000Z');
    await scene.advance('45m');
    scene.phone.expect(`${at('10:15')} 1 pills`, `${at('10:30')} 1 pills`, `${at('10:45')} 1 pills`);
    assert.equal((await scene.read(task.id)).escalation_stage, 1);
    await scene.advance('15m');
    scene.phone.expect(`${at('11:00')} 2 pills`);
    await scene.advance('3h');
    scene.phone.expect(`${at('12:00')} 2 pills`, `${at('13:00')} 2 pills`, `${at('14:00')} 2 pills`);
    await scene.advance('2d');
    assert.equal(scene.phone.take().length, 48);
    const last = await scene.read(task.id);
    assert.deepEqual([last.escalation_stage, last.nudge_count], [2, 56]);
    assert.equal(last.next_fire_at, '2026-03-04T15:00:00.000Z');
    assert.equal((await scene.ada.ask('GET', '/v1/stats')).body.data.nudges_sent, 56);
  });

  test('a task in mode notify_once is shown once and never again', async () => {
    await using scene = await startScene(engine);
    const task = await scene.create({ due_at: '2026-03-02T10:00:00Z', has_time: true, mode: 'notify_once' });
    await scene.advance('3d');
    scene.phone.expect(`${at('10:00')} 0 pills`);
    const { next_fire_at, nudge_count, escalation_stage } = await scene.read(task.id);
    assert.deepEqual([next_fire_at, nudge_count, escalation_stage], [null, 1, 0]);
  });

  test('a task without a due date keeps quiet until it is given one', async () => {
    await using scene = await startScene(engine);
    const task = await scene.create({});
    await scene.advance('30d');
    scene.phone.expect();
    await scene.ada.ask('PATCH', `/v1/tasks/${task.id}`, { due_at: '2026-04-01T10:00:00Z', has_time: true });
    await scene.advance('61m');
    scene.phone.expect('2026-04-01T10:00 0 pills');
  });

  test('a heads-up comes the given number of days before, at the start of the day, and climbs nothing', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { day_start: '07:30' });
    const task = await scene.create({ due_at: '2026-03-05T18:00:00Z', has_time: true, lead_time_days: 2 });
    assert.equal(task.next_fire_at, '2026-03-03T07:30:00.000Z');
    await scene.advance('1d');
    scene.phone.expect(`${at('07:30', '03')} -1 pills`);
    const { escalation_stage, nudge_count, next_fire_at } = await scene.read(task.id);
    assert.deepEqual([escalation_stage, nudge_count], [0, 1]);
    assert.equal(next_fire_at, '2026-03-05T18:00:00.000Z');
    await scene.advance('3d');
    assert.deepEqual(scene.phone.take().slice(0, 3), [
      `${at('18:00', '05')} 0 pills`,
      `${at('18:15', '05')} 1 pills`,
      `${at('18:30', '05')} 1 pills`,
    ]);
  });

  test('a lead time of no days announces a task with a time on its own morning', async () => {
    await using scene = await startScene(engine);
    await scene.create({ due_at: '2026-03-03T18:00:00Z', has_time: true, lead_time_days: 0 });
    await scene.advance('1d');
    scene.phone.expect(`${at('09:00', '03')} -1 pills`);
    await scene.advance('9h');
    scene.phone.expect(`${at('18:00', '03')} 0 pills`);
  });

  test('a task without a time begins at the start of its day', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo', day_start: '08:00' });
    await scene.create({ due_at: '2026-03-04T23:30:00-05:00' });
    await scene.advance('3d');
    assert.deepEqual(scene.phone.take().slice(0, 2), [`${at('23:00', '03')} 0 pills`, `${at('23:15', '03')} 1 pills`]);
  });

  test('a task that is made overdue is shown at once and climbs from there', async () => {
    await using scene = await startScene(engine);
    await scene.create({ due_at: '2026-02-01T10:00:00Z', has_time: true, lead_time_days: 3 });
    scene.phone.expect(`${at('09:00')} 0 pills`);
    await scene.advance('60m');
    scene.phone.expect(...['09:15', '09:30', '09:45'].map((time) => `${at(time)} 1 pills`), `${at('10:00')} 2 pills`);
  });

  test('a snooze past the due moment begins the ladder anew then, and not before', async () => {
    await using scene = await startScene(engine);
    const task = await scene.create({ due_at: NINE, has_time: true });
    await scene.advance('30m');
    scene.phone.take();
    await scene.ada.ask('POST', `/v1/tasks/${task.id}/snooze`, { until: '2026-03-02T12:00:00Z' });
    const { escalation_stage, next_fire_at, nudge_count } = await scene.read(task.id);
    assert.deepEqual([escalation_stage, next_fire_at, nudge_count], [0, '2026-03-02T12:00:00.000Z', 3]);
    await scene.advance('165m');
    scene.phone.expect(`${at('12:00')} 0 pills`, `${at('12:15')} 1 pills`);
    assert.equal((await scene.read(task.id)).deferred_until, '2026-03-02T12:00:00.000Z');
  });

  test('a snooze to before the due moment gives one more heads-up, and the ladder at due', async () => {
    await using scene = await startScene(engine);
    const task = await scene.create({ due_at: '2026-03-02T18:00:00Z', has_time: true });
    await scene.ada.ask('POST', `/v1/tasks/${task.id}/snooze`, { until: '2026-03-02T11:00:00Z' });
    await scene.advance('555m');
    scene.phone.expect(`${at('11:00')} -1 pills`, `${at('18:00')} 0 pills`, `${at('18:15')} 1 pills`);
  });

  test('a request is silent until its owner accepts it, and then begins at the later of acceptance and due', async () => {
    await using scene = await startScene(engine);
    const bob = await signIn(scene.bed, 'bob@example.org');
    const ask = (title: string, due_at: string) =>
      bob.ask('POST', '/v1/tasks', { title, due_at, has_time: true, owner_id: scene.ada.userId });
    const late = (await ask('late', '2026-03-02T09:30:00Z')).body.data;
    const early = (await ask('early', '2026-03-02T11:30:00Z')).body.data;
    await scene.advance('2h');
    scene.phone.expect();
    for (const { id } of [late, early]) await scene.ada.ask('POST', `/v1/tasks/${id}/accept`);
    await scene.advance('30m');
    scene.phone.expect(
      `${at('11:00')} 0 late`,
      `${at('11:15')} 1 late`,
      `${at('11:30')} 0 early`,
      `${at('11:30')} 1 late`,
    );
  });

  test('a new run after re-dating, reopening or the next occurrence begins at the first step', async () => {
    await using scene = await startScene(engine);
    const daily = { due_at: NINE, has_time: true, recurrence: { freq: 'daily' } };
    const task = await scene.create(daily);
    await scene.advance('20m');
    await scene.ada.ask('POST', `/v1/tasks/${task.id}/complete`);
    await scene.advance('1d');
    scene.phone.expect(
      ...[
        `${at('09:00')} 0 pills`,
        `${at('09:15')} 1 pills`,
        `${at('09:00', '03')} 0 pills`,
        `${at('09:15', '03')} 1 pills`,
      ],
    );
    await scene.ada.ask('PATCH', `/v1/tasks/${task.id}`, { due_at: '2026-03-03T10:00:00Z' });
    await scene.advance('55m');
    scene.phone.expect(`${at('10:00', '03')} 0 pills`, `${at('10:15', '03')} 1 pills`);
    await scene.ada.ask('POST', `/v1/tasks/${task.id}/complete`);
    await scene.advance('5m');
    await scene.ada.ask('POST', `/v1/tasks/${task.id}/reopen`);
    await scene.advance('15m');
    scene.phone.expect(`${at('10:20', '03')} 0 pills`, `${at('10:35', '03')} 1 pills`);
  });

  test('whatever is dealt with is never shown again', async () => {
    await using scene = await startScene(engine);
    const dated = { due_at: NINE, has_time: true };
    for (const action of ['complete', 'skip', 'drop']) {
      const { id } = await scene.create({ ...dated, title: action });
      scene.phone.take();
      await scene.ada.ask('POST', `/v1/tasks/${id}/${action}`);
      await scene.advance('1d');
      scene.phone.expect();
    }
  });
});
