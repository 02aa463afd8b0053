/** PostgreSQL dies under a service at work, and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** Twice the connections of the pool: at any moment some are at work and some callers wait for one. */
const CALLERS = 20;
const LONGEST_ANSWER_MS = 10_000;
const LONGEST_RETURN_MS = 5_000;

/** Asks once; anything but a good answer or the announced refusal fails, and so does waiting too long. */
async function askForHealth(service: ServiceProcess): Promise<200 | 503> {
  const request = fetch(`${service.baseUrl}/health`, { signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
  const response = await request.catch((cause) => {
    throw new Error(`There was no answer. The service said: ${service.stderr}`, { cause });
  });
  const body = (await response.json()) as { ok: boolean; data: unknown; error: string };
  if (response.status === 200) return 200;
  assert.equal(response.status, 503, JSON.stringify(body));
  assert.deepEqual([body.ok, body.data], [false, null]);
  assert.match(body.error, /^database_unavailable: /);
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return 503;
}

/** Callers that ask one time after another, at the pace of the answers, until told to stop. */
function keepAsking(service: ServiceProcess) {
  const answers: (200 | 503)[] = [];
  let stopping = false;
  const call = async () => {
    while (!stopping) answers.push(await askForHealth(service));
  };
  const calls = Promise.all(Array.from({ length: CALLERS }, call));
  // A caller's failure is told by stop(); until then it waits.
  calls.catch(() => undefined);
  const stop = async () => {
    stopping = true;
    await calls;
    return answers;
  };
  // Reached without stop() only after another failure, which is the one to be told.
  const dispose = async () => void (await Promise.allSettled([stop()]));
  return { stop, [Symbol.asyncDispose]: dispose };
}

/** Asks until the answer is the one awaited, so that every turn waits for something real. */
async function untilHealthIs(expected: 200 | 503, service: ServiceProcess, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  while ((await askForHealth(service)) !== expected) {
    assert.ok(elapsedMs() < withinMs, `not ${expected} within ${withinMs} ms`);
  }
  return elapsedMs();
}

onlyOn('postgres', () => {
  test('while PostgreSQL is away every answer is 200 or an honest 503, and within 5 s of its return all is well', async () => {
    await using parts = new AsyncDisposableStack();
    const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
    const environment = { DATABASE_URL: postgres.urlOf('postgres'), SECRET_KEY: 'x'.repeat(32), LOG_LEVEL: 'silent' };
    const service = parts.use(await startService(environment));
    const callers = parts.use(keepAsking(service));

    for (let outage = 1; outage <= 2; outage += 1) {
      await untilHealthIs(200, service, LONGEST_RETURN_MS);
      await postgres.kill();
      await untilHealthIs(503, service, LONGEST_ANSWER_MS);
      // Nothing that a longer absence wears out: more requests than the pool has connections.
      for (let request = 1; request <= 50; request += 1) assert.equal(await askForHealth(service), 503);
      await postgres.resume();
      const backAfterMs = await untilHealthIs(200, service, LONGEST_RETURN_MS);
      assert.ok(backAfterMs < LONGEST_RETURN_MS, `it took ${Math.round(backAfterMs)} ms`);
      for (let request = 1; request <= 50; request += 1) assert.equal(await askForHealth(service), 200);
    }

    const answers = await callers.stop();
    assert.deepEqual(new Set(answers), new Set([200, 503]));
    assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
    assert.equal(service.stderr, '');
  });
});
