import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyIdOf, Vault } from './secrets.ts';

const secret = fc.string({ minLength: 32, maxLength: 64 });
const keys = fc.uniqueArray(secret, { minLength: 1, maxLength: 4 }) as fc.Arbitrary<[string, ...string[]]>;

test('what any of the known keys sealed can be opened, in its own context alone', () => {
  fc.assert(
    fc.property(keys, fc.nat(), fc.string(), fc.string(), (known, which, context, text) => {
      const own = known[which % known.length] ?? '';
      const sealed = new Vault([own]).seal(context, text);
      assert.equal(new Vault(known).open(context, sealed), text);
      assert.throws(() => new Vault(known).open(`${context}!`, sealed));
      assert.equal(new Vault(known).ageOf(sealed), own === known[0] ? 'current' : 'older');
    }),
  );
});

test('what a key that is not known sealed is told apart, and never opened', () => {
  fc.assert(
    fc.property(keys, secret, (known, other) => {
      fc.pre(!known.includes(other));
      const sealed = new Vault([other]).seal('x', 'text');
      assert.equal(new Vault(known).ageOf(sealed), 'unknown');
      assert.throws(() => new Vault(known).open('x', sealed), /not configured/);
    }),
  );
});

test('a code hashed under any of the known keys is among its hashes, the newest first', () => {
  fc.assert(
    fc.property(keys, fc.string(), (known, code) => {
      const vault = new Vault(known);
      assert.deepEqual(
        vault.hashes('purpose', code),
        known.map((key) => new Vault([key]).hash('purpose', code)),
      );
      assert.equal(vault.hashes('purpose', code)[0], vault.hash('purpose', code));
      assert.ok(!vault.hashes('another purpose', code).includes(vault.hash('purpose', code)));
      assert.deepEqual(vault.keyIds, known.map(keyIdOf));
    }),
  );
});
