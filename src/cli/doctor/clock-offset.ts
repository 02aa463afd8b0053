/** What the doctor says about a clock that was compared with another one. Pure. */
import { type Finding, fault, fine, warning } from './check.ts';

const FAULT_MS = 120_000;

interface Comparison {
  /** "this machine's clock" */
  readonly clock: string;
  /** Whose clock it was compared with. */
  readonly whose: string;
  /** Negative where the clock is behind. */
  readonly aheadMs: number;
  /** A larger difference is a warning. */
  readonly toleratedMs: number;
  readonly remedy: string;
}

export function checkOffset({ clock, whose, aheadMs, toleratedMs, remedy }: Comparison): Finding {
  const says = `${clock} is ${formatOffset(aheadMs)} that of ${whose}`;
  if (Math.abs(aheadMs) >= FAULT_MS) return fault(says, remedy);
  return Math.abs(aheadMs) > toleratedMs ? warning(says, remedy) : fine(`${clock} agrees with that of ${whose}`);
}

function formatOffset(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  const length =
    seconds < 10
      ? `${seconds.toFixed(1)} s`
      : seconds < 120
        ? `${Math.round(seconds)} s`
        : `${Math.round(seconds / 60)} min`;
  return `${length} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
