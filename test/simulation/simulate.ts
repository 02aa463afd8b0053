/**
 * Simulates worlds: `npm run simulate -- --seeds 1000`, `--seed 42` for one of them with its story, `--minutes 10`
 * for months with many people, with a line for each world, `--breaks` for the deliberate breaks, each in a process of
 * its own. Many seeds are divided among as many processes as there are cores.
 *
 * Prints the shortest story of the first broken promise, and then exits with 1. The last line has the figures.
 */
import { fork, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { BREAKS, install } from './breaks.ts';
import type { Plan } from './plan.ts';
import type { Stage, Told } from './run-plan.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    breaks: { type: 'boolean', default: false },
    /** The name of a break, for the process that runs it. */
    broken: { type: 'string' },
    /** The number of this process, and how many processes share the seeds. */
    part: { type: 'string' },
    /** Tell the first broken promise as it happened. */
    unshrunk: { type: 'boolean', default: false },
    /** Run to the end, and tell only which seeds failed. */
    all: { type: 'boolean', default: false },
  },
});

interface Figures {
  readonly seeds: number;
  readonly nudges: number;
  readonly failed: number;
  readonly cpuSeconds: number;
  /** A sum over all stories, independent of their order. */
  readonly trace: bigint;
}

/** A run that was stopped goes on with `--from` the seed that each of its processes has reached. */
const PROGRESS_EVERY = 250;
/** Starting a process costs as much as some of these. */
const WORTH_A_PROCESS = 20;

const parts = values.minutes ? availableParallelism() : Math.ceil(Number(values.seeds) / WORTH_A_PROCESS);
const isAlone = values.part ?? values.seed ?? values.broken;
if (values.breaks) process.exitCode = runBreaks(process.argv.slice(2));
else if (isAlone === undefined && parts > 1) print(await divide(Math.min(parts, availableParallelism())));
else if (values.part === undefined) print(await simulate());
else process.send?.(await simulate());

function print({ seeds, nudges, failed, cpuSeconds, trace }: Figures): void {
  const figures = `${seeds} seeds, ${nudges} nudges, ${failed} failed, ${cpuSeconds.toFixed(1)} s of CPU`;
  console.log(`${figures}, trace ${trace.toString(16).padStart(16, '0')}`);
  process.exitCode = failed === 0 && seeds > 0 ? 0 : 1;
}

/** Runs the seeds in several processes. The first broken promise ends the others. */
async function divide(count: number): Promise<Figures> {
  // A world leaves nothing behind, so with a larger young generation most objects are dead when it is collected.
  const execArgv = [...process.execArgv, '--min-semi-space-size=32', '--max-semi-space-size=64'];
  const options = { serialization: 'advanced', execArgv } as const;
  const workers = Array.from({ length: count }, (_, part) =>
    fork(import.meta.filename, [...process.argv.slice(2), '--part', `${part}/${count}`], options),
  );
  const told = workers.map(async (worker): Promise<Figures> => {
    const { promise, resolve } = Promise.withResolvers<Figures>();
    worker.on('message', (figures) => resolve(figures as Figures));
    worker.on('exit', (code) => resolve({ seeds: 0, nudges: 0, failed: code ? 1 : 0, cpuSeconds: 0, trace: 0n }));
    const figures = await promise;
    if (figures.failed > 0 && !values.all) for (const other of workers) other.kill();
    return figures;
  });
  const all = await Promise.all(told);
  const sum = (figure: (one: Figures) => number) => all.reduce((total, one) => total + figure(one), 0);
  return {
    seeds: sum(({ seeds }) => seeds),
    nudges: sum(({ nudges }) => nudges),
    failed: sum(({ failed }) => failed),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    trace: all.reduce((trace, one) => trace ^ one.trace, 0n),
  };
}

async function simulate(): Promise<Figures> {
  install(BREAKS.find(({ name }) => name === values.broken));
  // Loaded only now, because small pages and a break change the code as it is loaded.
  const { drawPlan, loadParts, LONG } = await import('./plan.ts');
  const { runPlan } = await import('./run-plan.ts');
  const { createDatabase } = await import('./shared-database.ts');
  const stage = { database: await createDatabase(), apart: await createDatabase(true), ...(await loadParts()) };
  let [seeds, nudges, failed, trace] = [0, 0, 0, 0n];
  for (const seed of await listSeeds()) {
    const plan = drawPlan(seed, stage.kinds, values.minutes ? LONG : undefined);
    const told = await runPlan(plan, stage);
    seeds += 1;
    nudges += told.nudges;
    trace ^= createHash('sha256')
      .update(`${seed}\n${told.story.join('\n')}`)
      .digest()
      .readBigUInt64BE();
    if (told.violation) failed += 1;
    printProgress(plan, told, seeds, failed);
    if (told.violation || values.seed) await tell(plan, told, stage);
    if (told.violation && !values.all) break;
  }
  const { user, system } = process.cpuUsage();
  return { seeds, nudges, failed, cpuSeconds: (user + system) / 1e6, trace };
}

/** Long worlds and long runs print progress: otherwise they would look as if nothing happened. */
function printProgress({ seed, days }: Plan, told: Told, seeds: number, failed: number): void {
  if (values.minutes) console.error(`seed ${seed}: ${told.nudges} nudges in ${Math.floor(told.days)} of ${days} days`);
  else if (seeds % PROGRESS_EVERY === 0) console.error(`${seeds} seeds up to ${seed}, ${failed} failed`);
}

async function listSeeds(): Promise<Iterable<number>> {
  const { stopwatchMs } = await import('./runtime.ts');
  const elapsedMs = stopwatchMs();
  const limitMs = Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const first = Number(values.seed ?? values.from);
  const count = values.seed ? 1 : values.minutes ? Number.POSITIVE_INFINITY : Number(values.seeds);
  const [part = 0, every = 1] = (values.part ?? '0/1').split('/').map(Number);
  return (function* () {
    for (let seed = first + part; seed < first + count && elapsedMs() < limitMs; seed += every) yield seed;
  })();
}

async function tell(plan: Plan, told: Told, stage: Stage): Promise<void> {
  const { shrink } = await import('./shrink.ts');
  const { tellStory } = await import('./story.ts');
  const { violation } = told;
  if (violation && values.all) console.log(`seed ${plan.seed}: ${violation.invariant}: ${violation.message}`);
  else if (!violation || values.unshrunk) console.log(tellStory(plan, told));
  else {
    const short = await shrink(plan, told, stage);
    console.log(tellStory(short.plan, short.told));
  }
}

/** Every break must be noticed within the seeds, by an invariant that names it. */
function runBreaks(args: readonly string[]): number {
  const rest = args.filter((argument) => argument !== '--breaks');
  let missed = 0;
  for (const { name, noticedBy, from = 1 } of BREAKS) {
    const broken = ['--from', `${from}`, ...rest, '--broken', name];
    const { status, stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, ...broken], {
      encoding: 'utf8',
    });
    const promise = /^The promise: (.*)$/m.exec(stdout)?.[1];
    const isNoticed = status === 1 && promise !== undefined && noticedBy.includes(promise);
    if (!isNoticed) missed += 1;
    console.log(`\n${isNoticed ? 'noticed' : 'NOT NOTICED'}: ${name}\n${stdout}${stderr}`);
  }
  console.log(`${BREAKS.length - missed} of ${BREAKS.length} breaks noticed`);
  return missed === 0 ? 0 : 1;
}
