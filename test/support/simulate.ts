import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SIMULATE = join(import.meta.dirname, '../simulation/simulate.ts');

/** In a process of its own, because it replaces the clock and the timers. */
export function simulate(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SIMULATE, ...args], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
