import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyIdOf, Vault } from './vault.ts';

const secret = fc.string({ minLength: 32, maxLength: 64 });
const keys = fc.uniqueArray(secret, { minLength: 1, maxLength: 4 }) as fc.Arbitrary<[string, ...string[]]>;

test('a value sealed with any available key opens, but only in its own context', () => {
  fc.assert(
    fc.property(keys, fc.nat(), fc.string(), fc.string(), (available, which, context, text) => {
      const own = available[which % available.length] ?? '';
      const sealed = new Vault([own]).seal(context, text);
      assert.equal(new Vault(available).open(context, sealed), text);
      assert.throws(() => new Vault(available).open(`${context}!`, sealed));
      assert.equal(new Vault(available).keyStatusOf(sealed), own === available[0] ? 'current' : 'older');
    }),
  );
});

test('a value sealed with a missing key is recognised, and never opens', () => {
  fc.assert(
    fc.property(keys, secret, (available, other) => {
      fc.pre(!available.includes(other));
      const sealed = new Vault([other]).seal('x', 'text');
      assert.equal(new Vault(available).keyStatusOf(sealed), 'missing');
      assert.throws(() => new Vault(available).open('x', sealed), /not configured/);
    }),
  );
});

test('a code has one hash per available key, the newest first', () => {
  fc.assert(
    fc.property(keys, fc.string(), (available, code) => {
      const vault = new Vault(available);
      assert.deepEqual(
        vault.hashes('purpose', code),
        available.map((key) => new Vault([key]).hash('purpose', code)),
      );
      assert.equal(vault.hashes('purpose', code)[0], vault.hash('purpose', code));
      assert.ok(!vault.hashes('another purpose', code).includes(vault.hash('purpose', code)));
      assert.deepEqual(vault.keyIds, available.map(keyIdOf));
    }),
  );
});

test('a hash is of its parts apart, and a damaged value is sealed with no key', () => {
  const vault = new Vault(['a key that is long enough to be taken']);
  const hashes = [vault.hash('a', 'b', 'c'), vault.hash('a b', 'c'), vault.hash('a', 'b c'), vault.hash('a b c')];
  assert.equal(new Set(hashes).size, hashes.length);
  for (const damaged of ['', 'not a sealed value', 'v1.only']) assert.equal(vault.keyStatusOf(damaged), 'missing');
});
