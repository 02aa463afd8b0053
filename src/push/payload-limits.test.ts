import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { truncateToBytes } from './payload-limits.ts';

test('a text is cut between graphemes, fits, and stays whole if it fits already', () => {
  assert.equal(truncateToBytes('abc', 3), 'abc');
  assert.equal(truncateToBytes('abcdef', 5), 'ab…');
  assert.equal(truncateToBytes('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 30), '👩‍👩‍👧‍👦…');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 3, max: 400 }), (text, maxBytes) => {
      const cut = truncateToBytes(text, maxBytes);
      assert.ok(Buffer.byteLength(cut) <= maxBytes);
      assert.ok(cut.isWellFormed());
      if (cut !== text) assert.ok(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…'));
    }),
  );
});
