/** Notices when the machine gives this process no time: then the service and the fake providers have none either. */
import type { Fault } from './book.ts';

const PULSE_MS = 100;
const STANDSTILL_MS = 1_000;

/** Each such time is noted as a fault: leases run out, and answers come too late, as after a SIGSTOP. */
export function noticeStandstills(faults: Fault[]): Disposable {
  let last = Date.now();
  const pulse = setInterval(() => {
    const now = Date.now();
    const fault = { name: 'the machine is busy', losesResults: true, from: last, until: now };
    if (now - last > STANDSTILL_MS) faults.push(fault);
    last = now;
  }, PULSE_MS);
  return { [Symbol.dispose]: () => clearInterval(pulse) };
}
