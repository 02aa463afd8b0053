import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawPlan, loadFolder, loadStepKinds, SHORT } from './plan.ts';
import { createImage, runPlan, type Stage } from './run-plan.ts';
import type { Invariant } from './world.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string' }, seed: { type: 'string' }, from: { type: 'string' }, story: { type: 'boolean' } } });
const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
const stage: Stage = { image: await createImage(folder), kinds: await loadStepKinds(), invariants: await loadFolder<Invariant>('invariants') };
const cpu = process.cpuUsage();
let nudges = 0, failed = 0;
const from = Number(values.seed ?? values.from ?? 1), count = values.seed ? 1 : Number(values.seeds ?? 100);
for (let seed = from; seed < from + count; seed++) {
  const told = await runPlan(drawPlan(seed, stage.kinds, SHORT), stage);
  nudges += told.nudges;
  if (told.violation) { failed++; console.log(`seed ${seed}: [${told.violation.invariant}] ${told.violation.message.slice(0,700)}`); }
  if (values.story) console.log(told.story.join('\n'));
}
const u = process.cpuUsage(cpu);
console.log({ failed, nudges, msPerSeed: (u.user + u.system) / 1000 / count });
rmSync(folder, { recursive: true });
