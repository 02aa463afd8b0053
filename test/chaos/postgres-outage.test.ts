/** PostgreSQL is killed while the service is busy, and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** Twice the size of the pool, so that at any moment some callers wait for a connection. */
const CALLERS = 20;
const ANSWER_LIMIT_MS = 10_000;
const RECOVERY_LIMIT_MS = 5_000;

/** Fails on any answer but 200 and the documented 503, and if the answer takes too long. */
async function askForHealth(service: ServiceProcess): Promise<200 | 503> {
  const request = fetch(`${service.baseUrl}/health`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  const response = await request.catch((cause) => {
    throw new Error(`No answer. Standard error of the service: ${service.stderr}`, { cause });
  });
  const body = (await response.json()) as { ok: boolean; data: unknown; error: string };
  if (response.status === 200) return 200;
  assert.equal(response.status, 503, JSON.stringify(body));
  assert.deepEqual([body.ok, body.data], [false, null]);
  assert.match(body.error, /^database_unavailable: /);
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return 503;
}

/** Callers that each send one request after another until `stop` is called. */
function keepAsking(service: ServiceProcess) {
  const answers: (200 | 503)[] = [];
  let isStopping = false;
  const call = async () => {
    while (!isStopping) answers.push(await askForHealth(service));
  };
  const calls = Promise.all(Array.from({ length: CALLERS }, call));
  // stop() reports the failure of a caller.
  calls.catch(() => undefined);
  const stop = async () => {
    isStopping = true;
    await calls;
    return answers;
  };
  // Runs without stop() only after another failure, which is the one to report.
  const dispose = async () => void (await Promise.allSettled([stop()]));
  return { stop, [Symbol.asyncDispose]: dispose };
}

/** Repeats the request until it gets the expected status. */
async function untilHealthIs(expected: 200 | 503, service: ServiceProcess, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  while ((await askForHealth(service)) !== expected) {
    assert.ok(elapsedMs() < withinMs, `not ${expected} within ${withinMs} ms`);
  }
  return elapsedMs();
}

onlyOn('postgres', () => {
  test('while PostgreSQL is down every answer is 200 or 503, and the service recovers within 5 s of its return', async () => {
    await using parts = new AsyncDisposableStack();
    const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
    const environment = { DATABASE_URL: postgres.urlOf('postgres'), SECRET_KEY: 'x'.repeat(32), LOG_LEVEL: 'silent' };
    const service = parts.use(await startService(environment));
    const callers = parts.use(keepAsking(service));

    for (let outage = 1; outage <= 2; outage += 1) {
      await untilHealthIs(200, service, RECOVERY_LIMIT_MS);
      await postgres.kill();
      await untilHealthIs(503, service, ANSWER_LIMIT_MS);
      // More requests than the pool has connections, to show that failed requests use up nothing.
      for (let request = 1; request <= 50; request += 1) assert.equal(await askForHealth(service), 503);
      await postgres.resume();
      const recoveredAfterMs = await untilHealthIs(200, service, RECOVERY_LIMIT_MS);
      assert.ok(recoveredAfterMs < RECOVERY_LIMIT_MS, `it took ${Math.round(recoveredAfterMs)} ms`);
      for (let request = 1; request <= 50; request += 1) assert.equal(await askForHealth(service), 200);
    }

    const answers = await callers.stop();
    assert.deepEqual(new Set(answers), new Set([200, 503]));
    assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
    assert.equal(service.stderr, '');
  });
});
