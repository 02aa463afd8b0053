/**
 * Runs the tests: `npm test`, `npm run test:full`, `npm test -- --engine=sqlite health --name="the guarantee"`.
 * Words after the options choose the files whose path contains one of them. The last line is "N passed, N failed".
 * `--bail` stops at the first failure.
 */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { WEB_FOLDER } from '../src/compose/service.ts';
import { openDatabase } from '../src/db/open.ts';
import { WebApp } from '../src/http/web-app/web-app.ts';
import { createLogger } from '../src/lib/logger.ts';
import { findChromium, MISSING_CHROMIUM } from './support/chromium.ts';
import { runOn, TEMPLATE } from './support/engines.ts';
import { FakeClock } from './support/fake-clock.ts';
import { FileTimes } from './support/file-times.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { writeProcessFiles } from './support/processes.ts';
import { createRunFolder } from './support/run-folder.ts';
import { VERSION } from './support/test-app.ts';

const ROOT = join(import.meta.dirname, '..');
const ENGINES = ['sqlite', 'postgres'];
/**
 * Twice the two cores that a run is meant for: a test often waits for a browser, a database or a process. Three at once
 * took 8:25, four 7:41.
 */
const CONCURRENCY = 4;
/** The doctor warns of an app that was built from other sources. */
const NEEDS_WEB_APP = /browser|chaos|doctor/;
/**
 * More memory for new objects, of which a test makes many: collecting them costs less CPU time, 10 % of a start of the service.
 * In one thread, because the processes keep every core busy: a whole run took 14.4 minutes of CPU time instead of 17.5.
 */
const NODE_FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded-gc'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    name: { type: 'string' },
    full: { type: 'boolean' },
    bail: { type: 'boolean' },
  },
});
const engines = values.engine === undefined ? ENGINES : ENGINES.filter((engine) => engine === values.engine);
if (engines.length === 0) exit(`--engine must be one of ${ENGINES.join(', ')}.`);
const files = globSync('{src,test,web}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] }).filter(
  (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
);
if (files.length === 0) exit(`No test file matches ${positionals.join(' ')}.`);

const folder = createRunFolder();
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
let server: PostgresServer | undefined;
try {
  await prepare();
  const { passed, failed, failures, times } = await runTests(writeProcessFiles(files, folder, positionals.length > 0));
  console.log(`\nThe slowest files:\n${times.slowest(20).join('\n')}\n`);
  const flickered = (await passTheSecondTime(failures, failed)) ? failed : 0;
  for (const failure of failures) console.log(`${flickered > 0 ? 'FLICKERED' : 'FAILED'} ${describe(failure)}`);
  console.log(`${passed + flickered} passed, ${failed - flickered} failed`);
  process.exitCode = failed === flickered && passed > 0 ? 0 : 1;
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** For what the person at the terminal can correct: one line, without a stack. */
function exit(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Everything that the test files share is made once, here, and passed to them in the environment. */
async function prepare(): Promise<void> {
  process.env.CRESCENDO_TEST_SIZE = values.full ? 'full' : 'small';
  process.env.CRESCENDO_TEST_ENGINES = engines.join(',');
  // Saves each of some hundred processes from stripping the types of all files again. `npm ci` has begun to fill it.
  process.env.NODE_COMPILE_CACHE = join(ROOT, 'node_modules/.cache/crescendo');
  if (files.some((file) => file.includes('browser')))
    process.env.CHROME_PATH = (await findChromium()) ?? exit(MISSING_CHROMIUM);
  // The build is a process of its own, beside which the databases are prepared.
  const building = files.some((file) => NEEDS_WEB_APP.test(file)) ? buildWebApp() : undefined;
  if (engines.includes('sqlite')) await createSqliteTemplate();
  if (engines.includes('postgres')) await startPostgres();
  await building;
}

async function buildWebApp(): Promise<void> {
  await new WebApp(WEB_FOLDER, createLogger('error')).prepare();
}

async function createSqliteTemplate(): Promise<void> {
  const file = join(folder, 'template.db');
  await migrate({ engine: 'sqlite', file });
  process.env.CRESCENDO_TEST_SQLITE = file;
}

async function startPostgres(): Promise<void> {
  server = await PostgresServer.start({ keepsCommits: false });
  process.env.CRESCENDO_TEST_POSTGRES = server.urlOf('postgres');
  await runOn(server.urlOf('postgres'), `create database ${TEMPLATE}`);
  await migrate({ engine: 'postgres', url: server.urlOf(TEMPLATE) });
}

async function migrate(location: Parameters<typeof openDatabase>[0]): Promise<void> {
  const db = await openDatabase(location, { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') });
  await db.destroy();
}

async function runTests(processes: string[]) {
  const events = run({
    files: processes,
    concurrency: CONCURRENCY,
    execArgv: NODE_FLAGS,
    timeout: 600_000,
    signal: stop.signal,
    ...(values.name !== undefined && { testNamePatterns: values.name }),
  });
  const times = new FileTimes(ROOT);
  const failures: Failure[] = [];
  let [passed, failed] = [0, 0];
  events.on('test:pass', (result) => times.add(result));
  events.on('test:fail', (result) => {
    times.add(result);
    // A suite fails with one of its tests, which says more.
    if (result.details.type === 'suite' || stop.signal.aborted) return;
    failures.push(result);
    if (values.bail) stop.abort();
  });
  events.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return;
    passed = counts.passed;
    // A skipped test counts as failed: nothing checks its guarantee.
    failed = counts.tests - counts.passed;
  });
  const report = events.compose(spec);
  report.pipe(process.stdout, { end: false });
  await new Promise((resolve) => report.once('end', resolve));
  return { passed, failed, failures, times };
}

interface Failure {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly details: { readonly error: Error };
}

/**
 * A real browser next to other busy processes is sometimes late. Its test files get a second try, alone, and what passes
 * then is told as FLICKERED: a fault of the test that is still to be mended. No other test is tried twice.
 */
async function passTheSecondTime(failures: readonly Failure[], failed: number): Promise<boolean> {
  const again = [...new Set(failures.map(fileOf))];
  if (failed === 0 || failures.length !== failed || !again.every((file) => file.startsWith('test/browser/')))
    return false;
  console.log(`A second try for ${again.join(', ')}\n`);
  return (await runTests(writeProcessFiles(again, folder, true))).failed === 0;
}

/** Tests of `it` are defined in `test/support`, so their names tell their files. */
function fileOf({ file = '', name }: Failure): string {
  const path = relative(ROOT, file);
  const isNamedIn = (one: string) => readFileSync(join(ROOT, one), 'utf8').includes(name);
  return path.startsWith('test/support/') ? (files.find(isNamedIn) ?? path) : path;
}

/** One line that finds the test again, for the end of a long log. */
function describe(failure: Failure): string {
  const [message = ''] = failure.details.error.message.split('\n', 1);
  return `${fileOf(failure)}:${failure.line ?? 0} ${failure.name}: ${message}`;
}
