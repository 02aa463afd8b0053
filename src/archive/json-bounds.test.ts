import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findUnbounded } from './json-bounds.ts';

const judge = (text: string) => findUnbounded(Buffer.from(text))?.type;

test('no sensible document is refused, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) =>
      assert.equal(judge(JSON.stringify(value)), undefined),
    ),
  );
});

test('depth is counted outside of texts alone, and a text without an end is no danger', () => {
  assert.equal(judge('['.repeat(65)), 'too_deep');
  assert.equal(judge('{"a":'.repeat(65)), 'too_deep');
  assert.equal(judge(JSON.stringify(['['.repeat(100), `"\\"${'{'.repeat(100)}`])), undefined);
  assert.equal(judge(`"${'['.repeat(100)}`), undefined);
  assert.equal(judge(`"\\`), undefined);
});

test('a document of too many values is refused before it is parsed', () => {
  assert.equal(judge(`[${'1,'.repeat(3_000_001)}1]`), 'too_long');
});
