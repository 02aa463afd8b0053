import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { addEngineState, EngineMetrics } from './engine-metrics.ts';

test('a batch without due tasks is not among the measured ones', async () => {
  const registry = new Registry();
  const metrics = new EngineMetrics(registry);
  await metrics.measure(async () => ({ taken: 0, nudges: 0, late: 0 }));
  await metrics.measure(async () => ({ taken: 7, nudges: 5, late: 2 }));
  const text = await registry.metrics();
  for (const line of ['sweep_tasks_count 1', 'sweep_tasks_sum 7', 'nudges_total 5', 'nudges_late_total 2'])
    assert.match(text, new RegExp(`^crescendo_${line}$`, 'm'));
});

test('without an answer of the database there is no lag, and without an engine no age of its last look', async () => {
  const clock = new FakeClock();
  const state = { lag: 12 as number | undefined, at: new Date(clock.now().getTime() - 7_000) as Date | null };
  const registry = new Registry();
  addEngineState(registry, { lagSeconds: async () => state.lag, lastSweepAt: () => state.at, clock });
  const read = async () => (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'));
  const [up, lag, age] = [
    'crescendo_database_up',
    'crescendo_engine_lag_seconds',
    'crescendo_engine_last_sweep_age_seconds',
  ];
  assert.deepEqual(await read(), [`${up} 1`, `${lag} 12`, `${age} 7`]);
  Object.assign(state, { lag: undefined, at: null });
  assert.deepEqual(await read(), [`${up} 0`]);
  Object.assign(state, { lag: 0, at: new Date(clock.now().getTime() + 60_000) });
  assert.deepEqual(await read(), [`${up} 1`, `${lag} 0`, `${age} 0`]);
});
