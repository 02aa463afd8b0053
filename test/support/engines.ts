/**
 * The database engines a run covers, and a fresh database of each. `test/run.ts` starts PostgreSQL
 * once, prepares a template there, and tells the test files through the environment.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';

export type EngineName = 'sqlite' | 'postgres';

export const TEMPLATE = 'crescendo_template';

const engines = (process.env.CRESCENDO_TEST_ENGINES ?? 'sqlite').split(',') as EngineName[];

/** Runs the same tests once per engine: what holds on one must hold on the other. */
export function onEveryEngine(define: (engine: EngineName) => void): void {
  for (const engine of engines) describe(`on ${engine}`, () => define(engine));
}

/** For what only one engine has. */
export function onlyOn(engine: EngineName, define: () => void): void {
  if (engines.includes(engine)) describe(`on ${engine}`, define);
}

export interface TestDatabase {
  readonly url: string;
  /** For what the service keeps beside the database. */
  readonly folder?: string;
  drop(): Promise<void>;
}

export async function createDatabase(engine: EngineName, template = TEMPLATE): Promise<TestDatabase> {
  return engine === 'sqlite' ? createSqliteFile() : createPostgresDatabase(template);
}

function createSqliteFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  return {
    folder,
    url: `sqlite:${join(folder, 'crescendo.db')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgresDatabase(template: string): Promise<TestDatabase> {
  const server = process.env.CRESCENDO_TEST_POSTGRES;
  if (!server) throw new Error('No PostgreSQL was started for this run: use "npm test".');
  const name = `test_${newId().replaceAll('-', '')}`;
  await runOn(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(server, `drop database ${name} with (force)`) };
}

export async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
