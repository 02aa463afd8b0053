/**
 * Notices when the machine gives a process no time: this one, which is also every fake provider, or one of the service. Then
 * leases run out and answers come too late, as after a SIGSTOP, so it is noted as a fault.
 */
import { readFileSync } from 'node:fs';
import type { Fault } from './book.ts';
import type { Installation } from './installation.ts';

const PULSE_MS = 250;
/** A process that wants to run and waits for most of a pulse, or a pulse that comes a second late. */
const WAITED_MS = 150;
const LATE_MS = 1_000;

export function noticeStandstills(faults: Fault[], installation: Installation): Disposable {
  let last = Date.now();
  let waited = waitsOf(installation);
  const pulse = setInterval(() => {
    const now = Date.now();
    const waits = waitsOf(installation);
    const isStarved = [...waits].some(([pid, ms]) => ms - (waited.get(pid) ?? ms) > WAITED_MS);
    if (isStarved || now - last > LATE_MS) {
      note(faults, last, now);
      installation.excuse();
    }
    last = now;
    waited = waits;
  }, PULSE_MS);
  return { [Symbol.dispose]: () => clearInterval(pulse) };
}

/** Times that follow each other are one. */
function note(faults: Fault[], from: number, until: number): void {
  const name = 'the machine is busy';
  const before = faults.findLast((fault) => fault.name === name);
  if (before && before.until === from) before.until = until;
  else faults.push({ name, losesResults: true, from, until });
}

/** How long each process has waited for a CPU so far. Only Linux tells. */
function waitsOf({ running }: Installation): Map<number, number> {
  const waits = new Map<number, number>();
  for (const { pid = 0 } of running) {
    try {
      waits.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6);
    } catch {
      // It has just ended, or this is not Linux.
    }
  }
  return waits;
}
