import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findExcess } from './json-bounds.ts';

const problemIn = (text: string) => findExcess(Buffer.from(text))?.type;

test('no ordinary document is refused, whatever characters its texts contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) =>
      assert.equal(problemIn(JSON.stringify(value)), undefined),
    ),
  );
});

test('brackets inside texts do not count towards the depth, even in a text without an end', () => {
  assert.equal(problemIn('['.repeat(65)), 'too_deep');
  assert.equal(problemIn('{"a":'.repeat(65)), 'too_deep');
  assert.equal(problemIn(JSON.stringify(['['.repeat(100), `"\\"${'{'.repeat(100)}`])), undefined);
  assert.equal(problemIn(`"${'['.repeat(100)}`), undefined);
  assert.equal(problemIn(`"\\`), undefined);
});

test('a document with too many values is refused before it is parsed', () => {
  assert.equal(problemIn(`[${'1,'.repeat(3_000_001)}1]`), 'too_long');
});
