/**
 * Which test files share a process. Loading the service and warming up its code costs each process about two
 * seconds of CPU time, as much as many a test file itself, so files are put together up to a certain length.
 * The processes with the most to do start first, so that none of them runs alone at the end. The files of chaos mostly
 * wait, so they are spread between the processes that keep the CPU busy. The simulated worlds come last and use every
 * core by themselves: next to other processes, each world would take half as much CPU time again.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SECONDS_PER_PROCESS = 260;

/** What a kilobyte of tests takes on both engines while others run, roughly. */
const SECONDS_PER_KILOBYTE: readonly (readonly [folder: string, seconds: number])[] = [
  ['test/browser/', 3],
  ['test/chaos/', 2.5],
  ['test/', 0.9],
  ['', 0.2],
];

/** Uses every core by itself. */
const isLast = (file: string) => file === 'test/simulation/simulation.test.ts';

/** These files inspect their own process, replace its clock, or start real processes. */
const needsOwnProcess = (file: string) => /^test\/chaos\/|\/(fuzz|finds|story)\.test/.test(file);

function expectedSeconds(file: string): number {
  const seconds = SECONDS_PER_KILOBYTE.find(([folder]) => file.startsWith(folder))?.[1] ?? 0;
  return (statSync(join(ROOT, file)).size / 1_000) * seconds;
}

/** Writes a file per process that imports its test files; returns their paths in the order in which they start. */
export function writeProcessFiles(files: readonly string[], folder: string, namesUncaught: boolean): string[] {
  const browser = files.filter((file) => file.startsWith('test/browser/'));
  const alone = files.filter(needsOwnProcess);
  const last = files.filter(isLast);
  const others = files.filter((file) => ![browser, alone, last].some((apart) => apart.includes(file)));
  const busy = longestFirst([...pack(browser), ...pack(others)]);
  const waiting = longestFirst(alone.map((file) => [file]));
  return [...spread(busy, waiting), ...last.map((file) => [file])].map((shared, index) => {
    const path = join(folder, `process-${index + 1}.test.mjs`);
    writeFileSync(path, processFile(shared, namesUncaught));
    return path;
  });
}

const longestFirst = (processes: readonly string[][]) => processes.toSorted((a, b) => totalOf(b) - totalOf(a));

/** One of the others after each of the first list, as long as there are both. */
function spread(first: readonly string[][], others: readonly string[][]): string[][] {
  const pairs = first.flatMap((one, index) => [one, ...others.slice(index, index + 1)]);
  return [...pairs, ...others.slice(first.length)];
}

const hasProperties = (file: string) => readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'");
const supportFile = (name: string) => JSON.stringify(join(import.meta.dirname, name));

function processFile(files: readonly string[], namesUncaught: boolean): string {
  const imports = files.map((file) => `await import(${JSON.stringify(join(ROOT, file))});`);
  imports.unshift(`await import(${supportFile('kept-clocks.ts')});`);
  if (files.some(hasProperties)) imports.unshift(`await import(${supportFile('property-seed.ts')});`);
  if (namesUncaught) return imports.join('\n');
  const tracking = supportFile('async-tracking.ts');
  return [`import { stopAsyncTracking } from ${tracking};`, ...imports, 'stopAsyncTracking();'].join('\n');
}

const totalOf = (files: readonly string[]) => files.reduce((sum, file) => sum + expectedSeconds(file), 0);

/** First fit, the longest first. */
function pack(files: readonly string[]): string[][] {
  const processes: string[][] = [];
  for (const file of files.toSorted((a, b) => expectedSeconds(b) - expectedSeconds(a))) {
    const roomy = processes.find((shared) => totalOf(shared) + expectedSeconds(file) <= SECONDS_PER_PROCESS);
    if (roomy) roomy.push(file);
    else processes.push([file]);
  }
  return processes;
}
