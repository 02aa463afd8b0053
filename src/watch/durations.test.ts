import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { Durations } from './durations.ts';

test('it tells the same as a histogram of prom-client, bounds included', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = new Durations('a_seconds', 'As long.');
  ours.registerMetric(durations as unknown as Histogram);
  const histogram = new Histogram({
    ...{ name: 'a_seconds', help: 'As long.', labelNames: ['method', 'route', 'status'] },
    ...{ buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10], registers: [theirs] },
  });
  for (const [index, seconds] of [0, 0.005, 0.0051, 0.1, 2.5, 9, 10, 11, 1_000].entries()) {
    const labels = { method: index % 2 ? 'GET' : 'POST', route: '/v1/tasks', status: 200 };
    histogram.observe(labels, seconds);
    durations.observe(labels.method, labels.route, labels.status, seconds);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
});
