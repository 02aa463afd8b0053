/**
 * `npm run chaos`: both engines, ten minutes in all. `-- --engine sqlite`, `--minutes 4` for the time of each engine under
 * faults, `--seed 42` for the same faults again. Prints an account, and ends with 1 if anything is wrong with it.
 */

import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { EngineName } from '../support/engines.ts';
import { createRunFolder } from '../support/run-folder.ts';
import { runChaos } from './run-chaos.ts';

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    minutes: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
const engines = ENGINES.filter((engine) => values.engine === undefined || engine === values.engine);
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (engines.length === 0 || !(minutes > 0) || !Number.isInteger(seed)) {
  console.error('--engine is sqlite or postgres, --minutes a number above 0, --seed an integer.');
  process.exit(2);
}

const folder = createRunFolder();
let violations = 0;
try {
  for (const engine of engines) {
    const print = (line: string) => console.log(`${engine}: ${line}`);
    print(`${minutes} minutes under faults, seed ${seed}`);
    const account = await runChaos({ engine, minutes, seed, print });
    for (const [name, count] of Object.entries(account.figures)) print(`${name} ${count}`);
    for (const sentence of account.violations) print(`VIOLATION ${sentence}`);
    violations += account.violations.length;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
