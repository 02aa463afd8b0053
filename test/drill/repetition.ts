/**
 * Why a push was sent again. It may be only if the result of the first was lost: its sender was killed, stood still or had no
 * database when the provider had just answered. What happened to other processes explains nothing.
 */
import type { Evidence } from './accounting.ts';
import type { Arrival, Interruption } from './book.ts';

/** A result is stored soon after the answer. One that came this long before the death of its process is safe. */
const STORED_WITHIN_MS = 1_500;
/** The end of a process, and what arrives, are noticed some time after they happen. */
const NOTICED_WITHIN_MS = 1_000;
/** A delivery is free again after this. */
const LEASE_MS = 8_000;
/** Without waits a lease has more than six seconds to spare, or two at a provider that answers in the last moment. */
const LONG_WAIT_MS = 2_000;

export function reasonOf(before: Arrival, nudge: Arrival, evidence: Evidence): 'fault' | 'wait' | undefined {
  const { interruptions } = evidence;
  if (interruptions.some((one) => concerns(one, before) && losesResultOf(before, one))) return 'fault';
  // The lease of the second sender ended while it stood still, and it sent when it went on.
  if (interruptions.some((one) => concerns(one, nudge) && holdsUp(before, nudge, one))) return 'fault';
  const span = [before.at - LEASE_MS, nudge.at] as const;
  return waitedMs([before.sender, nudge.sender], span, evidence) >= LONG_WAIT_MS ? 'wait' : undefined;
}

/** Who has no known sender may have been sent by any process. */
export const concerns = ({ pid }: Interruption, { sender }: Arrival): boolean =>
  pid === undefined || sender === undefined || pid === sender;

const losesResultOf = ({ at }: Arrival, { from, until }: Interruption) =>
  from - STORED_WITHIN_MS < at && at < until + NOTICED_WITHIN_MS;

const holdsUp = (before: Arrival, nudge: Arrival, { from, until }: Interruption) =>
  from < before.at && until - NOTICED_WITHIN_MS < nudge.at && nudge.at < until + STORED_WITHIN_MS;

/** How long these processes, the providers and the database waited for the CPU: the sum of the one that waited most. */
export function waitedMs(
  senders: readonly (number | undefined)[],
  [from, until]: readonly [from: number, until: number],
  { waits }: Evidence,
): number {
  const isTheirs = (pid: number | undefined) =>
    pid === undefined || senders.includes(pid) || senders.includes(undefined);
  const during = waits.filter((wait) => isTheirs(wait.pid) && wait.until > from && wait.from < until);
  const sums = [...Map.groupBy(during, ({ pid }) => pid).values()].map((all) =>
    all.reduce((sum, { ms }) => sum + ms, 0),
  );
  return Math.max(0, ...sums);
}
