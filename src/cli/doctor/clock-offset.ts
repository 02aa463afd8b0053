/** The offset of this machine's clock from another clock. Pure. */
import { type Finding, fault, fine, warning } from './check.ts';

const WARNING_MS = 30_000;
const FAULT_MS = 120_000;

/**
 * Positive where this machine is ahead. The other clock was read at an unknown moment between the request and the
 * answer, so only the part outside that interval counts.
 */
export function offsetMs(theirs: Date, askedAt: Date, answeredAt: Date): number {
  if (theirs < askedAt) return askedAt.getTime() - theirs.getTime();
  return Math.min(0, answeredAt.getTime() - theirs.getTime());
}

export function checkOffset(whose: string, theirs: Date, askedAt: Date, answeredAt: Date): Finding {
  const aheadMs = offsetMs(theirs, askedAt, answeredAt);
  const says = `this machine's clock is ${formatOffset(aheadMs)} that of ${whose}`;
  const remedy = 'Set the clock, and keep it right with NTP: sign-in, codes, push tokens and reminders depend on it.';
  if (Math.abs(aheadMs) >= FAULT_MS) return fault(says, remedy);
  return Math.abs(aheadMs) >= WARNING_MS ? warning(says, remedy) : fine(`the clock agrees with that of ${whose}`);
}

function formatOffset(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${length} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
