import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { EngineMetrics } from './engine-metrics.ts';

test('a batch without due tasks is not among the measured ones', async () => {
  const registry = new Registry();
  const metrics = new EngineMetrics(registry);
  await metrics.measure(async () => ({ taken: 0, nudges: 0, late: 0 }));
  await metrics.measure(async () => ({ taken: 7, nudges: 5, late: 2 }));
  const text = await registry.metrics();
  for (const line of ['sweep_tasks_count 1', 'sweep_tasks_sum 7', 'nudges_total 5', 'nudges_late_total 2'])
    assert.match(text, new RegExp(`^crescendo_${line}$`, 'm'));
});
