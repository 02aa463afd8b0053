import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { billingYear, EXPECTED, millis, type ProviderEvent, providerEvent } from '../../test/support/billing-year.ts';
import { sized } from '../../test/support/size.ts';
import { planAt } from '../accounts/plan.ts';
import { readEvent } from './billing-event.ts';
import { type Entitlement, entitlementsFrom, resolveAliases } from './entitlement.ts';

const ANONYMOUS = '$RCAnonymousID:8f6a1c';
const CAST = {
  anonymous: ANONYMOUS,
  ada: '019cab00-0000-7000-8000-00000000000a',
  grace: '019cab00-0000-7000-8000-00000000000b',
};
const NAMES = [CAST.ada, CAST.grace, ANONYMOUS];
const YEAR = billingYear(CAST).filter(({ environment }) => environment !== 'SANDBOX');

const read = (events: readonly ProviderEvent[]) => events.map((event) => readEvent(JSON.stringify({ event })));

/** The plan and the date on which it ends. */
function seen(entitlement: Entitlement | undefined, moment?: string): readonly [string, string | null] {
  const facts = { plan: entitlement?.plan ?? 'free', plan_expires_at: entitlement?.expiresAt ?? null };
  const { plan, plan_expires_at } = moment === undefined ? facts : planAt(facts, new Date(millis(moment)));
  return [plan, plan_expires_at?.toISOString().replace('T00:00:00.000Z', '') ?? null];
}

const everybody = (events: readonly ProviderEvent[]) => {
  const entitlementOf = entitlementsFrom(read(events));
  return NAMES.map((name) => seen(entitlementOf(name)));
};

describe('a recorded year', () => {
  for (const [moment, ada, grace, why] of EXPECTED) {
    test(`on ${moment}: ${why}`, () => {
      const entitlementOf = entitlementsFrom(
        read(YEAR.filter(({ event_timestamp_ms }) => event_timestamp_ms <= millis(moment))),
      );
      assert.deepEqual(seen(entitlementOf(CAST.ada), moment), ada);
      assert.deepEqual(seen(entitlementOf(CAST.grace), moment), grace);
    });
  }

  test('ends with the same plans in any order of arrival, and with repeated events', () => {
    const [inOrder, whole] = [everybody(YEAR), { minLength: YEAR.length, maxLength: YEAR.length }];
    const arrivals = fc.tuple(fc.shuffledSubarray([...YEAR], whole), fc.array(fc.constantFrom(...YEAR)), fc.nat());
    const same = fc.property(arrivals, ([events, repeats, at]) => {
      const cut = at % events.length;
      assert.deepEqual(everybody([...events.slice(0, cut), ...repeats, ...events.slice(cut)]), inOrder);
    });
    fc.assert(same, { numRuns: sized(600, 3_000) });
  });

  test('with missing events still ends with the same plans in any order', () => {
    const some = fc.subarray([...YEAR]).chain((events) => {
      const whole = { minLength: events.length, maxLength: events.length };
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(events, whole));
    });
    fc.assert(
      fc.property(some, ([inOrder, arrived]) => assert.deepEqual(everybody(arrived), everybody(inOrder))),
      { numRuns: sized(500, 2_000) },
    );
  });
});

