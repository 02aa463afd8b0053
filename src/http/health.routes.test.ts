import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { App } from './app.ts';
import { handleErrors } from './failures.ts';
import { healthRoutes } from './health.routes.ts';
import type { Health } from './health.ts';

/** The statuses of the three routes. */
async function statuses({ isOverloaded = false, fails = false, older = 0 } = {}) {
  const app = Fastify() as unknown as App;
  app.decorate('load', { isOverloaded } as App['load']);
  handleErrors(app);
  const check = async () => {
    if (fails) throw new AppError('engine_late');
    return 1.5;
  };
  healthRoutes(
    '1.2.3',
    { check, lastSweepAt: () => null, olderProcesses: () => older } as unknown as Health,
    'id',
  )(app);
  const asked: string[] = [];
  for (const path of ['/health', '/health/live', '/health/ready']) {
    const { statusCode, body, headers } = await app.inject(path);
    const { data, error } = JSON.parse(body);
    asked.push(
      [statusCode, data?.status ?? error.split(':')[0], headers['crescendo-older-processes']].join(' ').trim(),
    );
  }
  await app.close();
  return asked;
}

test('a process that works is alive and ready', async () => {
  assert.deepEqual(await statuses(), ['200 ok', '200 ok', '200 ok']);
});

test('an overloaded process is alive and not ready, so that a load balancer uses another one', async () => {
  assert.deepEqual(await statuses({ isOverloaded: true }), ['200 busy', '200 ok', '503 overloaded']);
});

test('a service whose nudges are late is neither healthy nor ready, and a restart would not help', async () => {
  assert.deepEqual(await statuses({ fails: true }), ['503 engine_late', '200 ok', '503 engine_late']);
});

test('health says how many processes of an older release run beside this one, if any do', async () => {
  assert.deepEqual(await statuses({ older: 2 }), ['200 ok 2', '200 ok', '200 ok']);
});
