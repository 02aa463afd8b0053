/** The service behind PgBouncer, in the two modes that docs/scaling.md describes. Part of "npm run test:full" only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../support/command-line.ts';
import { onlyOn, runOn } from '../support/engines.ts';
import { Ledger } from '../support/ledger.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { startService } from '../support/service-process.ts';
import { IS_FULL } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const WRITERS = 20;
const TASKS = 100;

/** Runs a service behind PgBouncer until it has created the tasks and sent their nudges. */
async function runBehind(mode: 'session' | 'transaction', { roleSettings = '', until = '' } = {}) {
  await using parts = new AsyncDisposableStack();
  const postgres = parts.adopt(await PostgresServer.start(), (server) => server.stop());
  const url = postgres.urlOf('postgres');
  if (roleSettings) await runOn(url, roleSettings);
  const pooler = parts.use(await PgBouncer.start(mode, postgres.port));
  const ledger = parts.use(await Ledger.open(url));
  const environment = { DATABASE_URL: pooler.through(url), SECRET_KEY: 'x'.repeat(32) };
  const service = parts.use(await startService({ ...environment, ...ledger.settings }));
  const load = parts.use(ledger.keepWriting(service.baseUrl, WRITERS));
  await waitUntil(() => ledger.entries.length > TASKS && service.stdout.includes(until));
  await load.stop();
  const { json } = await runCommand(['doctor', '--json'], environment);
  await ledger.settle(url);
  assert.deepEqual(new Set(ledger.entries.map(({ answer }) => answer)), new Set(['200']));
  assert.deepEqual(await service.stop('SIGTERM'), { code: 0, signal: null });
  assert.equal(service.stderr, '');
  const findings = json.data.findings as { check: string; says: string; remedy?: string }[];
  return { log: service.stdout, finding: findings.find(({ check }) => check === 'connection pooler') };
}

const SHARED = 'planner settings of the service do not hold';
const DEAF = 'not listening for wake-ups';

if (IS_FULL) {
  onlyOn('postgres', () => {
    test('behind PgBouncer in session mode everything works as without it', async () => {
      const { log, finding } = await runBehind('session');
      assert.ok(!log.includes(SHARED) && !log.includes(DEAF), log);
      assert.equal(finding, undefined);
    });

    test('in transaction mode the log says what does not hold, and the statements it names put that right', async () => {
      const warned = await runBehind('transaction', { until: DEAF });
      const line = warned.log.split('\n').find((text) => text.includes(SHARED));
      assert.ok(line, warned.log);
      const { statements } = JSON.parse(line) as { statements: string[] };
      for (const statement of statements) assert.ok(warned.finding?.remedy?.includes(statement), statement);
      assert.ok(statements.some((statement) => statement.includes('statement_timeout')));
      const { log, finding } = await runBehind('transaction', { roleSettings: statements.join(';'), until: DEAF });
      assert.ok(!log.includes(SHARED), log);
      assert.equal(finding, undefined);
    });
  });
}
