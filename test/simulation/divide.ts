/**
 * Divides the seeds of a long run among processes. Each takes a few of them at a time, so that no process is left with
 * the dear ones at the end.
 */
import { type ChildProcess, fork } from 'node:child_process';

export interface Block {
  readonly first: number;
  readonly count: number;
}

export interface Figures {
  readonly seeds: number;
  readonly nudges: number;
  readonly failed: number;
  readonly cpuSeconds: number;
  /** A sum over all stories, independent of their order. */
  readonly trace: bigint;
}

export const NOTHING: Figures = { seeds: 0, nudges: 0, failed: 0, cpuSeconds: 0, trace: 0n };

/** Starting a process costs as much as some of these. */
export const BLOCK = 20;
const PROGRESS_EVERY = 500;

/** A world leaves nothing behind, so with a larger young generation most objects are dead when it is collected. */
const V8_OPTIONS = ['--min-semi-space-size=32', '--max-semi-space-size=64'];

export const sum = (one: Figures, other: Figures): Figures => ({
  seeds: one.seeds + other.seeds,
  nudges: one.nudges + other.nudges,
  failed: one.failed + other.failed,
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
  trace: one.trace ^ other.trace,
});

/** Runs the seeds in so many processes. Unless all are wanted, the first broken promise ends the others. */
export async function divide(seeds: Block, processes: number, runsAll: boolean): Promise<Figures> {
  const blocks = listBlocks(seeds);
  const workers = Array.from({ length: processes }, () =>
    fork(import.meta.filename.replace('divide.ts', 'simulate.ts'), [...process.argv.slice(2), '--worker'], {
      serialization: 'advanced',
      execArgv: [...process.execArgv, ...V8_OPTIONS],
    }),
  );
  const running = new Set<Block>();
  let total = NOTHING;
  const add = (told: Figures, block: Block) => {
    const before = total.seeds;
    total = sum(total, told);
    running.delete(block);
    if (told.failed > 0 && !runsAll) for (const worker of workers) worker.kill();
    if (Math.floor(total.seeds / PROGRESS_EVERY) > Math.floor(before / PROGRESS_EVERY))
      printProgress(total, running, block);
  };
  const runBlocks = async (worker: ChildProcess) => {
    for (let block = blocks.shift(); block; block = blocks.shift()) {
      running.add(block);
      add(await runBlock(worker, block), block);
      // A process that has ended runs nothing more.
      if (!worker.connected) return;
    }
    worker.disconnect();
  };
  await Promise.all(workers.map(runBlocks));
  return total;
}

const listBlocks = ({ first, count }: Block): Block[] =>
  Array.from({ length: Math.ceil(count / BLOCK) }, (_, index) => ({
    first: first + index * BLOCK,
    count: Math.min(BLOCK, count - index * BLOCK),
  }));

/** A process that ends before its block does is a failure, unless it was ended. */
function runBlock(worker: ChildProcess, block: Block): Promise<Figures> {
  const { promise, resolve } = Promise.withResolvers<Figures>();
  const end = (code: number | null) => {
    if (code !== null) console.log(`A process ended with ${code} in the seeds ${block.first} to ${lastOf(block)}.`);
    resolve({ ...NOTHING, failed: code === null ? 0 : 1 });
  };
  worker.once('exit', end);
  worker.once('message', (figures) => {
    worker.off('exit', end);
    resolve(figures as Figures);
  });
  worker.send(block);
  return promise;
}

/** A run that was stopped goes on with `--from` the seed that is told. */
function printProgress({ seeds, failed }: Figures, running: ReadonlySet<Block>, { first, count }: Block): void {
  const next = Math.min(first + count, ...[...running].map((block) => block.first));
  console.error(`${seeds} seeds, ${failed} failed; every seed below ${next} has run`);
}

const lastOf = ({ first, count }: Block): number => first + count - 1;
