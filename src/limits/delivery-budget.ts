/**
 * Decides whether the deliveries of a nudge are sent now, wait, or are dropped.
 *
 * Each delivery books a part of its account's time: a minute divided by the deliveries that an account may have per
 * minute. The booked time shrinks as time passes. A burst is sent at once. Further deliveries wait for their part. If
 * that lies too far ahead, they are dropped: such a late reminder helps nobody, and without a limit one account could
 * fill the outbox.
 */

/** More than any person gets at once, and as many as a provider accepts at once. */
export const BURST = 500;
export const LONGEST_WAIT_MS = 600_000;

/** How much time an account had booked ahead, and when: in real time, like everything in the outbox. */
export interface Booked {
  readonly ms: number;
  readonly atMs: number;
}

interface Decided {
  readonly booked: Booked;
  /** What this nudge adds to it. */
  readonly addedMs: number;
}

export type Booking = Decided &
  (
    | { readonly kind: 'send' }
    | { readonly kind: 'wait'; readonly until: Date }
    /** Books nothing, so an account that sends too much is silent no longer than its backlog lasts. */
    | { readonly kind: 'drop' }
  );

/** Decides for all deliveries of one nudge together, so that no device of a person is left out. */
export function bookDeliveries(before: Booked, deliveries: number, perMinute: number, now: Date): Booking {
  const atMs = now.getTime();
  const leftMs = stillBookedMs(before, atMs);
  const waitMs = leftMs - sliceMs(BURST, perMinute);
  if (waitMs > LONGEST_WAIT_MS) return { kind: 'drop', booked: { ms: leftMs, atMs }, addedMs: 0 };
  const addedMs = sliceMs(deliveries, perMinute);
  const decided = { booked: { ms: leftMs + addedMs, atMs }, addedMs };
  return waitMs <= 0 ? { kind: 'send', ...decided } : { kind: 'wait', until: new Date(atMs + waitMs), ...decided };
}

/**
 * For a nudge about somebody else's task. It counts like any other and uses half of a burst at most, so the tasks of
 * others never cost a person their own reminders. It does not wait: the next one comes anyway.
 */
export function bookForStandIn(before: Booked, deliveries: number, perMinute: number, now: Date): Booking {
  const atMs = now.getTime();
  const leftMs = stillBookedMs(before, atMs);
  const addedMs = sliceMs(deliveries, perMinute);
  if (leftMs + addedMs > sliceMs(BURST / 2, perMinute))
    return { kind: 'drop', booked: { ms: leftMs, atMs }, addedMs: 0 };
  return { kind: 'send', booked: { ms: leftMs + addedMs, atMs }, addedMs };
}

/** If the clock was set back, the booked time stays the same: it neither shrinks nor grows. */
const stillBookedMs = ({ ms, atMs }: Booked, nowMs: number): number => Math.max(0, ms - Math.max(0, nowMs - atMs));

/** Whole milliseconds, since that is how the time is stored. */
const sliceMs = (deliveries: number, perMinute: number): number => Math.round((deliveries * 60_000) / perMinute);
