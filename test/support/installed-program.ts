/** Programs that a test uses if the machine has them. Without them it checks less, and says so. */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';

/** Debian installs servers where the PATH of most users does not lead. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];

export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

interface Ended {
  readonly status: number | null;
  /** Standard output, then standard error. */
  readonly said: string;
}

/** Undefined if the program is not installed; the report of the test then says what was left out. */
export function runIfInstalled(
  t: TestContext,
  name: string,
  words: readonly string[],
  options: SpawnSyncOptions = {},
): Ended | undefined {
  const program = findProgram(name);
  if (program === undefined) {
    t.diagnostic(`${name} is not installed: the file was read without it`);
    return undefined;
  }
  const { status, stdout, stderr } = spawnSync(program, words, { ...options, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}
