/**
 * Reads an event of the billing provider (RevenueCat). An event needs an id and a type. Any other field
 * that is missing or malformed is ignored, because refusing the event would lose its valid fields too.
 */
import { isUuid } from '../lib/ids.ts';

export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  /** When it happened, in milliseconds. Events arrive in any order. */
  readonly at: number;
  readonly environment: string | undefined;
  /** All ids of the one customer that the event is about, the most recent first. */
  readonly names: readonly string[];
  /** For a transfer: the customers who lose and who get the purchases. */
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

/** All fields that are read. The others are stored as they came and never used. */
const READ_FIELDS = [
  'id',
  'type',
  'event_timestamp_ms',
  'environment',
  'app_user_id',
  'original_app_user_id',
  'aliases',
  'transferred_from',
  'transferred_to',
  'store',
  'original_transaction_id',
  'product_id',
  'entitlement_ids',
  'entitlement_id',
  'purchased_at_ms',
  'expiration_at_ms',
  'grace_period_expiration_at_ms',
  'cancel_reason',
];

/** Expects a JSON object whose `event` has an id and a type: the route has validated that. */
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

/** Used when an account is deleted. Drops the fields that are not read, since they may name the person. */
export function replaceNames(payload: string, names: ReadonlyMap<string, string>): string {
  const fields = fieldsOf(payload);
  const kept = READ_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]);
  return JSON.stringify({ event: Object.fromEntries(kept) }, (_key, value: unknown) =>
    typeof value === 'string' ? (names.get(normalizeName(value)) ?? value) : value,
  );
}

/** The payload is stored as it came, which may be with a byte order mark. */
const fieldsOf = (payload: string): Fields => JSON.parse(payload.replace(/^\uFEFF/, '')).event;

/** Longer than any id, and too long for an index. */
const LONGEST_TEXT = 255;

/** PostgreSQL cannot store U+0000 or a lone surrogate. */
function textOf(value: unknown): string | undefined {
  const isUsable =
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= LONGEST_TEXT &&
    value.isWellFormed() &&
    !value.includes('\0');
  return isUsable ? value : undefined;
}

/** The latest instant that fits into a Date. */
const LATEST_MS = 8.64e15;

function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= LATEST_MS)) return undefined;
  return Math.trunc(value);
}

/** A customer has a handful of names; more than this in one event are ignored. */
const MOST_NAMES = 200;

/** Account ids are lower case, whatever spelling the app used. */
const normalizeName = (text: string) => (isUuid(text) ? text.toLowerCase() : text);

function namesOf(...values: readonly unknown[]): string[] {
  const texts = values.flat().flatMap((value) => textOf(value) ?? []);
  return [...new Set(texts.map(normalizeName))].slice(0, MOST_NAMES);
}

function entitlementsOf({ entitlement_ids, entitlement_id }: Fields): string[] {
  const texts = [entitlement_ids].flat().flatMap((value) => textOf(value) ?? []);
  return texts.length > 0 ? texts : [entitlement_id].flatMap((value) => textOf(value) ?? []);
}
