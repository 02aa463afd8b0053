import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { decrypt } from '../../../test/support/web-push-service.ts';
import { PushError } from '../push-error.ts';
import { encrypt } from './encrypt.ts';

function keyPairOf(privateKey?: string) {
  const pair = createECDH('prime256v1');
  if (privateKey === undefined) pair.generateKeys();
  else pair.setPrivateKey(privateKey, 'base64url');
  return pair;
}

/** RFC 8291, appendix A. */
const EXAMPLE = {
  plaintext: 'When I grow up, I want to be a watermelon',
  senderKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  browserKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of RFC 8291 is reproduced exactly', () => {
  const { plaintext, senderKey, browserKey, auth, salt, body } = EXAMPLE;
  const keys = { p256dh: keyPairOf(browserKey).getPublicKey('base64url'), auth };
  const encrypted = encrypt(plaintext, keys, keyPairOf(senderKey), Buffer.from(salt, 'base64url'));
  assert.equal(encrypted.toString('base64url'), body);
});

const BROWSER = keyPairOf();
const AUTH = Buffer.alloc(16, 7);
const KEYS = { p256dh: BROWSER.getPublicKey('base64url'), auth: AUTH.toString('base64url') };

test('the browser can decrypt a push, which is 103 bytes longer than its plaintext', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (plaintext) => {
      const body = encrypt(plaintext, KEYS);
      assert.equal(decrypt(body, BROWSER, AUTH), plaintext);
      assert.equal(body.length, Buffer.byteLength(plaintext) + 103);
    }),
    { numRuns: 25 },
  );
});

test('the largest payload makes the largest body that a push service must accept', () => {
  assert.equal(encrypt('x'.repeat(3_993), KEYS).length, 4_096);
});

test('no two pushes share a key or a salt', () => {
  const [first, second] = [encrypt('same', KEYS), encrypt('same', KEYS)];
  assert.notDeepEqual(first.subarray(0, 16), second.subarray(0, 16));
  assert.notDeepEqual(first.subarray(21, 86), second.subarray(21, 86));
});

const UNUSABLE = [
  ['missing', null],
  ['empty', { ...KEYS, p256dh: '' }],
  ['too short', { ...KEYS, p256dh: KEYS.p256dh.slice(0, -4) }],
  ['not on the curve', { ...KEYS, p256dh: Buffer.alloc(65, 4).toString('base64url') }],
  ['incomplete: a short secret', { ...KEYS, auth: 'AAAA' }],
  ['wrong: a long secret', { ...KEYS, auth: Buffer.alloc(17).toString('base64url') }],
] as const;

for (const [name, keys] of UNUSABLE) {
  test(`a push is rejected if its keys are ${name}`, () => {
    assert.throws(
      () => encrypt('text', keys),
      (error) => {
        assert.ok(error instanceof PushError);
        assert.deepEqual(error.result, { kind: 'gone', reason: 'bad_subscription_keys' });
        return true;
      },
    );
  });
}
