/**
 * Simulates worlds: `npm run simulate -- --seeds 1000`, `--seed 42` for one of them with its story, `--minutes 10`
 * for months with many people, with a line for each world, `--breaks` for the deliberate breaks, each in a process of
 * its own, `--short` for worlds that cost two thirds. Many seeds are divided among as many processes as there are cores.
 *
 * Prints the shortest story of the first broken promise, and then exits with 1. The last line has the figures.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { on } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { BREAKS, install } from './breaks.ts';
import { BLOCK, type Block, divide, type Figures, NOTHING, sum } from './divide.ts';
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
    /** Worlds with half of everything. */
    short: { type: 'boolean', default: false },
    /** This process gets its seeds from another one. */
    worker: { type: 'boolean', default: false },
    /** Tell the first broken promise as it happened. */
    unshrunk: { type: 'boolean', default: false },
    /** Run to the end, and tell only which seeds failed. */
    all: { type: 'boolean', default: false },
  },
});

const wanted: Block = values.seed
  ? { first: Number(values.seed), count: 1 }
  : { first: Number(values.from), count: values.minutes ? Number.POSITIVE_INFINITY : Number(values.seeds) };
const isAlone = values.seed ?? values.broken ?? values.minutes;
const processes = isAlone ? 1 : Math.min(Math.ceil(wanted.count / BLOCK), availableParallelism());

if (values.breaks) process.exitCode = runBreaks(process.argv.slice(2));
else if (values.worker) await work();
else if (processes > 1) print(await divide(wanted, processes, values.all));
else print(await (await prepare())(wanted));

function print({ seeds, nudges, failed, cpuSeconds, trace }: Figures): void {
  const figures = `${seeds} seeds, ${nudges} nudges, ${failed} failed, ${cpuSeconds.toFixed(1)} s of CPU`;
  console.log(`${figures}, trace ${trace.toString(16).padStart(16, '0')}`);
  process.exitCode = failed === 0 && seeds > 0 ? 0 : 1;
}

/** Runs the blocks that it is sent, until there are none. */
async function work(): Promise<void> {
  const run = await prepare();
  const blocks = on(process, 'message', { close: ['disconnect'] });
  for await (const [block] of blocks) process.send?.(await run(block));
}

/** What runs a block of seeds. */
async function prepare(): Promise<(block: Block) => Promise<Figures>> {
  install(BREAKS.find(({ name }) => name === values.broken));
  // Loaded only now, because small pages and a break change the code as it is loaded.
  const { drawPlan, loadParts, LONG, SHORT } = await import('./plan.ts');
  const { runPlan } = await import('./run-plan.ts');
  const { createDatabase } = await import('./shared-database.ts');
  const { stopwatchMs } = await import('./runtime.ts');
  const stage = { database: await createDatabase(), apart: await createDatabase(true), ...(await loadParts()) };
  const size = values.minutes ? LONG : values.short ? SHORT : undefined;
  const elapsedMs = stopwatchMs();
  const limitMs = Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  let cpuBefore = 0;
  return async ({ first, count }) => {
    let total = NOTHING;
    for (let seed = first; seed < first + count && elapsedMs() < limitMs; seed += 1) {
      const plan = drawPlan(seed, stage.kinds, size);
      const told = await runPlan(plan, stage);
      total = sum(total, figuresOf(seed, told));
      printLong(plan, told);
      if (told.violation || values.seed) await tell(plan, told, stage);
      if (told.violation && !values.all) break;
    }
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6 - cpuBefore;
    cpuBefore += cpuSeconds;
    return { ...total, cpuSeconds };
  };
}

function figuresOf(seed: number, { story, nudges, violation }: Told): Figures {
  const hash = createHash('sha256').update(`${seed}\n${story.join('\n')}`);
  return { ...NOTHING, seeds: 1, nudges, failed: violation ? 1 : 0, trace: hash.digest().readBigUInt64BE() };
}

/** A long world takes so long that it would look as if nothing happened. */
function printLong({ seed, days }: Plan, told: Told): void {
  if (values.minutes) console.error(`seed ${seed}: ${told.nudges} nudges in ${Math.floor(told.days)} of ${days} days`);
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
