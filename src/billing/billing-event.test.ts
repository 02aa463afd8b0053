import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CODE_POINT } from '../../test/support/code-point.ts';
import { sized } from '../../test/support/size.ts';
import { readEvent, replaceNames } from './billing-event.ts';

const ADA = '019cab00-0000-7000-8000-00000000000a';
const NEEDED = { id: '1', type: 'RENEWAL' };

const read = (fields: object) => readEvent(JSON.stringify({ event: { ...NEEDED, ...fields } }));

test('an event with arbitrary values in its optional fields is read, and every value read can be stored', () => {
  const names = ['app_user_id', 'original_app_user_id', 'aliases', 'transferred_from', 'transferred_to', 'store'];
  const others = ['entitlement_ids', 'entitlement_id', 'product_id', 'original_transaction_id', 'event_timestamp_ms'];
  const times = [
    'purchased_at_ms',
    'expiration_at_ms',
    'grace_period_expiration_at_ms',
    'environment',
    'cancel_reason',
  ];
  const odd = fc.oneof(
    fc.jsonValue({ stringUnit: CODE_POINT }),
    fc.constantFrom('\0', '\ud800', 'x'.repeat(300), -1, 1e300, 8.64e15, 1.5, [['x']], { toString: 1 }, ''),
    fc.array(fc.string({ unit: CODE_POINT })),
  );
  const fields = fc.record(Object.fromEntries([...names, ...others, ...times].map((name) => [name, odd])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(fields, (given) => {
      const { at, expiresAt, names: own, from, to, entitlements, store, environment } = read(given);
      for (const moment of [at, expiresAt ?? 0]) {
        assert.ok(moment >= 0 && Number.isInteger(moment) && !Number.isNaN(new Date(moment).getTime()));
      }
      for (const text of [...own, ...from, ...to, ...entitlements, store ?? 'x', environment ?? 'x']) {
        assert.ok(text.length > 0 && text.length <= 255 && text.isWellFormed() && !text.includes('\0'), text);
      }
    }),
    { numRuns: sized(500, 2_000) },
  );
});

test('names come from all three fields, each once, with account ids in lower case', () => {
  const { names } = read({
    app_user_id: ADA.toUpperCase(),
    original_app_user_id: 'Anon',
    aliases: [ADA, 'anon', 'Anon'],
  });
  assert.deepEqual(names, [ADA, 'Anon', 'anon']);
});

test('at most 200 names are read from one event', () => {
  const aliases = Array.from({ length: 1_000 }, (_, index) => `anon-${index}`);
  const { names } = read({ app_user_id: ADA, aliases });
  assert.deepEqual([names.length, names[0]], [200, ADA]);
});

test('an event without a time of its own has the time of the purchase', () => {
  assert.deepEqual([read({ purchased_at_ms: 7 }).at, read({ event_timestamp_ms: 5, purchased_at_ms: 7 }).at], [7, 5]);
  assert.equal(read({ event_timestamp_ms: '5' }).at, 0);
});

test('the old entitlement field counts if the new one is empty', () => {
  assert.deepEqual(read({ entitlement_id: 'old', entitlement_ids: null }).entitlements, ['old']);
  assert.deepEqual(read({ entitlement_id: 'old', entitlement_ids: [] }).entitlements, ['old']);
  assert.deepEqual(read({ entitlement_id: 'old', entitlement_ids: ['new'] }).entitlements, ['new']);
});

test('an event with replaced names is read as before, and no longer names the account or the person', () => {
  const event = {
    ...NEEDED,
    event_timestamp_ms: 1,
    environment: 'PRODUCTION',
    app_user_id: ADA,
    original_app_user_id: 'anon',
    aliases: [ADA.toUpperCase(), 'anon'],
    transferred_from: [ADA],
    transferred_to: ['x'],
    store: 'STRIPE',
    original_transaction_id: '9',
    product_id: 'p',
    entitlement_ids: ['pro'],
    entitlement_id: 'pro',
    purchased_at_ms: 2,
    expiration_at_ms: 3,
    grace_period_expiration_at_ms: 4,
    cancel_reason: 'UNKNOWN',
    subscriber_attributes: { $email: { value: 'ada@example.org' } },
  };
  const before = readEvent(`\ufeff${JSON.stringify({ api_version: '1.0', event })}`);
  const payload = replaceNames(`\ufeff${JSON.stringify({ api_version: '1.0', event })}`, new Map([[ADA, 'pseudonym']]));
  assert.deepEqual(readEvent(payload), { ...before, names: ['pseudonym', 'anon'], from: ['pseudonym'] });
  assert.doesNotMatch(payload, new RegExp(`${ADA}|ada@example`, 'i'));
});
