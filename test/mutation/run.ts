import { globSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { readFileSync } from 'node:fs';
import { GROUPS, type Group } from './groups.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/crescendo-mutants');

const { values, positionals } = parseArgs({ allowPositionals: true, options: { again: { type: 'boolean', default: false } } });
const find = (patterns: readonly string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort());
function dropOpen(file: string) { try { const r = JSON.parse(readFileSync(file, 'utf8')); for (const f of Object.values(r.files) as any[]) f.mutants = f.mutants.filter((m: any) => m.status === 'Killed' || m.status === 'Timeout'); writeFileSync(file, JSON.stringify(r)); } catch {} }
for (const name of positionals) {
  const group = GROUPS[name]!;
  dropOpen(join(CACHE, `${name}.json`));
  const began = performance.now();
  const files = find(group.files).filter((f) => !f.endsWith('.test.ts'));
  const results = await new Stryker({
    mutate: files,
    testRunner: 'group',
    groupTests: find(group.tests),
    groupLeftOut: group.leftOut ?? [],
    plugins: [join(import.meta.dirname, 'test-runner.ts')],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['web', 'docs', 'bench', 'deploy', 'data', 'tsconfig.json'],
    tempDirName: join(tmpdir(), 'crescendo-mutants'),
    incremental: true,
    incrementalFile: join(CACHE, `${name}.json`),
    force: values.again,
    concurrency: availableParallelism(),
    maxTestRunnerReuse: 200,
    disableTypeChecks: false,
    timeoutMS: 20_000,
    reporters: [],
    warnings: false,
    allowConsoleColors: false,
    logLevel: 'warn' as never,
  }).runMutationTest();
  const by = Object.groupBy(results, ({ status }) => status);
  for (const [status, own] of Object.entries(by)) console.log(status, own.length);
  for (const m of [...(by.Survived ?? []), ...(by.NoCoverage ?? [])]) console.log(describe(m));
  console.log(name, `${Math.round((performance.now() - began) / 1000)} s`);
}
function describe(m: MutantResult) {
  const lines = readFileSync(m.fileName, 'utf8').split('\n');
  const { start, end } = m.location;
  const text = lines.slice(start.line - 1, end.line).map((l, i, all) => l.slice(i === 0 ? start.column - 1 : 0, i === all.length - 1 ? end.column - 1 : undefined)).join('\n');
  return `${m.status} ${relative(ROOT, m.fileName)}:${start.line}:${start.column} ${m.mutatorName}\n  - ${text.replace(/\s+/g, ' ')}\n  + ${(m.replacement ?? '').replace(/\s+/g, ' ')}`;
}
