/** A PostgreSQL server for the benchmark that commits to disk, and databases on it. BENCH_DATABASE_URL names another server. */
import pg from 'pg';
import { newId } from '../src/lib/ids.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import type { Report } from './report.ts';

export interface PostgresDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

export async function createDatabase(serverUrl: string, template = 'template1'): Promise<PostgresDatabase> {
  const name = `bench_${newId().replaceAll('-', '')}`;
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await execute(`create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => execute(`drop database ${name} with (force)`) };
}

const running = new Set<PostgresServer>();

/** For a part that does not end: its server would outlive the benchmark. */
export const stopServers = (): Promise<unknown> => Promise.all([...running].map((server) => server.stop()));

/** Runs the work with the address of a server, which is stopped afterwards. */
export async function withPostgres(report: Report, work: (serverUrl: string) => Promise<void>): Promise<void> {
  const { BENCH_DATABASE_URL } = process.env;
  const server = BENCH_DATABASE_URL ? undefined : await PostgresServer.start({ isDurable: true });
  if (server) running.add(server);
  const serverUrl = BENCH_DATABASE_URL ?? server?.urlOf('postgres') ?? '';
  try {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('server_version') as version, current_setting('fsync') as fsync",
    );
    await client.end();
    report.version('PostgreSQL', `${rows[0]?.version.split(' ')[0]} with fsync ${rows[0]?.fsync}`);
    await work(serverUrl);
  } finally {
    await server?.stop();
    if (server) running.delete(server);
  }
}
