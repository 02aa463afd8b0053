import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { RequestHistogram } from './request-histogram.ts';

test('the output equals that of a prom-client histogram, also for values at the bounds', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const ourHistogram = new RequestHistogram('a_seconds', 'Durations.');
  ours.registerMetric(ourHistogram as unknown as Histogram);
  const theirHistogram = new Histogram({
    name: 'a_seconds',
    help: 'Durations.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [theirs],
  });
  for (const [index, seconds] of [0, 0.005, 0.0051, 0.1, 2.5, 9, 10, 11, 1_000].entries()) {
    const labels = { method: index % 2 ? 'GET' : 'POST', route: '/v1/tasks', status: index < 4 ? 200 : 503 };
    theirHistogram.observe(labels, seconds);
    ourHistogram.observe(labels.method, labels.route, labels.status, seconds);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
});
