/** The service as `npm start` runs it: the time to its first answer, and its resident memory once nothing happens. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.ts';
import { START_FLAGS } from './child.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { median, spread } from './statistics.ts';

const STARTS = sized(1, 7);
const IDLE_MS = sized(1_000, 10_000);
const POLL_MS = 5;
const PROGRAM = join(import.meta.dirname, '../bin/crescendo.js');

export async function benchStart(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  try {
    // Fills the compile cache, and creates the database that the next starts find.
    await start(folder, 0);
    const starts: Started[] = [];
    for (let count = 0; count < STARTS; count += 1) starts.push(await start(folder, count === 0 ? IDLE_MS : 0));
    const seconds = starts.map((started) => started.seconds);
    report.add({
      id: 'start',
      what: 'start to the first answer',
      figures: [spread(seconds, ' s')],
      value: median(seconds),
      unit: ' s',
      target: { atMost: 1 },
    });
    const [idle] = starts;
    report.add({
      id: 'idle-memory',
      what: `resident memory, idle for ${IDLE_MS / 1_000} s`,
      figures: [],
      value: idle?.rssMb ?? Number.NaN,
      unit: ' MB',
      target: { atMost: 130 },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Started {
  readonly seconds: number;
  readonly rssMb: number;
}

async function start(folder: string, idleMs: number): Promise<Started> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...START_FLAGS, PROGRAM], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw new Error(`The service ended with exit code ${child.exitCode}.`);
      await delay(POLL_MS);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    await delay(idleMs);
    return { seconds, rssMb: rssOf(child.pid) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

const isHealthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** From `ps`, because this process does not serve our calls. */
const rssOf = (pid: number | undefined): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
