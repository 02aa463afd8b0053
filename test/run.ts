/**
 * Runs the tests: `npm test`, `npm test -- --engine=sqlite`, `npm test -- health --name="the guarantee"`.
 * Words after the options choose the files whose path contains one of them.
 */
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { WEB_FOLDER } from '../src/compose.ts';
import { openDatabase } from '../src/db/open.ts';
import { WebApp } from '../src/http/web-app.ts';
import { createLogger } from '../src/lib/logger.ts';
import { VERSION } from './support/bed.ts';
import { findChromium } from './support/chromium.ts';
import { runOn, TEMPLATE } from './support/engines.ts';
import { FakeClock } from './support/fake-clock.ts';
import { PostgresServer } from './support/postgres-server.ts';

const ENGINES = ['sqlite', 'postgres'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string' }, name: { type: 'string' } },
});
const engines = values.engine === undefined ? ENGINES : ENGINES.filter((engine) => engine === values.engine);
const files = globSync('{src,test,web}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort();
if (engines.length === 0) throw new Error(`--engine wants one of ${ENGINES.join(', ')}.`);
if (files.length === 0) throw new Error(`No test file matches ${positionals.join(' ')}.`);

// Built once, and not by whichever test file comes first while another already reads.
if (files.some((file) => /browser|chaos/.test(file))) await new WebApp(WEB_FOLDER, createLogger('error')).prepare();
if (files.some((file) => file.includes('browser'))) process.env.CHROME_PATH = await findChromium();
const server = engines.includes('postgres') ? await startPostgres() : undefined;
process.env.CRESCENDO_TEST_ENGINES = engines.join(',');
try {
  const { passed, failed } = await runTests();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} finally {
  await server?.stop();
}

async function startPostgres(): Promise<PostgresServer> {
  const started = await PostgresServer.start();
  process.env.CRESCENDO_TEST_POSTGRES = started.urlOf('postgres');
  await runOn(started.urlOf('postgres'), `create database ${TEMPLATE}`);
  const location = { engine: 'postgres', url: started.urlOf(TEMPLATE) } as const;
  const db = await openDatabase(location, { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') });
  await db.destroy();
  return started;
}

async function runTests(): Promise<{ passed: number; failed: number }> {
  const events = run({
    files,
    concurrency: 2,
    timeout: 300_000,
    ...(values.name !== undefined && { testNamePatterns: values.name }),
  });
  const total = { passed: 0, failed: 0 };
  events.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return;
    // Whatever did not pass failed, a skipped test too: it is a promise nobody keeps.
    total.passed = counts.passed;
    total.failed = counts.tests - counts.passed;
  });
  const report = events.compose(spec);
  report.pipe(process.stdout, { end: false });
  await new Promise((resolve) => report.once('end', resolve));
  return total;
}