const TYPES = [
  'INITIAL_PURCHASE',
  'RENEWAL',
  'CANCELLATION',
  'EXPIRATION',
  'BILLING_ISSUE',
  'REFUND_REVERSED',
  'TRANSFER',
  'PRODUCT_CHANGE',
  'UNCANCELLATION',
  'NON_RENEWING_PURCHASE',
  'TEMPORARY_ENTITLEMENT_GRANT',
  'UNKNOWN_TYPE',
];
const moments = fc.constantFrom(...['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map(millis));
const someNames = fc.subarray(NAMES);
const anyEvent = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    event_timestamp_ms: moments,
    app_user_id: fc.constantFrom(...NAMES),
    aliases: someNames,
    transferred_from: someNames,
    transferred_to: someNames,
    store: fc.constantFrom('APP_STORE', 'STRIPE'),
    original_transaction_id: fc.constantFrom('1', '2', null),
    product_id: fc.constantFrom('a', 'b'),
    entitlement_ids: fc.constantFrom(['pro'], ['basic'], ['basic', 'pro'], null),
    purchased_at_ms: moments,
    expiration_at_ms: fc.oneof(moments, fc.constant(null)),
    grace_period_expiration_at_ms: moments,
    cancel_reason: fc.constantFrom('CUSTOMER_SUPPORT', 'UNSUBSCRIBE'),
  },
  { requiredKeys: ['type', 'event_timestamp_ms'] },
);

test('the order of arrival never matters, not even for events of the same time', () => {
  const histories = fc.array(anyEvent, { maxLength: 12 }).chain((events) => {
    const numbered = events.map((event, index) => ({ ...event, id: String(index) }) as ProviderEvent);
    const whole = { minLength: events.length, maxLength: events.length };
    return fc.tuple(fc.constant(numbered), fc.shuffledSubarray(numbered, whole));
  });
  fc.assert(
    fc.property(histories, ([numbered, arrived]) => assert.deepEqual(everybody(arrived), everybody(numbered))),
    { numRuns: sized(1_000, 5_000) },
  );
});

const FREE = ['free', null];
const paidUntil = (day: string) => ['paid', day];

const bought = (at: string, fields: object) =>
  providerEvent(
    'INITIAL_PURCHASE',
    at,
    { app_user_id: CAST.ada, purchased_at_ms: at, ...fields },
    JSON.stringify([at, fields]),
  );

test('of several purchases the one that lasts longest is the plan, and of equal ones the first by name', () => {
  const long = bought('2026-01-01', {
    original_transaction_id: '1',
    entitlement_ids: ['long'],
    expiration_at_ms: '2027-01-01',
  });
  const short = bought('2026-02-01', {
    original_transaction_id: '2',
    entitlement_ids: ['a'],
    expiration_at_ms: '2026-03-01',
  });
  const equal = bought('2026-02-01', {
    original_transaction_id: '3',
    entitlement_ids: ['x', 'b'],
    expiration_at_ms: '2027-01-01',
  });
  assert.deepEqual(everybody([long, short])[0], ['long', '2027-01-01']);
  assert.deepEqual(everybody([long, short, equal])[0], ['b', '2027-01-01']);
});

test('a lifetime purchase outlasts every date, and two stores may use the same transaction id', () => {
  const dated = {
    store: 'STRIPE',
    original_transaction_id: '1',
    entitlement_ids: ['dated'],
    expiration_at_ms: '2199-01-01',
  };
  const lifetime = { store: 'PADDLE', original_transaction_id: '1', entitlement_ids: ['z'] };
  assert.deepEqual(everybody([bought('2026-01-02', dated), bought('2026-01-01', lifetime)])[0], ['z', null]);
});

test('without a transaction id a purchase is identified by customer and product, across renewals', () => {
  const first = bought('2026-01-01', { product_id: 'a', expiration_at_ms: '2026-02-01' });
  const second = bought('2026-02-01', { product_id: 'a', expiration_at_ms: '2026-03-01' });
  const ended = { purchased_at_ms: '2026-02-01', expiration_at_ms: '2026-02-10', product_id: 'a' };
  const hers = providerEvent('EXPIRATION', '2026-02-10', { ...ended, app_user_id: CAST.ada });
  const others = providerEvent('EXPIRATION', '2026-02-10', { ...ended, app_user_id: CAST.grace });
  assert.deepEqual(everybody([first, second, hers])[0], paidUntil('2026-02-10'));
  assert.deepEqual(everybody([first, second, others])[0], paidUntil('2026-03-01'));
});

