import assert from 'node:assert/strict';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';

const at = (time: string) => `2026-03-02T${time}`;

onEveryEngine((engine, it) => {
  it('a task climbs the ladder: at the due time, three times after 15 minutes each, after an hour, then hourly without end', async () => {
    await using scenario = await startScenario(engine);
    const task = await scenario.create({ due_at: '2026-03-02T10:00:00Z', has_time: true });
    assert.equal(task.next_fire_at, '2026-03-02T10:00:00.000Z');
    await scenario.advance('59m');
    scenario.phone.expect();
    await scenario.advance('1m');
    scenario.phone.expect(`${at('10:00')} 0 pills`);
    const first = await scenario.read(task.id);
    assert.equal(first.escalation_stage, 0);
    assert.equal(first.nudge_count, 1);
    assert.deepEqual([first.last_nudge_at, first.updated_at], ['2026-03-02T10:00:00.000Z', '2026-03-02T10:00:00.000Z']);
    assert.equal(first.next_fire_at, '2026-03-02T10:15:00.000Z');
    await scenario.advance('45m');
    scenario.phone.expect(`${at('10:15')} 1 pills`, `${at('10:30')} 1 pills`, `${at('10:45')} 1 pills`);
    assert.equal((await scenario.read(task.id)).escalation_stage, 1);
    await scenario.advance('15m');
    scenario.phone.expect(`${at('11:00')} 2 pills`);
    await scenario.advance('3h');
    scenario.phone.expect(`${at('12:00')} 2 pills`, `${at('13:00')} 2 pills`, `${at('14:00')} 2 pills`);
    await scenario.advance('2d');
    assert.equal(scenario.phone.take().length, 48);
    const last = await scenario.read(task.id);
    assert.deepEqual([last.escalation_stage, last.nudge_count], [2, 56]);
    assert.equal(last.next_fire_at, '2026-03-04T15:00:00.000Z');
    assert.equal((await scenario.ada.ask('GET', '/v1/stats')).body.data.nudges_sent, 56);
  });

  it('a lead time that has begun gives a heads-up at once, when the task is created, re-dated or accepted', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const settle = () => app.engine?.settled();
    const due_at = '2026-03-03T18:00:00Z';
    const { id } = await scenario.create({ due_at, has_time: true, lead_time_days: 2 });
    scenario.phone.expect(`${at('09:00')} -1 pills`);
    const forecast = (await ada.ask('GET', `/v1/tasks/${id}/forecast?limit=2`)).body.data;
    assert.deepEqual(
      forecast.map((nudge: { at: string; stage: number }) => [nudge.at, nudge.stage]),
      [
        ['2026-03-03T18:00:00.000Z', 0],
        ['2026-03-03T18:15:00.000Z', 1],
      ],
    );
    await scenario.advance('10m');
    for (const change of [{ title: 'pill' }, { mode: 'notify_once' }, { lead_time_days: 3 }]) {
      await ada.ask('PATCH', `/v1/tasks/${id}`, change);
      await settle();
      scenario.phone.expect();
    }
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-03T19:00:00Z' });
    await settle();
    scenario.phone.expect(`${at('09:10')} -1 pill`);

    await scenario.create({ due_at: '2026-03-02T10:10:00Z', has_time: true, lead_time_days: 2 });
    scenario.phone.expect();
    await scenario.advance('1h');
    scenario.phone.expect(`${at('10:10')} 0 pills`);

    const grace = await createPerson(app, 'grace@example.org');
    const request = { title: 'ask', owner_id: ada.userId, due_at, has_time: true, lead_time_days: 2 };
    const { data } = (await grace.ask('POST', '/v1/tasks', request)).body;
    await settle();
    scenario.phone.expect();
    await ada.ask('POST', `/v1/tasks/${data.id}/accept`);
    await settle();
    scenario.phone.expect(`${at('10:10')} -1 ask`);
  });

  it('completing an occurrence, snoozing and reopening give no heads-up at once; a new lead time does', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const settle = () => app.engine?.settled();
    const due_at = '2026-03-02T18:00:00Z';
    const recurrence = { freq: 'daily' };
    const { id } = await scenario.create({ due_at, has_time: true, lead_time_days: 1, recurrence });
    scenario.phone.expect(`${at('09:00')} -1 pills`);
    for (const [action, body] of [
      ['complete', {}],
      ['reopen', {}],
      ['skip', {}],
      ['snooze', { until: '2026-03-03T18:00:00Z' }],
    ] as const) {
      await scenario.advance('1m');
      const { status } = await ada.ask('POST', `/v1/tasks/${id}/${action}`, body);
      await settle();
      assert.equal(status, 200, action);
      scenario.phone.expect();
    }
    const other = await scenario.create({ due_at: '2026-03-03T18:00:00Z', has_time: true });
    await ada.ask('PATCH', `/v1/tasks/${other.id}`, { lead_time_days: 1 });
    await settle();
    scenario.phone.expect(`${at('09:04')} -1 pills`);
  });
});
