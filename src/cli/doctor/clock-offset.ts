/** How far this machine's clock is from another one. Pure. */
import { type Finding, fault, fine, warning } from './check.ts';

const WARNING_MS = 30_000;
const FAULT_MS = 120_000;

/** The other clock was read at some moment between the question and the answer: only what lies outside is an offset. */
export function offsetMs(theirs: Date, askedAt: Date, answeredAt: Date): number {
  if (theirs < askedAt) return askedAt.getTime() - theirs.getTime();
  return Math.min(0, answeredAt.getTime() - theirs.getTime());
}

export function judgeOffset(whose: string, theirs: Date, askedAt: Date, answeredAt: Date): Finding {
  const ahead = offsetMs(theirs, askedAt, answeredAt);
  const says = `this machine's clock is ${wordsOf(ahead)} that of ${whose}`;
  const remedy = 'Set the clock, and keep it right with NTP: codes, push tokens and reminders depend on it.';
  if (Math.abs(ahead) >= FAULT_MS) return fault(says, remedy);
  return Math.abs(ahead) >= WARNING_MS ? warning(says, remedy) : fine(`the clock agrees with that of ${whose}`);
}

function wordsOf(ahead: number): string {
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${length} ${ahead > 0 ? 'ahead of' : 'behind'}`;
}
