/**
 * Simulates worlds: `npm run simulate -- --seeds 1000`, `--seed 42` for one of them with its story, `--minutes 10`
 * for months with many people, with a line for each world, `--breaks` for the deliberate breaks, each in a process of
 * its own.
 *
 * Prints the shortest story of the first broken promise, and then exits with 1. The last line has the figures.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
    /** Tell the first broken promise as it happened. */
    unshrunk: { type: 'boolean', default: false },
    /** Run to the end, and tell only which seeds failed. */
    all: { type: 'boolean', default: false },
  },
});

if (values.breaks) process.exitCode = runBreaks(process.argv.slice(2));
else process.exitCode = await simulate();

async function simulate(): Promise<number> {
  const broken = BREAKS.find(({ name }) => name === values.broken);
  if (broken) install(broken);
  // Loaded only now, because a break changes the code as it is loaded.
  const { drawPlan, loadParts, LONG, SHORT } = await import('./plan.ts');
  const { runPlan } = await import('./run-plan.ts');
  const { createDatabase } = await import('./shared-database.ts');
  const stage = { database: await createDatabase(), ...(await loadParts()) };
  const hash = createHash('sha256');
  let [seeds, nudges, failed] = [0, 0, 0];
  for (const seed of await listSeeds()) {
    const plan = drawPlan(seed, stage.kinds, values.minutes ? LONG : SHORT);
    const told = await runPlan(plan, stage);
    seeds += 1;
    nudges += told.nudges;
    hash.update(told.story.join('\n'));
    if (told.violation) failed += 1;
    // A world of months takes long enough to look as if nothing happened.
    if (values.minutes) console.error(`seed ${seed}: ${told.nudges} nudges in ${plan.days} days`);
    if (told.violation || values.seed) await tell(plan, told, stage);
    if (told.violation && !values.all) break;
  }
  const { user, system } = process.cpuUsage();
  const cpu = ((user + system) / 1e6).toFixed(1);
  const trace = hash.digest('hex').slice(0, 16);
  console.log(`${seeds} seeds, ${nudges} nudges, ${failed} failed, ${cpu} s of CPU, trace ${trace}`);
  return failed === 0 ? 0 : 1;
}

async function listSeeds(): Promise<Iterable<number>> {
  const { stopwatchMs } = await import('./runtime.ts');
  const elapsedMs = stopwatchMs();
  const limitMs = Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const first = Number(values.seed ?? values.from);
  const count = values.seed ? 1 : values.minutes ? Number.POSITIVE_INFINITY : Number(values.seeds);
  return (function* () {
    for (let seed = first; seed < first + count && elapsedMs() < limitMs; seed += 1) yield seed;
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
  for (const { name, noticedBy } of BREAKS) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, ...rest, '--broken', name], {
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
