/**
 * What the billing provider (RevenueCat) tells, read from its own words. An event needs an id and a
 * type; whatever else is missing, misspelt or of another kind than expected is as if it were not
 * there, since an event that is refused for a detail is lost with everything that matters in it.
 */
import { isUuid } from '../lib/ids.ts';

export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  /** When it happened, in milliseconds; arrival says nothing about order. */
  readonly at: number;
  readonly environment: string | undefined;
  /** The ids of the one customer it is about, the one seen last first. */
  readonly names: readonly string[];
  /** Of a transfer: whose purchases go to whom. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly store: string | undefined;
  /** The same for all periods of a subscription. */
  readonly transaction: string | undefined;
  readonly product: string | undefined;
  readonly entitlements: readonly string[];
  readonly purchasedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly graceUntil: number | undefined;
  readonly cancelReason: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** What of an event is read; the rest is kept as it came and never looked at. */
const READ_FIELDS = [
  ...['id', 'type', 'event_timestamp_ms', 'environment'],
  ...['app_user_id', 'original_app_user_id', 'aliases', 'transferred_from', 'transferred_to'],
  ...['store', 'original_transaction_id', 'product_id', 'entitlement_ids', 'entitlement_id'],
  ...['purchased_at_ms', 'expiration_at_ms', 'grace_period_expiration_at_ms', 'cancel_reason'],
];

/** The text has been found to be a JSON object whose `event` has an id and a type. */
export function readEvent(payload: string): BillingEvent {
  const fields: Fields = fieldsOf(payload);
  const purchasedAt = instantOf(fields.purchased_at_ms);
  return {
    id: String(fields.id),
    type: String(fields.type),
    at: instantOf(fields.event_timestamp_ms) ?? purchasedAt ?? 0,
    environment: textOf(fields.environment),
    names: namesOf(fields.app_user_id, fields.original_app_user_id, fields.aliases),
    from: namesOf(fields.transferred_from),
    to: namesOf(fields.transferred_to),
    store: textOf(fields.store),
    transaction: textOf(fields.original_transaction_id),
    product: textOf(fields.product_id),
    entitlements: entitlementsOf(fields),
    purchasedAt,
    expiresAt: instantOf(fields.expiration_at_ms),
    graceUntil: instantOf(fields.grace_period_expiration_at_ms),
    cancelReason: textOf(fields.cancel_reason),
  };
}

/** The same event with other names, for whoever still needs it once an account is gone: nothing idle is kept. */
export function renamed(payload: string, names: ReadonlyMap<string, string>): string {
  const fields = fieldsOf(payload);
  const kept = READ_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]);
  return JSON.stringify({ event: Object.fromEntries(kept) }, (_key, value: unknown) =>
    typeof value === 'string' ? (names.get(asName(value)) ?? value) : value,
  );
}

/** A byte order mark may come before the JSON, and is kept with it. */
const fieldsOf = (payload: string): Fields => JSON.parse(payload.replace(/^\uFEFF/, '')).event;

/** Longer texts are no id of anything, and would not fit into an index. */
const LONGEST_TEXT = 255;

/** PostgreSQL stores no U+0000, and a lone surrogate is no character. */
function textOf(value: unknown): string | undefined {
  const usable =
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= LONGEST_TEXT &&
    value.isWellFormed() &&
    !value.includes('\0');
  return usable ? value : undefined;
}

/** The last moment that a Date can hold. */
const LATEST_MS = 8.64e15;

function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= LATEST_MS)) return undefined;
  return Math.trunc(value);
}

/** A customer has a handful of names; this many are taken from one event. */
const MOST_NAMES = 200;

/** Our account ids are written in one way, however the app wrote them. */
const asName = (text: string) => (isUuid(text) ? text.toLowerCase() : text);

function namesOf(...values: readonly unknown[]): string[] {
  const texts = values.flat().flatMap((value) => textOf(value) ?? []);
  return [...new Set(texts.map(asName))].slice(0, MOST_NAMES);
}

function entitlementsOf({ entitlement_ids, entitlement_id }: Fields): string[] {
  const texts = [entitlement_ids].flat().flatMap((value) => textOf(value) ?? []);
  return texts.length > 0 ? texts : [entitlement_id].flatMap((value) => textOf(value) ?? []);
}
