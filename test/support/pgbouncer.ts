/** PgBouncer in front of a test's PostgreSQL, with the settings in docs/scaling.md, except for sign-in. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { asUser, isListening } from './postgres-server.ts';
import { waitUntil } from './wait-until.ts';

/** Debian installs it where the PATH of most users does not lead. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0);

const MISSING =
  'PgBouncer is not installed, and this test needs it: "apt-get install pgbouncer" or "brew install pgbouncer".';

export class PgBouncer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly port: number;

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
  }

  static async start(poolMode: 'session' | 'transaction', postgresPort: number): Promise<PgBouncer> {
    if (PROGRAM === undefined) throw new Error(MISSING);
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
    const file = join(folder, 'pgbouncer.ini');
    const settings = [
      '[databases]',
      `* = host=127.0.0.1 port=${postgresPort} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${poolMode}`,
      'default_pool_size = 44',
      'max_client_conn = 500',
      'server_idle_timeout = 60',
    ];
    writeFileSync(file, settings.join('\n'));
    // It refuses to run as root, so it runs as the user of PostgreSQL, who must be able to read the file.
    chmodSync(folder, 0o755);
    const child = spawn(PROGRAM, ['--quiet', file], { ...asUser(), stdio: ['ignore', 'ignore', 'inherit'] });
    const bouncer = new PgBouncer(child, folder, port);
    await waitUntil(() => isListening(port));
    return bouncer;
  }

  /** The same database, through PgBouncer. */
  through(url: string): string {
    const pooled = new URL(url);
    pooled.port = String(this.port);
    return pooled.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
