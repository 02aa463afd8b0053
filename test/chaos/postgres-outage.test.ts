/** PostgreSQL is killed, vanishes or runs out of connections while the service is busy, and comes back. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../support/command-line.ts';
import { createDatabase, onlyOn, runOn } from '../support/engines.ts';
import { Ledger } from '../support/ledger.ts';
import { createPerson } from '../support/people.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { certificate, certificateKey } from '../support/self-signed-certificate.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { IS_FULL, sized, testInFull } from '../support/size.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

/** More than the pool has connections, so that at any moment some callers wait for one. */
const CALLERS = 14;
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

/** A service that reaches PostgreSQL through a proxy, and writers that never stop. */
async function startUnderLoad() {
  await using parts = new AsyncDisposableStack();
  const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
  const url = postgres.urlOf('postgres');
  const proxy = parts.use(await TcpProxy.to(postgres.port));
  const ledger = parts.use(await Ledger.open(url));
  const environment = { DATABASE_URL: proxy.through(url), SECRET_KEY: 'x'.repeat(32), ...ledger.settings };
  const service = parts.use(await startService(environment));
  const load = parts.use(ledger.keepWriting(service.baseUrl, CALLERS));
  await ledger.nudgeOf(await ledger.write(service.baseUrl));
  const owned = parts.move();
  return { postgres, url, proxy, ledger, service, load, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

type UnderLoad = Awaited<ReturnType<typeof startUnderLoad>>;

/** Resolves when a new write is acknowledged and its nudge received. Reports how long both took. */
async function recover(after: string, { ledger, service }: UnderLoad, context: TestContext): Promise<void> {
  const startedAt = ledger.now();
  const id = await ledger.write(service.baseUrl);
  const writtenMs = ledger.now() - startedAt;
  await ledger.nudgeOf(id);
  context.diagnostic(`${after}: a write after ${writtenMs} ms, its nudge after ${ledger.now() - startedAt} ms`);
}

async function settle({ ledger, service, load, url }: UnderLoad, databaseUrl = url): Promise<void> {
  await load.stop();
  const { repeatedNudges } = await ledger.settle(databaseUrl);
  // An engine that cannot store a result sends the nudge again when its lease is over; no more than it had in flight.
  assert.ok(repeatedNudges <= 2 * CALLERS, `${repeatedNudges} nudges were repeated`);
  assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
  assert.equal(service.stderr, '');
}

onlyOn('postgres', () => {
  testInFull(
    'connections that are reset or fall silent are replaced: nothing acknowledged is lost, no answer is a 500',
    async (context) => {
      await using running = await startUnderLoad();
      const { proxy, postgres, service, load } = running;
      proxy.reset();
      await recover('reset', running, context);
      const listeningAgain = /listening for wake-ups again/g;
      const heard = service.stdout.match(listeningAgain)?.length ?? 0;
      proxy.freeze();
      // As if another host had taken over the address: what is open stays silent for ever.
      proxy.switchTo(postgres.port);
      await recover('silent, another host at the address', running, context);
      await load.stop();
      await waitUntil(() => (service.stdout.match(listeningAgain)?.length ?? 0) > heard);
      await settle(running);
    },
  );

  test('when the server has no connection left, requests wait for those that the process has', async () => {
    const database = await createDatabase('postgres');
    const role = `limited_${process.pid}`;
    await runOn(
      database.url,
      `create role ${role} login connection limit 3; grant all on all tables in schema public to ${role}`,
    );
    const url = new URL(database.url);
    url.username = role;
    {
      await using app = await startTestApp('postgres', { databaseUrl: url.href, settings: { ROLE: 'api' } });
      const person = await createPerson(app);
      const askMe = () => person.ask('GET', '/v1/me');
      const askMany = () => Promise.all(Array.from({ length: CALLERS }, askMe));
      assert.deepEqual(new Set((await askMany()).map(({ status }) => status)), new Set([200]));
      await runOn(database.url, `alter role ${role} connection limit 0`);
      // Returns when they have ended, so that none of them answers a request any more.
      await runOn(
        database.url,
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = '${role}'`,
      );
      const refused = await askMany();
      assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([503]));
      assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0));
      await runOn(database.url, `alter role ${role} connection limit 3`);
      // A session that was refused counts against the limit until its process has ended.
      await waitUntil(async () => (await askMe()).status === 200);
      assert.deepEqual(new Set((await askMany()).map(({ status }) => status)), new Set([200]));
    }
    await runOn(database.url, `drop owned by ${role}; drop role ${role}`);
    await database.drop();
  });

  test('while PostgreSQL is down every answer is 200 or 503, and the service recovers within 5 s of its return', async (context) => {
    await using parts = new AsyncDisposableStack();
    const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
    const environment = { DATABASE_URL: postgres.urlOf('postgres'), SECRET_KEY: 'x'.repeat(32), LOG_LEVEL: 'silent' };
    const service = parts.use(await startService(environment));
    const callers = parts.use(keepAsking(service));

    for (let outage = 1; outage <= sized(1, 2); outage += 1) {
      await untilHealthIs(200, service, RECOVERY_LIMIT_MS);
      await postgres.kill();
      await untilHealthIs(503, service, ANSWER_LIMIT_MS);
      // More requests than the pool has connections, to show that failed requests use up nothing.
      for (let request = 1; request <= CALLERS; request += 1) assert.equal(await askForHealth(service), 503);
      await postgres.resume();
      const recoveredAfterMs = await untilHealthIs(200, service, RECOVERY_LIMIT_MS);
      context.diagnostic(`restarted: healthy after ${Math.round(recoveredAfterMs)} ms`);
      assert.ok(recoveredAfterMs < RECOVERY_LIMIT_MS, `it took ${Math.round(recoveredAfterMs)} ms`);
      for (let request = 1; request <= CALLERS; request += 1) assert.equal(await askForHealth(service), 200);
    }

    const answers = await callers.stop();
    assert.deepEqual(new Set(answers), new Set([200, 503]));
    assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
    assert.equal(service.stderr, '');
  });

  testInFull('TLS: a certificate is accepted from the given authority only, and the session is encrypted', async () => {
    await using parts = new AsyncDisposableStack();
    const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
    await postgres.enableTls(certificate, certificateKey);
    const folder = parts.adopt(mkdtempSync(join(tmpdir(), 'crescendo-test-')), (path) =>
      rmSync(path, { recursive: true }),
    );
    const authority = join(folder, 'ca.pem');
    writeFileSync(authority, certificate);
    const url = postgres.urlOf('postgres');
    const migrate = (query: string) =>
      runCommand(['migrate'], { DATABASE_URL: url + query, SECRET_KEY: 'x'.repeat(32) });
    assert.match((await migrate('?sslmode=require')).err, /does not trust PostgreSQL's certificate/);
    for (const query of [`?sslrootcert=${authority}`, `?sslmode=verify-ca&sslrootcert=${authority}`])
      assert.equal((await migrate(query)).code, 0, query);
    const databaseUrl = `${url}?sslrootcert=${authority}`;
    await using _app = await startTestApp('postgres', { databaseUrl, settings: { ROLE: 'all' } });
    const plain = `select application_name from pg_stat_activity join pg_stat_ssl using (pid)
      where application_name like 'crescendo%' and not ssl`;
    assert.deepEqual(await runOn(url, plain), []);
  });

  if (!IS_FULL) return;

  test('a host that is silent for longer than every time limit and comes back is used again', async (context) => {
    await using running = await startUnderLoad();
    const { proxy, ledger } = running;
    proxy.freeze();
    const refusals = () => ledger.entries.filter(({ answer }) => answer.startsWith('503')).length;
    // Refused twice over, so that new connections have been tried in vain as well.
    await waitUntil(() => refusals() > 2 * CALLERS);
    proxy.restore();
    await recover('silent for long, and back', running, context);
    await settle(running);
  });

  test('a standby that is promoted behind the address takes over, and is not used before', async (context) => {
    await using running = await startUnderLoad();
    const { proxy, postgres, service } = running;
    const standby = await postgres.addStandby();
    try {
      await untilHealthIs(200, service, ANSWER_LIMIT_MS);
      proxy.freeze();
      await postgres.kill();
      proxy.switchTo(standby.port);
      await untilHealthIs(503, service, ANSWER_LIMIT_MS);
      for (let request = 1; request <= 20; request += 1) assert.equal(await askForHealth(service), 503);
      await runOn(standby.urlOf('postgres'), 'select pg_promote()');
      await recover('promoted', running, context);
      await settle(running, standby.urlOf('postgres'));
    } finally {
      await standby.stop();
    }
  });
});
