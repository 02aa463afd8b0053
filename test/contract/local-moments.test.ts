/** Moments without an offset are those of the clock of the account, and so are the dates of its series. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  let app: TestApp;
  let ada: Person;
  before(async () => {
    app = await startTestApp(engine);
    ada = await createPerson(app);
    // It is Monday, 2 March 2026, at 04:00 in New York.
    const quiet = { quiet_hours_start: '21:00', quiet_hours_end: '07:00' };
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York', ...quiet });
  });
  after(() => app[Symbol.asyncDispose]());

  const create = async (fields: object): Promise<string> =>
    (await ada.ask('POST', '/v1/tasks', { title: 'pills', has_time: true, ...fields })).body.data.id;
  const post = (id: string, path: string, body: object) => ada.ask('POST', `/v1/tasks/${id}/${path}`, body);

  it('an occurrence, a snooze, a move and a nudge that rings anyway are named by the clock of the account', async () => {
    const id = await create({ due_at: '2026-03-03T22:00', recurrence: { freq: 'daily' } });
    const due = '2026-03-04T03:00:00.000Z';
    assert.equal((await post(id, 'ring-anyway', { at: '2026-03-03T22:00' })).body.data?.next_fire_at, due);
    const moved = await post(id, 'move', { due_at: '2026-03-03T20:00', occurrence_due_at: '2026-03-03T22:00' });
    assert.equal(moved.body.data?.due_at, '2026-03-04T01:00:00.000Z');
    const snoozed = await post(id, 'snooze', { until: '2026-03-03T20:30', occurrence_due_at: '2026-03-03T20:00' });
    assert.equal(snoozed.body.data?.next_fire_at, '2026-03-04T01:30:00.000Z');
    const done = await post(id, 'complete', { occurrence_due_at: '2026-03-03T20:00' });
    assert.equal(done.body.data?.due_at, '2026-03-05T03:00:00.000Z');
  });

  it('what was missed is told by the clock of the account, and a snooze that is over is none', async () => {
    const id = await create({ due_at: '2026-03-02T08:00', recurrence: { freq: 'daily' } });
    await post(id, 'snooze', { until: '2026-03-02T09:00' });
    const snoozed = async () => [
      (await ada.ask('GET', '/v1/tasks?status=snoozed')).body.data.length,
      (await ada.ask('GET', '/v1/stats')).body.data.snoozed,
    ];
    assert.deepEqual(await snoozed(), [1, 1]);
    await app.clock.advance('3d');
    assert.deepEqual(await snoozed(), [0, 0]);
    await post(id, 'complete', {});
    const [{ missed, missed_from, missed_to }] = (await ada.ask('GET', '/v1/outcomes/missed')).body.data;
    assert.deepEqual([missed, missed_from, missed_to], [2, '2026-03-03T13:00:00.000Z', '2026-03-04T13:00:00.000Z']);
  });
});
