/**
 * The service as its owner runs it: a process of its own, in a folder of its own, that knows only
 * the environment it is given. However the test ends, process and folder are gone after it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';

const PROJECT = join(import.meta.dirname, '../..');

const BANNER = /^Crescendo \S+ is ready\.\n {2}(?:app|health) +(\S+)\/(?:app|health)\n(?: {2}.*\n)* {2}data .*\n/m;

/** Longer than any start or stop takes on a busy machine; only a test that fails waits for it. */
const PATIENCE_MS = 120_000;

interface Launch {
  /** The files in the working folder before the start, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly entry?: 'src/main.ts' | 'bin/crescendo.js' | 'test/support/lasting-service.ts';
  readonly nodeFlags?: readonly string[];
}

type Environment = Readonly<Record<string, string>>;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Resolves once the service has said that it is ready; rejects with what it said if it ends instead. */
export async function startService(environment: Environment, launch: Launch = {}): Promise<ServiceProcess> {
  const service = new ServiceProcess(environment, launch);
  if ((await service.readyOrExited()) === 'ready') return service;
  await service[Symbol.asyncDispose]();
  throw new Error(`The service did not start: ${service.stdout}${service.stderr}`);
}

/** For a start that is meant to fail: how it ended and what it said. A service that starts after all is ended. */
export async function failToStart(environment: Environment, launch: Launch = {}) {
  // Not `await using`: the import check follows the benchmark to this file, and its parser does not know that.
  const service = new ServiceProcess(environment, launch);
  try {
    if ((await service.readyOrExited()) === 'ready') throw new Error(`The service started: ${service.stdout}`);
    return { ...(await service.exit), stdout: service.stdout, stderr: service.stderr };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

export class ServiceProcess implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  readonly #ready = Promise.withResolvers<'ready'>();
  readonly #child: ChildProcess;
  readonly exit: Promise<Exit>;
  stdout = '';
  stderr = '';

  constructor(environment: Environment, { files = {}, entry = 'src/main.ts', nodeFlags = [] }: Launch) {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.#folder, name), content);
    const child = spawn(process.execPath, [...nodeFlags, join(PROJECT, entry)], {
      cwd: this.#folder,
      env: { PORT: '0', ...COMPILE_CACHE, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    endWithThisProcess(child, this.#folder);
    // "close" comes after the last of the output; "exit" may come before it.
    this.exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      this.stdout += chunk;
      if (BANNER.test(this.stdout)) this.#ready.resolve('ready');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The address that the service prints. */
  get baseUrl(): string {
    const [, base] = BANNER.exec(this.stdout) ?? [];
    if (base === undefined) throw new Error(`The service has not said where it is: ${this.stdout}`);
    return base;
  }

  async readyOrExited(): Promise<'ready' | 'exited'> {
    return this.#orForced(Promise.race([this.#ready.promise, this.exit.then(() => 'exited' as const)]));
  }

  /** Sends the signal at once and resolves with the end of the process. */
  async stop(signal: NodeJS.Signals): Promise<Exit> {
    this.#child.kill(signal);
    return this.#orForced(this.exit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A process that hangs is ended, which the test then sees as the wrong exit. */
  async #orForced<T>(awaited: Promise<T>): Promise<T> {
    const force = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS);
    return awaited.finally(() => clearTimeout(force));
  }
}

const running = new Map<ChildProcess, string>();

/** Ends the services of a test file that ends early, by an error or by the runner's time limit. */
function endWithThisProcess(child: ChildProcess, folder: string): void {
  if (running.size === 0) {
    process.on('exit', endAll);
    process.on('SIGTERM', exitOnSignal);
  }
  running.set(child, folder);
  child.once('exit', () => {
    running.delete(child);
    if (running.size > 0) return;
    process.off('exit', endAll);
    process.off('SIGTERM', exitOnSignal);
  });
}

function endAll(): void {
  for (const [child, folder] of running) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function exitOnSignal(): void {
  process.exit(1);
}