test('the same transaction id in the sandbox is another purchase', () => {
  const real = bought('2026-01-01', { original_transaction_id: '1', expiration_at_ms: '2027-01-01' });
  const played = { app_user_id: CAST.ada, original_transaction_id: '1', environment: 'SANDBOX' };
  assert.deepEqual(everybody([real, providerEvent('EXPIRATION', '2026-02-01', played)])[0], paidUntil('2027-01-01'));
});

test('two products without a transaction id are two purchases', () => {
  const long = bought('2026-01-01', { product_id: 'a', expiration_at_ms: '2027-01-01' });
  const short = bought('2026-02-01', { product_id: 'b', expiration_at_ms: '2026-03-01' });
  assert.deepEqual(everybody([long, short])[0], paidUntil('2027-01-01'));
});

test('a temporary grant does not shorten the purchase that it stands in for', () => {
  const transaction = { app_user_id: CAST.ada, original_transaction_id: '1' };
  const day = { purchased_at_ms: '2026-01-02', expiration_at_ms: '2026-01-03' };
  const grant = providerEvent('TEMPORARY_ENTITLEMENT_GRANT', '2026-01-02', { ...transaction, ...day });
  const real = bought('2026-01-01', { ...transaction, expiration_at_ms: '2027-01-01' });
  assert.deepEqual(everybody([grant, real])[0], paidUntil('2027-01-01'));
  assert.deepEqual(everybody([grant])[0], paidUntil('2026-01-03'));
});

test('an event of an unknown type neither grants, nor ends, nor moves anything', () => {
  const real = bought('2026-01-01', { original_transaction_id: '1', expiration_at_ms: '2027-01-01' });
  const unknown = {
    ...real,
    id: 'unknown',
    type: 'UNKNOWN_TYPE',
    expiration_at_ms: '2028-01-01',
    app_user_id: CAST.grace,
  };
  const event = providerEvent('UNKNOWN_TYPE', '2026-02-01', unknown, 'unknown');
  assert.deepEqual(everybody([real, { ...event, type: 'UNKNOWN_TYPE' }]).slice(0, 2), [paidUntil('2027-01-01'), FREE]);
});

describe('in the same millisecond', () => {
  const same = { app_user_id: CAST.ada, original_transaction_id: '1', purchased_at_ms: '2026-01-01' };
  const at = (type: string, id: string, fields: object = {}) =>
    providerEvent(type, '2026-01-01', { ...same, expiration_at_ms: '2026-02-01', ...fields }, id);

  test('an expiration comes after the renewal that it ends', () => {
    assert.deepEqual(everybody([at('RENEWAL', 'z'), at('EXPIRATION', 'a')])[0], paidUntil('2026-01-01'));
  });

  test('a reversal comes after the refund that it reverses', () => {
    const refund = at('CANCELLATION', 'z', { cancel_reason: 'CUSTOMER_SUPPORT' });
    assert.deepEqual(everybody([at('REFUND_REVERSED', 'a'), refund])[0], paidUntil('2026-02-01'));
  });

  test('a transfer comes after everything that it moves', () => {
    const moved = { app_user_id: null, transferred_from: [CAST.ada], transferred_to: [CAST.grace] };
    for (const type of ['RENEWAL', 'CANCELLATION', 'REFUND_REVERSED']) {
      const [ada, grace] = everybody([at(type, 'z'), at('TRANSFER', 'a', moved)]);
      assert.deepEqual([ada, grace], [FREE, paidUntil('2026-02-01')], type);
    }
  });
});

