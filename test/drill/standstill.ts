/**
 * Measures how long processes wait for the CPU: those of the service, the database, and this one, which is also every fake
 * provider. After long waits leases run out and answers come too late, as after a SIGSTOP.
 */
import { readFileSync } from 'node:fs';
import type { Wait } from './book.ts';
import type { Installation } from './installation.ts';

const PULSE_MS = 250;
/** Shorter waits in a pulse are those of any machine. */
const NOTED_MS = 25;

export function noticeStandstills(waits: Wait[], installation: Installation): Disposable {
  let last = Date.now();
  let before = new Map<number, number>();
  const pulse = setInterval(() => {
    const now = Date.now();
    const shared = [process.pid, ...backendsOf(installation.postgres?.pid)];
    const totals = new Map([...shared, ...installation.pids].map((pid) => [pid, waitedMs(pid)]));
    const sinceLast = (pid: number) => (totals.get(pid) ?? 0) - (before.get(pid) ?? totals.get(pid) ?? 0);
    // Nobody waits on a machine that stands still, but the pulse is late.
    const ofAll = Math.max(now - last - PULSE_MS, ...shared.map(sinceLast));
    const found = [[undefined, ofAll] as const, ...installation.pids.map((pid) => [pid, sinceLast(pid)] as const)];
    const long = found.filter(([, ms]) => ms > NOTED_MS);
    waits.push(...long.map(([pid, ms]) => ({ pid, from: last, until: now, ms })));
    last = now;
    before = totals;
  }, PULSE_MS);
  return { [Symbol.dispose]: () => clearInterval(pulse) };
}

/** How long a process has waited for a CPU so far. Only Linux tells. */
function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    // It has just ended, or this is not Linux.
    return 0;
  }
}

function backendsOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
