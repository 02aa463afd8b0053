/**
 * Changes the pure files, one place at a time (Stryker makes the mutants), and runs the tests that should notice:
 * `npm run mutate`, `npm run mutate -- words recurrence` for some groups. Mutants that were noticed before are not tried
 * again while their code stays; a run that was stopped goes on where it was, and `--again` starts from the beginning.
 * `--jobs 1` is the number of processes; without it there are as many as cores.
 *
 * What is not noticed and not explained in `survivors.ts` is printed. Explained or not, it counts as not noticed. A group
 * of which less than 90 % is noticed fails the run. The last line is "N of M mutants noticed".
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { GROUPS, type Group } from './groups.ts';
import { explanationOf } from './survivors.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/crescendo-mutants');
const LEAST_NOTICED = 0.9;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const names = positionals.length === 0 ? Object.keys(GROUPS) : positionals;
const unknown = names.filter((name) => !GROUPS[name]);
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. The groups are ${Object.keys(GROUPS).join(', ')}.`);
  process.exit(2);
}

let [noticed, all, isEnough] = [0, 0, true];
for (const name of names) {
  const group = GROUPS[name];
  if (!group) continue;
  const began = performance.now();
  const results = (await new Stryker(optionsOf(name, group)).runMutationTest()).filter(isTried);
  const missed = results.filter((result) => !isNoticed(result));
  for (const text of missed.map(describe).filter((one) => explanationOf(one) === undefined))
    console.log(`NOT NOTICED ${text}`);
  const share = (results.length - missed.length) / results.length;
  const seconds = Math.round((performance.now() - began) / 1_000);
  const late = results.filter(({ status }) => status === 'Timeout').length;
  const figures = `${results.length - missed.length} of ${results.length} noticed, ${late} of them by their endless time`;
  console.log(`${name}: ${figures}, ${(share * 100).toFixed(1)} %, ${seconds} s`);
  noticed += results.length - missed.length;
  all += results.length;
  isEnough &&= share >= LEAST_NOTICED;
}
console.log(`${noticed} of ${all} mutants noticed`);
process.exitCode = isEnough && all > 0 ? 0 : 1;

function optionsOf(name: string, group: Group): PartialStrykerOptions {
  const incrementalFile = join(CACHE, `${name}.json`);
  mkdirSync(CACHE, { recursive: true });
  const mutate = find(group.files).filter((file) => !file.endsWith('.test.ts'));
  forget(incrementalFile, mutate);
  return {
    mutate,
    testRunner: 'group',
    groupTests: find(group.tests),
    groupLeftOut: group.leftOut ?? [],
    groupMostFresh: group.mostFresh ?? null,
    plugins: ['test-runner.ts', 'ignored-places.ts'].map((file) => join(import.meta.dirname, file)),
    ignorers: ['fallbacks'],
    coverageAnalysis: 'perTest',
    // Types are not checked, and TypeScript is left to Node.js: a mutant that only the compiler would notice has to be noticed by a test.
    disableTypeChecks: false,
    ignorePatterns: ['web', 'docs', 'bench', 'deploy', 'data', 'tsconfig.json'],
    // Node.js strips no types below `node_modules`, so the copies are elsewhere.
    tempDirName: join(tmpdir(), 'crescendo-mutants'),
    incremental: true,
    incrementalFile,
    concurrency: Number(values.jobs),
    // Modules are never unloaded, so a process is replaced before it has too many of them.
    maxTestRunnerReuse: 500,
    // Mostly an endless loop is found by counting. On a busy machine, a short time would take what is slow for what is noticed.
    timeoutMS: 120_000,
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
    warnings: false,
  };
}

function find(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort());
}

/** Stryker does not see that a test has changed, so what was not noticed is always tried again, and what took too long too. */
function forget(file: string, files: readonly string[]): void {
  try {
    if (values.again) throw new Error('nothing is kept');
    const report = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, { mutants: MutantResult[] }> };
    const kept = Object.entries(report.files).filter(([path]) => files.includes(path));
    for (const [, one] of kept) one.mutants = one.mutants.filter(({ status }) => status === 'Killed');
    writeFileSync(file, JSON.stringify({ ...report, files: Object.fromEntries(kept) }));
  } catch {
    // Asked for, the first run, or one that was stopped while it wrote.
    rmSync(file, { force: true });
  }
}

function isNoticed({ status }: Pick<MutantResult, 'status'>): boolean {
  return status === 'Killed' || status === 'Timeout';
}

function isTried({ status }: MutantResult): boolean {
  return status !== 'Ignored';
}

/** "src/a.ts:7 a < b → a <= b" */
function describe({ fileName, location: { start, end }, replacement }: MutantResult): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.pop() ?? '';
  const text = [...lines, last.slice(0, end.column - 1)].join('\n').slice(start.column - 1);
  return `${relative(ROOT, fileName)}:${start.line} ${oneLine(text)} → ${oneLine(replacement ?? '')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
