/**
 * Decides what each customer is entitled to, as a function of the set of events alone. The result does
 * not depend on the order, number or time of their arrival, so the rest of the code need not care about
 * reordered, repeated or late events. It must never read a clock: an entitlement that has ended is
 * still returned, and the caller compares its end with the time.
 */
import type { BillingEvent } from './billing-event.ts';
import { type Access, accessOf, isAboutPurchase, tieRank } from './purchase-access.ts';

export interface Entitlement {
  readonly plan: string;
  /** Null if it never ends. */
  readonly expiresAt: Date | null;
}

/** The plan of a purchase for which the provider names no entitlement. */
const UNNAMED_PLAN = 'paid';

interface Purchase {
  /** The customers who have it now. */
  owners: ReadonlySet<string>;
  readonly events: BillingEvent[];
}

/** Returns a function from a customer's name to their entitlement; undefined if they never bought anything. */
export function entitlementsFrom(events: Iterable<BillingEvent>): (name: string) => Entitlement | undefined {
  const ordered = inOrder(events);
  const customerOf = resolveAliases(ordered.map(({ names }) => names));
  const purchases = purchasesFrom(ordered, customerOf).map(({ owners, events: about }) => ({
    owners,
    access: accessOf(about),
  }));
  return (name) => {
    const customer = customerOf(name);
    return longestOf(purchases.flatMap(({ owners, access }) => (owners.has(customer) && access ? [access] : [])));
  };
}

/**
 * Groups names into customers. The provider knows one customer by several names and lists them together
 * in its events; each such list counts for all events, earlier ones included. Two names belong to the
 * same customer exactly if the returned function maps them to the same value.
 */
export function resolveAliases(namedTogether: Iterable<readonly string[]>): (name: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    return root;
  };
  for (const names of namedTogether) {
    for (const name of names) {
      const [root, other] = [rootOf(names[0] ?? name), rootOf(name)];
      if (root !== other) parents.set(other, root);
    }
  }
  return rootOf;
}

/** Each event once, by time; at the same time by what the event does, then by its id. */
function inOrder(events: Iterable<BillingEvent>): BillingEvent[] {
  const once = new Map(Array.from(events, (event) => [event.id, event]));
  return [...once.values()].sort((a, b) => a.at - b.at || tieRank(a) - tieRank(b) || (a.id < b.id ? -1 : 1));
}

/** A purchase belongs to the customer named last in its events, until a transfer moves it. */
function purchasesFrom(events: readonly BillingEvent[], customerOf: (name: string) => string): Purchase[] {
  const purchases = new Map<string, Purchase>();
  for (const event of events) {
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

/** Moves the purchases that the old owner has at that time, not later ones. */
function transfer(purchases: ReadonlyMap<string, Purchase>, from: ReadonlySet<string>, to: readonly string[]): void {
  if (to.length === 0) return;
  for (const purchase of purchases.values()) {
    if (!from.isDisjointFrom(purchase.owners)) purchase.owners = new Set(to);
  }
}

/**
 * Identifies a purchase by the store's transaction id, or by customer and product if there is none. A
 * temporary grant is issued while the store is unreachable and expires, so it is a purchase of its own.
 */
function keyOf({ type, environment, store, transaction, product }: BillingEvent, customer: string): string {
  const byTransaction = transaction !== undefined && type !== 'TEMPORARY_ENTITLEMENT_GRANT';
  return JSON.stringify([environment, store, ...(byTransaction ? [transaction] : [customer, product ?? null])]);
}

/** Ties are broken by name, so that the result is always the same. */
function longestOf(candidates: readonly Access[]): Entitlement | undefined {
  const [best] = candidates
    .flatMap(({ until, entitlements }) =>
      (entitlements.length > 0 ? entitlements : [UNNAMED_PLAN]).map((plan) => ({ plan, until })),
    )
    .sort((a, b) => (a.until === b.until ? (a.plan < b.plan ? -1 : 1) : b.until - a.until));
  if (!best) return undefined;
  return { plan: best.plan, expiresAt: best.until === Number.POSITIVE_INFINITY ? null : new Date(best.until) };
}