describe('a transfer', () => {
  const mine = bought('2026-01-01', { original_transaction_id: '1', expiration_at_ms: '2027-01-01' });
  const moved = (at: string, fields: object = { transferred_to: [CAST.grace] }) =>
    providerEvent('TRANSFER', at, { transferred_from: [CAST.ada], ...fields });

  test('moves what was bought in the same millisecond, and nothing that is bought later', () => {
    assert.deepEqual(everybody([mine, moved('2026-01-01')]).slice(0, 2), [FREE, paidUntil('2027-01-01')]);
    assert.deepEqual(everybody([mine, moved('2025-12-31')]).slice(0, 2), [paidUntil('2027-01-01'), FREE]);
  });

  test('affects no other customer, and finds both customers by any of their names', () => {
    const others = bought('2026-01-01', {
      app_user_id: 'other',
      original_transaction_id: '2',
      expiration_at_ms: '2028-01-01',
    });
    const aliases = [
      providerEvent('SUBSCRIBER_ALIAS', '2026-05-01', { aliases: [CAST.ada, 'ada before'] }, 'a'),
      providerEvent('SUBSCRIBER_ALIAS', '2026-05-01', { aliases: [CAST.grace, 'grace before'] }, 'g'),
      providerEvent('SUBSCRIBER_ALIAS', '2026-05-01', { aliases: ['even before', CAST.grace] }, 'h'),
    ];
    const transfer = moved('2026-02-01', { transferred_from: ['ada before'], transferred_to: ['grace before'] });
    const events = [mine, others, transfer, ...aliases];
    assert.deepEqual(everybody(events).slice(0, 2), [FREE, paidUntil('2027-01-01')]);
    assert.deepEqual(seen(entitlementsFrom(read(events))('other')), paidUntil('2028-01-01'));
  });

  test('without a recipient changes nothing', () => {
    assert.deepEqual(everybody([mine, moved('2026-02-01', { transferred_to: [] })])[0], paidUntil('2027-01-01'));
  });

  test('can be followed by another transfer', () => {
    const back = providerEvent('TRANSFER', '2026-03-01', {
      transferred_from: [CAST.grace],
      transferred_to: [ANONYMOUS],
    });
    assert.deepEqual(everybody([back, mine, moved('2026-02-01')]), [FREE, FREE, paidUntil('2027-01-01')]);
  });

  test('is undone by a later event that names another owner of the purchase', () => {
    const renewed = providerEvent('RENEWAL', '2026-03-01', {
      ...mine,
      type: 'RENEWAL',
      id: 'r',
      event_timestamp_ms: '2026-03-01',
    });
    assert.deepEqual(everybody([mine, moved('2026-02-01'), renewed])[0], paidUntil('2027-01-01'));
  });
});

test('names that ever appeared together belong to one customer, over any number of steps', () => {
  const chain = ['c', 'b', 'a'].map((name, index) =>
    providerEvent('SUBSCRIBER_ALIAS', '2026-01-01', { aliases: [name, ['d', 'c', 'b'][index]] }, name),
  );
  const purchase = bought('2026-02-01', { app_user_id: 'a', expiration_at_ms: '2027-01-01' });
  const entitlementOf = entitlementsFrom(read([purchase, ...chain]));
  for (const name of ['a', 'b', 'c', 'd']) assert.deepEqual(seen(entitlementOf(name)), paidUntil('2027-01-01'), name);
  assert.equal(entitlementOf('e'), undefined);
});

const LETTERS = [...'abcdefgh'];

/** All names that can be reached from a name, by repeated search. */
function reachableFrom(start: string, namedTogether: readonly (readonly string[])[]): Set<string> {
  const reached = new Set([start]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const names of namedTogether) {
      if (names.some((name) => reached.has(name))) for (const name of names) reached.add(name);
    }
  }
  return reached;
}

test('two names are one customer exactly if a chain of names that appeared together connects them', () => {
  const lists = fc.array(fc.array(fc.constantFrom(...LETTERS), { maxLength: 3 }), { maxLength: 8 });
  const agrees = fc.property(lists, (namedTogether) => {
    const customerOf = resolveAliases(namedTogether);
    for (const name of LETTERS) {
      const same = LETTERS.filter((other) => customerOf(other) === customerOf(name));
      assert.deepEqual(new Set(same), reachableFrom(name, namedTogether));
    }
  });
  fc.assert(agrees, { numRuns: sized(500, 2_000) });
});
