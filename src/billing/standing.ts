/**
 * What one purchase is worth: until when it gives access, and to what. A function of everything told
 * about the purchase.
 *
 *   purchase or renewal ──▶ lasts until the latest end that was stated for its period
 *     cancellation: no change, the period was paid for      billing issue: lasts through the grace period
 *     refund: over at once ──▶ refund reversed: as before   expiration: over ──▶ extended: lasts again
 *
 * A subscription is as its newest period is. What is told late about an earlier one, an expiration
 * that a renewal has overtaken for instance, changes nothing.
 */
import type { BillingEvent } from './billing-event.ts';

/** Each of these is the provider's word that the purchase holds, whatever was said before. */
const GIVES: ReadonlySet<string> = new Set([
  'INITIAL_PURCHASE',
  'RENEWAL',
  'NON_RENEWING_PURCHASE',
  'UNCANCELLATION',
  'SUBSCRIPTION_EXTENDED',
  'TEMPORARY_ENTITLEMENT_GRANT',
  'REFUND_REVERSED',
]);

/** These tell until when, and leave it at that. */
const STATES: ReadonlySet<string> = new Set(['CANCELLATION', 'BILLING_ISSUE', 'SUBSCRIPTION_PAUSED', 'PRODUCT_CHANGE']);

export interface Standing {
  readonly entitlements: readonly string[];
  /** In milliseconds; Infinity for what never ends. */
  readonly until: number;
}

export const isAboutPurchase = ({ type }: BillingEvent): boolean =>
  GIVES.has(type) || STATES.has(type) || type === 'EXPIRATION';

/** Of another type nothing is known but whom it names. */
export const isUnderstood = (event: BillingEvent): boolean =>
  isAboutPurchase(event) || ['TRANSFER', 'SUBSCRIBER_ALIAS', 'TEST'].includes(event.type);

/** Takes what was told about one purchase in the order in which it happened. */
export function standingOf(events: readonly BillingEvent[]): Standing | undefined {
  const period = newestPeriodOf(events);
  const until = Math.min(statedEndOf(period), actualEndOf(period));
  const entitlements = period.findLast((event) => event.entitlements.length > 0)?.entitlements ?? [];
  if (until === Number.POSITIVE_INFINITY && !period.some((event) => givesForGood(event, entitlements)))
    return undefined;
  return { until, entitlements };
}

/** What is bought once, without an end and without an entitlement, is a tip or a handful of coins. */
const givesForGood = ({ type }: BillingEvent, entitlements: readonly string[]): boolean =>
  GIVES.has(type) && (type !== 'NON_RENEWING_PURCHASE' || entitlements.length > 0);

/**
 * A change of product may lie in the future, and comes as a purchase or a renewal of its own once it
 * is in effect: it counts only where nothing else is known. What does not say which period it
 * belongs to is about the newest.
 */
function newestPeriodOf(events: readonly BillingEvent[]): readonly BillingEvent[] {
  const inEffect = events.filter(({ type }) => type !== 'PRODUCT_CHANGE');
  const known = inEffect.length > 0 ? inEffect : events;
  const newest = Math.max(...known.map(({ purchasedAt }) => purchasedAt ?? 0));
  return known.filter(({ purchasedAt }) => (purchasedAt ?? newest) === newest);
}

/** The provider states the end of the paid period with each event; a grace period and an extension only ever add to it. */
function statedEndOf(period: readonly BillingEvent[]): number {
  const ends = period.flatMap(({ expiresAt, graceUntil }) =>
    [expiresAt, graceUntil].filter((end) => end !== undefined),
  );
  return ends.length > 0 ? Math.max(...ends) : Number.POSITIVE_INFINITY;
}

/** When access was taken away, unless it was given again since. */
function actualEndOf(period: readonly BillingEvent[]): number {
  return period.reduce((end, event) => {
    if (event.type === 'EXPIRATION') return Math.min(event.at, event.expiresAt ?? event.at);
    if (isRefund(event)) return event.at;
    return GIVES.has(event.type) ? Number.POSITIVE_INFINITY : end;
  }, Number.POSITIVE_INFINITY);
}

const isRefund = ({ type, cancelReason }: BillingEvent) =>
  type === 'CANCELLATION' && cancelReason === 'CUSTOMER_SUPPORT';

/**
 * For what happened in the same millisecond: giving comes before taking away, a reversal after the
 * refund that it reverses, a transfer after the purchases that it moves.
 */
export function rankOf({ type }: BillingEvent): number {
  if (type === 'TRANSFER') return 3;
  if (type === 'REFUND_REVERSED') return 2;
  return GIVES.has(type) ? 0 : 1;
}
