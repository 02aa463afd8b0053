/** The servers of one engine, each on its own copy of the same seeded database. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { isPostgres } from '../../src/db/schema.ts';
import { startBenchService } from '../bench-service.ts';
import { startChild } from '../child.ts';
import { createDatabase } from '../databases.ts';
import { type Seed, seed } from './seed.ts';
import type { ServerMethods } from './service.ts';

export interface Server {
  readonly name: 'service' | 'bare' | 'FastAPI';
  readonly port: number;
  readonly databaseUrl: string;
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

export interface SeededCopies {
  readonly seed: Seed;
  copy(): Promise<string>;
  remove(): Promise<void>;
}

export async function seedSqlite(): Promise<SeededCopies> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const file = join(folder, 'seed.db');
  const seeded = await seedAt(`sqlite:${file}`);
  let copies = 0;
  return {
    seed: seeded,
    copy: async () => {
      copies += 1;
      const copy = join(folder, `copy-${copies}.db`);
      if (existsSync(`${file}-wal`)) throw new Error('The seeded file still has a log.');
      copyFileSync(file, copy);
      return `sqlite:${copy}`;
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function seedPostgres(serverUrl: string): Promise<SeededCopies> {
  const template = await createDatabase(serverUrl);
  const seeded = await seedAt(template.url);
  return {
    seed: seeded,
    copy: async () => (await createDatabase(serverUrl, template.name)).url,
    remove: () => template.drop(),
  };
}

async function seedAt(databaseUrl: string): Promise<Seed> {
  const service = await startBenchService({ DATABASE_URL: databaseUrl });
  const seeded = await seed(service);
  await sql.raw(isPostgres(service.db) ? 'vacuum analyze' : 'analyze').execute(service.db);
  await service.close();
  return seeded;
}

export async function startServer(name: 'service' | 'bare', databaseUrl: string): Promise<Server> {
  const child = await startChild<ServerMethods>(new URL(`./${name}.ts`, import.meta.url), { databaseUrl });
  return {
    name,
    port: await child.call('port'),
    databaseUrl,
    cpuSeconds: async () => (await child.usage()).cpuSeconds,
    stop: () => child.stop(),
  };
}

/** Runs a query next to the server, to check what it wrote. */
export async function readRow(databaseUrl: string, query: string): Promise<Record<string, unknown>> {
  if (databaseUrl.startsWith('sqlite:')) {
    const db = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
    const row = db.prepare(query).get();
    db.close();
    return row ?? {};
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return rows[0] ?? {};
}
