import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActTokens } from './act-token.ts';
import { isAtLinkedAddress } from './linked-address.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

const tokens = {
  isTo: ({ addressMark }: { addressMark: string }, addressId: string) => addressMark === `of ${addressId}`,
} as unknown as ActTokens;

const CHANNEL = {
  address: 'sealed' as string | null,
  address_hash: 'work',
  verified_at: NOW as Date | null,
  email: 'ada@home.test',
  next_attempt_at: NOW,
};

const acts = (addressMark: string | null, changes: Partial<typeof CHANNEL> = {}) =>
  isAtLinkedAddress(
    tokens,
    { entryId: 'entry', channelId: 'channel', titleMark: null, addressMark },
    {
      ...CHANNEL,
      ...changes,
    },
  );

test('a link acts while its channel has the address that it was sent to, whenever either came', () => {
  for (const ms of [-1, 0, 32_000]) {
    assert.equal(acts('of work', { next_attempt_at: after(ms) }), true);
    assert.equal(acts('of former work', { next_attempt_at: after(ms) }), false);
  }
  assert.equal(acts('of work', { email: 'ada@new.test' }), true, 'the sign-in address is another one');
  assert.equal(acts('of work', { verified_at: null }), false, 'nobody has confirmed the address');
});

test('a link in mail to the sign-in address ends with that address', () => {
  const own = { address: null, address_hash: 'own' };
  assert.equal(acts('of own ada@home.test', own), true);
  assert.equal(acts('of own ada@home.test', { ...own, email: 'ada@new.test' }), false);
});

test('a link that does not know its address acts if it was sent after the present one was confirmed', () => {
  assert.deepEqual(
    [-1, 0, 1].map((ms) => acts(null, { next_attempt_at: after(ms) })),
    [false, true, true],
  );
  assert.equal(acts(null, { verified_at: null }), false);
});
