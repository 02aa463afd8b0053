/**
 * What becomes of a nudge's deliveries: they are sent now, wait for a moment, or are dropped.
 *
 * Each delivery books a slice of its account's time, a minute divided by the rate that an account may have.
 * What is booked melts away as time passes. A burst goes out at once. Beyond it deliveries wait for their
 * slice, and where that lies too far ahead they are dropped: a reminder that late helps nobody, and without a
 * limit one account could fill the outbox.
 */

/** More than any person gets at once, and as many as a provider accepts in a moment. */
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

/** A clock that was set back melts nothing, and it postpones nothing either: a moment in the future is not trusted. */
const stillBookedMs = ({ ms, atMs }: Booked, nowMs: number): number => Math.max(0, ms - Math.max(0, nowMs - atMs));

/** Whole milliseconds, since that is how the time is stored. */
const sliceMs = (deliveries: number, perMinute: number): number => Math.round((deliveries * 60_000) / perMinute);
