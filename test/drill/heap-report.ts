/** Preloaded into a process that is soaked (`--import`, with `--expose-gc`): writes what is left after a collection. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 15_000;

export interface HeapReport {
  readonly heapBytes: number;
  /** Timers, sockets and the like that keep the process alive. */
  readonly resources: number;
}

export const heapReportOf = (folder: string, pid: number): string => join(folder, `heap-${pid}.json`);

const folder = process.env.HEAP_REPORTS;

function report(): void {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const written: HeapReport = { heapBytes: heapUsed + external, resources: process.getActiveResourcesInfo().length };
  const file = heapReportOf(folder ?? '', process.pid);
  writeFileSync(`${file}.new`, JSON.stringify(written));
  renameSync(`${file}.new`, file);
}

if (folder) setInterval(report, EVERY_MS).unref();
