import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { millis, type ProviderEvent, providerEvent } from '../../test/support/billing-year.ts';
import { readEvent } from './billing-event.ts';
import { accessOf } from './purchase-access.ts';

const JANUARY = { purchased_at_ms: '2026-01-01', expiration_at_ms: '2026-02-01' };
const FEBRUARY = { purchased_at_ms: '2026-02-01', expiration_at_ms: '2026-03-01' };
const UNSTATED = { purchased_at_ms: '2026-01-01', expiration_at_ms: null };

const event = (type: string, at: string, fields: object = JANUARY) => providerEvent(type, at, { ...fields });
const bought = event('INITIAL_PURCHASE', '2026-01-01');
const refund = (at: string, fields: object = JANUARY) =>
  event('CANCELLATION', at, { ...fields, cancel_reason: 'CUSTOMER_SUPPORT' });

const renewed = event('RENEWAL', '2026-02-01', FEBRUARY);
const cancelled = event('CANCELLATION', '2026-01-05');
const refunded = refund('2026-01-05');

function untilOf(events: readonly ProviderEvent[]): string | undefined {
  const until = accessOf(events.map((one) => readEvent(JSON.stringify({ event: one }))))?.until;
  if (until === undefined) return undefined;
  return until === Number.POSITIVE_INFINITY ? 'never' : new Date(until).toISOString().slice(0, 10);
}

