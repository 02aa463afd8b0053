/**
 * What everybody is entitled to: a function of the set of events, and of nothing else. It does not
 * matter in which order they arrived, how often, or when; so disorder, repeats and late arrivals
 * need no care anywhere else. It must never look at a clock: what has ended is still an answer, and
 * whoever reads it compares its end with the time.
 */
import type { BillingEvent } from './billing-event.ts';
import { customersOf } from './customers.ts';
import { isAboutPurchase, rankOf, type Standing, standingOf } from './standing.ts';

export interface Entitlement {
  readonly plan: string;
  /** Null for one that never ends. */
  readonly expiresAt: Date | null;
}

/** The plan of a purchase for which the provider names no entitlement. */
const UNNAMED_PLAN = 'paid';

interface Purchase {
  /** The customers who have it now. */
  owners: ReadonlySet<string>;
  readonly events: BillingEvent[];
}

/** Returns what the customer with a name has; undefined where nothing was ever bought. */
export function entitlementsFrom(events: Iterable<BillingEvent>): (name: string) => Entitlement | undefined {
  const told = inOrder(events);
  const customerOf = customersOf(told.map(({ names }) => names));
  const purchases = purchasesFrom(told, customerOf);
  const standings = purchases.map(({ owners, events: about }) => ({ owners, standing: standingOf(about) }));
  return (name) => {
    const customer = customerOf(name);
    return longestOf(standings.flatMap(({ owners, standing }) => (owners.has(customer) && standing ? [standing] : [])));
  };
}

/** By the time they happened; where that is the same, by what they do, and then by their ids. */
function inOrder(events: Iterable<BillingEvent>): BillingEvent[] {
  const once = new Map(Array.from(events, (event) => [event.id, event]));
  return [...once.values()].sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1));
}

/** A purchase is its owner's who was named with it last, until a transfer gives it to somebody else. */
function purchasesFrom(told: readonly BillingEvent[], customerOf: (name: string) => string): Purchase[] {
  const purchases = new Map<string, Purchase>();
  for (const event of told) {
    if (event.type === 'TRANSFER') transfer(purchases, new Set(event.from.map(customerOf)), event.to.map(customerOf));
    const [name] = event.names;
    if (name === undefined || !isAboutPurchase(event)) continue;
    const key = keyOf(event, customerOf(name));
    const purchase = purchases.get(key) ?? { owners: new Set(), events: [] };
    purchase.owners = new Set([customerOf(name)]);
    purchase.events.push(event);
    purchases.set(key, purchase);
  }
  return [...purchases.values()];
}

/** All that the old owner had at the time; what is bought later is not meant. */
function transfer(purchases: ReadonlyMap<string, Purchase>, from: ReadonlySet<string>, to: readonly string[]): void {
  if (to.length === 0) return;
  for (const purchase of purchases.values()) {
    if (!from.isDisjointFrom(purchase.owners)) purchase.owners = new Set(to);
  }
}

/**
 * The store's own id of the purchase, or the product where there is none. A temporary grant is made
 * while the store cannot be asked, so it is a purchase of its own that lapses by itself.
 */
function keyOf({ type, environment, store, transaction, product }: BillingEvent, customer: string): string {
  const byTransaction = transaction !== undefined && type !== 'TEMPORARY_ENTITLEMENT_GRANT';
  return JSON.stringify([environment, store, ...(byTransaction ? [transaction] : [customer, product ?? null])]);
}

/** The one that lasts longest; of equals the first by name, so that the answer is always the same. */
function longestOf(standings: readonly Standing[]): Entitlement | undefined {
  const [best] = standings
    .flatMap(({ until, entitlements }) =>
      (entitlements.length > 0 ? entitlements : [UNNAMED_PLAN]).map((plan) => ({ plan, until })),
    )
    .sort((a, b) => (a.until === b.until ? (a.plan < b.plan ? -1 : 1) : b.until - a.until));
  if (!best) return undefined;
  return { plan: best.plan, expiresAt: best.until === Number.POSITIVE_INFINITY ? null : new Date(best.until) };
}
