import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { millis, type ProviderEvent, providerEvent } from '../../test/support/billing-year.ts';
import { readEvent } from './billing-event.ts';
import { standingOf } from './standing.ts';

const JANUARY = { purchased_at_ms: '2026-01-01', expiration_at_ms: '2026-02-01' };
const FEBRUARY = { purchased_at_ms: '2026-02-01', expiration_at_ms: '2026-03-01' };
const UNSTATED = { purchased_at_ms: '2026-01-01', expiration_at_ms: null };

const told = (type: string, at: string, fields: object = JANUARY) => providerEvent(type, at, { ...fields });
const bought = told('INITIAL_PURCHASE', '2026-01-01');
const refund = (at: string, fields: object = JANUARY) =>
  told('CANCELLATION', at, { ...fields, cancel_reason: 'CUSTOMER_SUPPORT' });

function untilOf(events: readonly ProviderEvent[]): string | undefined {
  const until = standingOf(events.map((event) => readEvent(JSON.stringify({ event }))))?.until;
  if (until === undefined) return undefined;
  return until === Number.POSITIVE_INFINITY ? 'for ever' : new Date(until).toISOString().slice(0, 10);
}

/** In the order in which it happened, and until when it lasts. */
const stories: readonly [guarantee: string, until: string | undefined, ...ProviderEvent[]][] = [
  ['a purchase lasts until its end', '2026-02-01', bought],
  [
    'a purchase without an end lasts for ever',
    'for ever',
    told('NON_RENEWING_PURCHASE', '2026-01-01', { ...UNSTATED, entitlement_ids: ['pro'] }),
  ],
  ['a tip entitles to nothing', undefined, told('NON_RENEWING_PURCHASE', '2026-01-01', UNSTATED)],
  ['what is bought once for a time lasts for that time', '2026-02-01', told('NON_RENEWING_PURCHASE', '2026-01-01')],
  ['a renewal lasts until the end of its own period', '2026-03-01', bought, told('RENEWAL', '2026-02-01', FEBRUARY)],
  [
    'a renewal that is shorter than what it replaces decides all the same',
    '2026-01-20',
    bought,
    told('RENEWAL', '2026-01-10', { purchased_at_ms: '2026-01-10', expiration_at_ms: '2026-01-20' }),
  ],
  ['a cancellation leaves what was paid for', '2026-02-01', bought, told('CANCELLATION', '2026-01-05')],
  [
    'a cancellation for a failed charge leaves the grace period',
    '2026-02-16',
    bought,
    told('BILLING_ISSUE', '2026-02-01', { ...JANUARY, grace_period_expiration_at_ms: '2026-02-16' }),
    told('CANCELLATION', '2026-02-01', { ...JANUARY, cancel_reason: 'BILLING_ERROR' }),
  ],
  [
    'a failed charge without a grace period takes nothing away',
    '2026-02-01',
    bought,
    told('BILLING_ISSUE', '2026-01-31'),
  ],
  ['a cancellation is proof enough of what was paid for', '2026-02-01', told('CANCELLATION', '2026-01-05')],
  ['a cancellation alone that states no end proves nothing', undefined, told('CANCELLATION', '2026-01-05', UNSTATED)],
  ['a refund ends it at once', '2026-01-05', bought, refund('2026-01-05')],
  [
    'a refund of what never ends ends it too',
    '2026-01-05',
    told('INITIAL_PURCHASE', '2026-01-01', UNSTATED),
    refund('2026-01-05', UNSTATED),
  ],
  ['a refund after the end moves no end', '2026-02-01', bought, refund('2026-02-20')],
  [
    'a reversed refund gives it back',
    '2026-02-01',
    bought,
    refund('2026-01-05'),
    told('REFUND_REVERSED', '2026-01-07'),
  ],
  [
    'a reversed refund that states no end gives back what was',
    '2026-02-01',
    bought,
    refund('2026-01-05'),
    told('REFUND_REVERSED', '2026-01-07', UNSTATED),
  ],
  [
    'a refund of an earlier period leaves the newest',
    '2026-03-01',
    bought,
    told('RENEWAL', '2026-02-01', FEBRUARY),
    refund('2026-02-05'),
  ],
  ['an expiration ends it', '2026-02-01', bought, told('EXPIRATION', '2026-02-01')],
  [
    'an expiration before its time ends it at the time it tells',
    '2026-01-10',
    bought,
    told('EXPIRATION', '2026-01-11', { ...JANUARY, expiration_at_ms: '2026-01-10' }),
  ],
  [
    'an expiration that tells no time ends it when it was told',
    '2026-01-11',
    bought,
    told('EXPIRATION', '2026-01-11', UNSTATED),
  ],
  ['an expiration ahead of its time ends it now', '2026-01-11', bought, told('EXPIRATION', '2026-01-11')],
  [
    'an expiration that a renewal has overtaken ends nothing',
    '2026-03-01',
    bought,
    told('RENEWAL', '2026-02-01', FEBRUARY),
    told('EXPIRATION', '2026-02-02'),
  ],
  [
    'an expiration that belongs to no period ends the newest',
    '2026-02-10',
    bought,
    told('RENEWAL', '2026-02-01', FEBRUARY),
    told('EXPIRATION', '2026-02-10', { purchased_at_ms: null }),
  ],
  [
    'an extension after the end gives access again',
    '2026-02-20',
    bought,
    told('EXPIRATION', '2026-02-01'),
    told('SUBSCRIPTION_EXTENDED', '2026-02-02', { ...JANUARY, expiration_at_ms: '2026-02-20' }),
  ],
  ['a pause to come takes nothing away', '2026-02-01', bought, told('SUBSCRIPTION_PAUSED', '2026-01-05')],
  [
    'a pause to come gives nothing back',
    '2026-01-05',
    bought,
    refund('2026-01-05'),
    told('SUBSCRIPTION_PAUSED', '2026-01-07'),
  ],
  [
    'a cancellation that is taken back leaves everything',
    '2026-02-01',
    bought,
    told('CANCELLATION', '2026-01-05'),
    told('UNCANCELLATION', '2026-01-06'),
  ],
  [
    'a subscription that is said to run on after a refund runs on',
    '2026-02-01',
    bought,
    refund('2026-01-05'),
    told('UNCANCELLATION', '2026-01-06'),
  ],
  [
    'a grace period that ends before the period does takes nothing away',
    '2026-02-01',
    told('BILLING_ISSUE', '2026-01-05', { ...JANUARY, grace_period_expiration_at_ms: '2026-01-20' }),
  ],
  [
    "a refund's reason with anything but a cancellation is no refund",
    '2026-02-01',
    bought,
    told('BILLING_ISSUE', '2026-01-05', { ...JANUARY, cancel_reason: 'CUSTOMER_SUPPORT' }),
  ],
  [
    'a change of product decides nothing while the purchase is known',
    '2026-02-01',
    bought,
    told('PRODUCT_CHANGE', '2026-01-05', { purchased_at_ms: '2026-01-05', expiration_at_ms: '2027-01-05' }),
  ],
  ['a change of product counts where nothing else is known', '2026-02-01', told('PRODUCT_CHANGE', '2026-01-05')],
];

describe('what a purchase is worth', () => {
  for (const [guarantee, until, ...events] of stories) {
    test(guarantee, () => assert.equal(untilOf(events), until));
  }
});

test('the entitlement is the one last named for the newest period', () => {
  const events = [
    told('INITIAL_PURCHASE', '2026-01-01', { ...JANUARY, entitlement_ids: ['old'] }),
    told('RENEWAL', '2026-02-01', { ...FEBRUARY, entitlement_ids: ['new'] }),
    told('SUBSCRIPTION_EXTENDED', '2026-02-01', { ...FEBRUARY, entitlement_ids: ['newest'] }),
    told('CANCELLATION', '2026-02-02', { ...FEBRUARY, entitlement_ids: null }),
    told('EXPIRATION', '2026-02-03', { ...JANUARY, entitlement_ids: ['older'] }),
    told('PRODUCT_CHANGE', '2026-02-04', { ...FEBRUARY, entitlement_ids: ['future'] }),
  ];
  const standing = standingOf(events.map((event) => readEvent(JSON.stringify({ event }))));
  assert.deepEqual(standing, { until: millis('2026-03-01'), entitlements: ['newest'] });
});
