/** Engine processes on one database. They append every push to one file instead of sending it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../src/db/schema.ts';
import type { AnyPush } from '../../src/push/gateway.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

const SCRIPT = join(import.meta.dirname, 'engine-process.ts');

/** For a process on a machine with a wrong clock. */
export const SHIFTED_CLOCK = ['--import', join(import.meta.dirname, 'shifted-clock.ts')];

export interface SentPush {
  readonly kind: AnyPush['kind'];
  readonly taskId: string;
  /** Which release sent it. */
  readonly release: 'this' | 'next';
  /** The messages that it replaces or takes back. */
  readonly refs: readonly string[];
  /** When the send began, by a right clock, even if the engine's clock is wrong. */
  readonly at: number;
}

interface Engines {
  readonly databaseUrl: string;
  /** By how much the clock of each engine's machine is wrong. */
  readonly shiftsMs: readonly number[];
  /** How long each send takes. */
  readonly sendMs: number;
  /** Engines of the next release, which changes the tables. */
  readonly isNextRelease?: boolean;
  /** How many sends each has at once. */
  readonly places?: number;
}

export class EngineFleet implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  readonly #file = join(this.#folder, 'pushes');
  readonly engines: ChildProcess[] = [];

  constructor() {
    writeFileSync(this.#file, '');
  }

  async start({ databaseUrl, shiftsMs, sendMs, isNextRelease = false, places = 300 }: Engines): Promise<void> {
    const environment = {
      ...COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      ROLE: 'engine',
      SECRET_KEY: 'a key for tests, long enough to be taken',
      PUSHES_FILE: this.#file,
      SEND_MS: `${sendMs}`,
      PLACES: `${places}`,
      ...(isNextRelease && { IS_NEXT_RELEASE: 'true' }),
    };
    const started = shiftsMs.map((shiftMs) => {
      const env = { ...environment, CLOCK_SHIFT_MS: `${shiftMs}` };
      return fork(SCRIPT, { env, execArgv: [...process.execArgv, ...SHIFTED_CLOCK] });
    });
    this.engines.push(...started);
    await Promise.all(started.map((engine) => once(engine, 'message')));
  }

  pushes(kind: SentPush['kind']): SentPush[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line): SentPush => JSON.parse(line)).filter((push) => push.kind === kind);
  }

  /** How often each task was pushed. */
  countByTask(kind: SentPush['kind']): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { taskId } of this.pushes(kind)) counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.engines.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      running.map((engine) => {
        const exited = once(engine, 'exit');
        engine.kill('SIGKILL');
        return exited;
      }),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Tasks that were not nudged yet, and deliveries that wait. */
export async function countUnsent(db: Db): Promise<number> {
  const { tasks } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('tasks'))
    .where('nudge_count', '=', 0)
    .executeTakeFirstOrThrow();
  const { pending } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return tasks + pending;
}
