/**
 * Which test files share a process. Loading the service and warming up its code costs each process about two
 * seconds of CPU time, as much as many a test file itself, so files are put together up to a certain length.
 * The processes with the most to do start first, so that none of them runs alone at the end.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SECONDS_PER_PROCESS = 50;

/** What a file of a folder takes on both engines, roughly. A test next to its source takes almost nothing. */
const SECONDS_PER_FILE: readonly (readonly [folder: string, seconds: number])[] = [
  ['test/chaos/', 25],
  ['test/browser/', 25],
  ['test/', 4],
  ['', 0.2],
];

/** These look at their own process, or work with real ones. */
const needsOwnProcess = (file: string) => /^test\/chaos\/|\/fuzz\.test/.test(file);

const expectedSeconds = (file: string): number =>
  SECONDS_PER_FILE.find(([folder]) => file.startsWith(folder))?.[1] ?? 0;

/** Writes a file per process that imports its test files; returns their paths in the order in which they start. */
export function writeProcessFiles(files: readonly string[], folder: string, namesUncaught: boolean): string[] {
  const browser = files.filter((file) => file.startsWith('test/browser/'));
  const alone = files.filter(needsOwnProcess);
  const others = files.filter((file) => !browser.includes(file) && !alone.includes(file));
  const processes = [...alone.map((file) => [file]), ...pack(browser), ...pack(others)];
  return processes
    .toSorted((a, b) => totalOf(b) - totalOf(a))
    .map((shared, index) => {
      const path = join(folder, `process-${index + 1}.test.mjs`);
      writeFileSync(path, processFile(shared, namesUncaught));
      return path;
    });
}

function processFile(files: readonly string[], namesUncaught: boolean): string {
  const imports = files.map((file) => `await import(${JSON.stringify(join(ROOT, file))});`);
  if (namesUncaught) return imports.join('\n');
  const tracking = JSON.stringify(join(import.meta.dirname, 'async-tracking.ts'));
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
