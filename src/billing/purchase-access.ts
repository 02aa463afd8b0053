/**
 * Decides what access one purchase gives and until when, from all events about the purchase.
 *
 *   purchase or renewal ──▶ lasts until the latest end stated for its period
 *     cancellation: no change, the period is paid for       billing issue: lasts through the grace period
 *     refund: ends at once ──▶ refund reversed: as before   expiration: ends ──▶ extended: lasts again
 *
 * Only the newest period of a subscription counts. A late event about an earlier period, such as an
 * expiration that arrives after the renewal, changes nothing.
 */
import type { BillingEvent } from './billing-event.ts';

/** With each of these the provider states that the purchase is valid, overriding all earlier events. */
const GRANTING: ReadonlySet<string> = new Set([
  'INITIAL_PURCHASE',
  'RENEWAL',
  'NON_RENEWING_PURCHASE',
  'UNCANCELLATION',
  'SUBSCRIPTION_EXTENDED',
  'TEMPORARY_ENTITLEMENT_GRANT',
  'REFUND_REVERSED',
]);

/** These only state when the period ends. */
const INFORMING: ReadonlySet<string> = new Set([
  'CANCELLATION',
  'BILLING_ISSUE',
  'SUBSCRIPTION_PAUSED',
  'PRODUCT_CHANGE',
]);

export interface Access {
  readonly entitlements: readonly string[];
  /** In milliseconds; Infinity for access that never ends. */
  readonly until: number;
}

export const isAboutPurchase = ({ type }: BillingEvent): boolean =>
  GRANTING.has(type) || INFORMING.has(type) || type === 'EXPIRATION';

/** For all other types, only the customer names are used. */
export const isUnderstood = (event: BillingEvent): boolean =>
  isAboutPurchase(event) || ['TRANSFER', 'SUBSCRIBER_ALIAS', 'TEST'].includes(event.type);

/** Expects the events of one purchase in the order in which they happened. */
export function accessOf(events: readonly BillingEvent[]): Access | undefined {
  const period = newestPeriodOf(events);
  const until = Math.min(statedEndOf(period), actualEndOf(period));
  const entitlements = period.findLast((event) => event.entitlements.length > 0)?.entitlements ?? [];
  if (until === Number.POSITIVE_INFINITY && !period.some((event) => grantsForever(event, entitlements)))
    return undefined;
  return { until, entitlements };
}

/** A one-time purchase without an end and without an entitlement is a tip or virtual currency. */
const grantsForever = ({ type }: BillingEvent, entitlements: readonly string[]): boolean =>
  GRANTING.has(type) && (type !== 'NON_RENEWING_PURCHASE' || entitlements.length > 0);

/**
 * A product change may take effect later, and is then followed by a purchase or renewal of its own, so
 * it counts only if there is no other event. An event that names no period belongs to the newest.
 */
function newestPeriodOf(events: readonly BillingEvent[]): readonly BillingEvent[] {
  const inEffect = events.filter(({ type }) => type !== 'PRODUCT_CHANGE');
  const known = inEffect.length > 0 ? inEffect : events;
  const newest = Math.max(...known.map(({ purchasedAt }) => purchasedAt ?? 0));
  return known.filter(({ purchasedAt }) => (purchasedAt ?? newest) === newest);
}

/** Each event states the end of the paid period; a grace period or an extension can only move it later. */
function statedEndOf(period: readonly BillingEvent[]): number {
  const ends = period.flatMap(({ expiresAt, graceUntil }) =>
    [expiresAt, graceUntil].filter((end) => end !== undefined),
  );
  return ends.length > 0 ? Math.max(...ends) : Number.POSITIVE_INFINITY;
}

/** When access was withdrawn, unless it was granted again since. */
function actualEndOf(period: readonly BillingEvent[]): number {
  return period.reduce((end, event) => {
    if (event.type === 'EXPIRATION') return Math.min(event.at, event.expiresAt ?? event.at);
    if (isRefund(event)) return event.at;
    return GRANTING.has(event.type) ? Number.POSITIVE_INFINITY : end;
  }, Number.POSITIVE_INFINITY);
}

const isRefund = ({ type, cancelReason }: BillingEvent) =>
  type === 'CANCELLATION' && cancelReason === 'CUSTOMER_SUPPORT';

/**
 * Orders events of the same millisecond: grants before withdrawals, a reversal after the refund that it
 * reverses, a transfer after the purchases that it moves.
 */
export function tieRank({ type }: BillingEvent): number {
  if (type === 'TRANSFER') return 3;
  if (type === 'REFUND_REVERSED') return 2;
  return GRANTING.has(type) ? 0 : 1;
}
