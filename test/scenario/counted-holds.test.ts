/** The card after a pause counts what the pause held of its own account. */
import assert from 'node:assert/strict';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';

onEveryEngine((engine, it) => {
  it('what a pause held of others is not counted, whether they were nudged since or not', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const [bob, cem] = [await createPerson(app), await createPerson(app)];
    // Of Cem, quiet hours hold on what the pause has held.
    await cem.ask('PATCH', '/v1/me', { quiet_hours_start: '11:00', quiet_hours_end: '13:00' });
    for (const person of [ada, bob, cem]) {
      await person.ask('POST', '/v1/me/pause', { until: '2026-03-02T12:00:00Z' });
      await person.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
    }
    await scenario.advance('181m');
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.welcome_back.held, 1);
  });
});
