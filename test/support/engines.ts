/**
 * The database engines of a run, and a fresh database of each. `test/run.ts` starts PostgreSQL once, prepares a
 * template of each engine, and passes both to the test files in the environment.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { IS_FULL } from './size.ts';

export type EngineName = 'sqlite' | 'postgres';

export const TEMPLATE = 'crescendo_template';

const engines = (process.env.CRESCENDO_TEST_ENGINES ?? 'sqlite').split(',') as EngineName[];

type DefineTest = (name: string, run: (context: TestContext) => Promise<void>) => void;

/**
 * One in sixteen: a test with a database of its own takes three times as long on PostgreSQL. The name decides, so that
 * another test in the file moves no test to another engine.
 */
const engineOf = (name: string): EngineName =>
  createHash('sha1').update(name).digest().readUInt8() % 16 === 0 ? 'postgres' : 'sqlite';

/**
 * Runs the same tests once per engine, because both must behave alike. Use `it` for the many tests that an engine
 * hardly affects: each runs on the engine that its name chooses, and on every engine in a full run. Use `test` for
 * races, large data and everything that depends on the SQL: it runs on every engine.
 */
export function onEveryEngine(define: (engine: EngineName, it: DefineTest) => void): void {
  for (const engine of engines) {
    const it: DefineTest = (name, run) => {
      if (runsOn(engineOf(name), engine)) test(name, run);
    };
    describe(`on ${engine}`, () => define(engine, it));
  }
}

type DefineTestWith<T> = (name: string, run: (started: T) => Promise<void>) => void;

/** The same for tests that each get what `start` opens, which is closed when the test ends. */
export function onEveryEngineWith<T extends AsyncDisposable>(
  start: (engine: EngineName) => Promise<T>,
  define: (it: DefineTestWith<T>, test: DefineTestWith<T>, engine: EngineName) => void,
): void {
  onEveryEngine((engine, it) => {
    const startingFor =
      (defineTest: DefineTest): DefineTestWith<T> =>
      (name, run) =>
        defineTest(name, async () => {
          const started = await start(engine);
          // Not `await using`: the check of imports cannot read that here.
          await run(started).finally(() => started[Symbol.asyncDispose]());
        });
    define(startingFor(it), startingFor(test), engine);
  });
}

/**
 * For slow tests that an engine hardly affects, such as tests of the web app: they run on one engine by default, and on
 * every engine in a full run. Each file names its usual engine, so that all engines are used.
 */
export function onSomeEngine(usual: EngineName, define: (engine: EngineName) => void): void {
  for (const engine of engines.filter((one) => runsOn(usual, one))) describe(`on ${engine}`, () => define(engine));
}

/** Whether tests with this usual engine run on `engine`. */
export const runsOn = (usual: EngineName, engine: EngineName): boolean =>
  IS_FULL || engine === usual || !engines.includes(usual);

/** For a large test among others, with the same choice. */
export function testOn(usual: EngineName, engine: EngineName, name: string, run: () => Promise<void>): void {
  if (runsOn(usual, engine)) test(name, run);
}

/** For tests of features that only one engine has. */
export function onlyOn(engine: EngineName, define: () => void): void {
  if (engines.includes(engine)) describe(`on ${engine}`, define);
}

export interface TestDatabase {
  readonly url: string;
  /** The service's data folder, on SQLite. */
  readonly folder?: string;
  drop(): Promise<void>;
}

export async function createDatabase(engine: EngineName, template = TEMPLATE): Promise<TestDatabase> {
  return engine === 'sqlite' ? createSqliteFile() : createPostgresDatabase(template);
}

function createSqliteFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  const file = join(folder, 'crescendo.db');
  const template = process.env.CRESCENDO_TEST_SQLITE;
  if (template) copyFileSync(template, file);
  return {
    folder,
    url: `sqlite:${file}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgresDatabase(template: string): Promise<TestDatabase> {
  const server = process.env.CRESCENDO_TEST_POSTGRES;
  if (!server) throw new Error('No PostgreSQL was started for this run. Use "npm test".');
  const name = `test_${newId().replaceAll('-', '')}`;
  // The default strategy writes every page to the WAL as well, and costs more than twice the CPU time.
  await administer(server, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `drop database ${name} with (force)`) };
}

let administrator: pg.Pool | undefined;

/** In one session per process, because opening a session costs a third of creating a database. */
async function administer(server: string, statement: string): Promise<void> {
  administrator ??= openAdministrator(server);
  await administrator.query(statement);
}

function openAdministrator(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // A server that is stopped ends the idle session, which is no fault of a test.
  pool.on('error', () => undefined);
  return pool;
}

export async function runOn(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