/** The events in the order in which they happened, and when the access ends. */
const cases: readonly [guarantee: string, until: string | undefined, ...ProviderEvent[]][] = [
  ['a purchase lasts until its end', '2026-02-01', bought],
  [
    'a purchase without an end never ends',
    'never',
    event('NON_RENEWING_PURCHASE', '2026-01-01', { ...UNSTATED, entitlement_ids: ['pro'] }),
  ],
  ['a tip gives no access', undefined, event('NON_RENEWING_PURCHASE', '2026-01-01', UNSTATED)],
  ['a one-time purchase with an end lasts until that end', '2026-02-01', event('NON_RENEWING_PURCHASE', '2026-01-01')],
  ['a renewal lasts until the end of its own period', '2026-03-01', bought, renewed],
  [
    'a renewal that ends earlier than the period it replaces still counts',
    '2026-01-20',
    bought,
    event('RENEWAL', '2026-01-10', { purchased_at_ms: '2026-01-10', expiration_at_ms: '2026-01-20' }),
  ],
  ['a cancellation does not shorten the paid period', '2026-02-01', bought, cancelled],
  [
    'a cancellation after a failed charge does not shorten the grace period',
    '2026-02-16',
    bought,
    event('BILLING_ISSUE', '2026-02-01', { ...JANUARY, grace_period_expiration_at_ms: '2026-02-16' }),
    event('CANCELLATION', '2026-02-01', { ...JANUARY, cancel_reason: 'BILLING_ERROR' }),
  ],
  [
    'a failed charge without a grace period does not shorten the access',
    '2026-02-01',
    bought,
    event('BILLING_ISSUE', '2026-01-31'),
  ],
  ['a cancellation alone proves the paid period that it states', '2026-02-01', cancelled],
  ['a cancellation alone without an end proves no purchase', undefined, event('CANCELLATION', '2026-01-05', UNSTATED)],
  ['a refund ends the access at once', '2026-01-05', bought, refunded],
  [
    'a refund also ends access that has no end',
    '2026-01-05',
    event('INITIAL_PURCHASE', '2026-01-01', UNSTATED),
    refund('2026-01-05', UNSTATED),
  ],
  ['a refund after the end changes nothing', '2026-02-01', bought, refund('2026-02-20')],
  ['a reversed refund restores the access', '2026-02-01', bought, refunded, event('REFUND_REVERSED', '2026-01-07')],
  [
    'a reversed refund without an end restores the earlier end',
    '2026-02-01',
    bought,
    refunded,
    event('REFUND_REVERSED', '2026-01-07', UNSTATED),
  ],
  ['a refund of an earlier period does not affect the newest', '2026-03-01', bought, renewed, refund('2026-02-05')],
  ['an expiration ends the access', '2026-02-01', bought, event('EXPIRATION', '2026-02-01')],
  [
    'an early expiration ends the access at the time it states',
    '2026-01-10',
    bought,
    event('EXPIRATION', '2026-01-11', { ...JANUARY, expiration_at_ms: '2026-01-10' }),
  ],
  [
    'an expiration without a time ends the access when it happened',
    '2026-01-11',
    bought,
    event('EXPIRATION', '2026-01-11', UNSTATED),
  ],
  [
    'an expiration that states a later end still ends the access when it happened',
    '2026-01-11',
    bought,
    event('EXPIRATION', '2026-01-11'),
  ],
  [
    'an expiration of an earlier period after a renewal ends nothing',
    '2026-03-01',
    bought,
    renewed,
    event('EXPIRATION', '2026-02-02'),
  ],
  [
    'an expiration that names no period ends the newest',
    '2026-02-10',
    bought,
    renewed,
    event('EXPIRATION', '2026-02-10', { purchased_at_ms: null }),
  ],
  [
    'an extension after the end grants access again',
    '2026-02-20',
    bought,
    event('EXPIRATION', '2026-02-01'),
    event('SUBSCRIPTION_EXTENDED', '2026-02-02', { ...JANUARY, expiration_at_ms: '2026-02-20' }),
  ],
  ['a scheduled pause does not shorten the access', '2026-02-01', bought, event('SUBSCRIPTION_PAUSED', '2026-01-05')],
  [
    'a scheduled pause does not restore refunded access',
    '2026-01-05',
    bought,
    refunded,
    event('SUBSCRIPTION_PAUSED', '2026-01-07'),
  ],
  ['an undone cancellation changes nothing', '2026-02-01', bought, cancelled, event('UNCANCELLATION', '2026-01-06')],
  [
    'an undone cancellation after a refund restores the access',
    '2026-02-01',
    bought,
    refunded,
    event('UNCANCELLATION', '2026-01-06'),
  ],
  [
    'a grace period that ends before the paid period does not shorten it',
    '2026-02-01',
    event('BILLING_ISSUE', '2026-01-05', { ...JANUARY, grace_period_expiration_at_ms: '2026-01-20' }),
  ],
  [
    "a refund's reason on any other event than a cancellation is no refund",
    '2026-02-01',
    bought,
    event('BILLING_ISSUE', '2026-01-05', { ...JANUARY, cancel_reason: 'CUSTOMER_SUPPORT' }),
  ],
  [
    'a product change is ignored if there are other events',
    '2026-02-01',
    bought,
    event('PRODUCT_CHANGE', '2026-01-05', { purchased_at_ms: '2026-01-05', expiration_at_ms: '2027-01-05' }),
  ],
  ['a product change counts if there is no other event', '2026-02-01', event('PRODUCT_CHANGE', '2026-01-05')],
];

describe('the access that a purchase gives', () => {
  for (const [guarantee, until, ...events] of cases) {
    test(guarantee, () => assert.equal(untilOf(events), until));
  }
});

test('the entitlement is the one last named for the newest period', () => {
  const events = [
    event('INITIAL_PURCHASE', '2026-01-01', { ...JANUARY, entitlement_ids: ['old'] }),
    event('RENEWAL', '2026-02-01', { ...FEBRUARY, entitlement_ids: ['new'] }),
    event('SUBSCRIPTION_EXTENDED', '2026-02-01', { ...FEBRUARY, entitlement_ids: ['newest'] }),
    event('CANCELLATION', '2026-02-02', { ...FEBRUARY, entitlement_ids: null }),
    event('EXPIRATION', '2026-02-03', { ...JANUARY, entitlement_ids: ['older'] }),
    event('PRODUCT_CHANGE', '2026-02-04', { ...FEBRUARY, entitlement_ids: ['future'] }),
  ];
  const access = accessOf(events.map((one) => readEvent(JSON.stringify({ event: one }))));
  assert.deepEqual(access, { until: millis('2026-03-01'), entitlements: ['newest'] });
});
