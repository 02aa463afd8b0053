/** Clocks that differ: those of two processes after theirs was set. */
import assert from 'node:assert/strict';
import { SetBackClock } from '../../src/engine/set-back-clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startScenario } from '../support/scenario.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };

onEveryEngine((engine, it) => {
  it('what an API starts that follows a clock set back later than the engine is planned again', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T12:00:00Z');
    const { app } = scenario;
    await app.engine?.stop();
    const clock = new FakeClock('2026-03-02T12:00:00Z');
    const engineClock = new SetBackClock(app.db, clock, createLogger('silent'));
    const correctPlans = () => engineClock.correctPlans(new AbortController().signal);
    await correctPlans();
    clock.set('2026-03-02T09:00:00Z');
    await correctPlans();
    const { id } = await scenario.create({ ...DUE, due_at: '2026-03-02T09:30:00Z' });
    const nextOf = async () => (await scenario.read(id)).next_fire_at;
    assert.equal(await nextOf(), '2026-03-02T12:00:00.000Z');
    app.clock.set('2026-03-02T09:00:50Z');
    const inStep = await scenario.create({ ...DUE, due_at: '2026-03-02T09:00:20Z' });
    clock.set('2026-03-02T09:00:50Z');
    await correctPlans();
    assert.equal(await nextOf(), '2026-03-02T12:00:00.000Z');
    clock.set('2026-03-02T09:01:20Z');
    await correctPlans();
    assert.equal(await nextOf(), '2026-03-02T09:30:00.000Z');
    assert.equal((await scenario.read(inStep.id)).next_fire_at, '2026-03-02T09:00:50.000Z');
  });
});
