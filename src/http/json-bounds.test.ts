import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findExcess } from './json-bounds.ts';

const MOST_VALUES = 1_000;
const problemIn = (text: string) => findExcess(Buffer.from(text), { values: MOST_VALUES, fields: 100 })?.type;

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
  for (const start of ['"', '\\', '\\"', '"\\'])
    assert.equal(problemIn(JSON.stringify(start + '['.repeat(100))), undefined, start);
  assert.equal(problemIn(`"${'['.repeat(100)}`), undefined);
  assert.equal(problemIn(`"\\`), undefined);
});

test('a document with too many values or fields is refused before it is parsed', () => {
  assert.equal(problemIn(`[${'1,'.repeat(MOST_VALUES - 2)}1]`), undefined);
  assert.equal(problemIn(`[${'1,'.repeat(MOST_VALUES - 1)}1]`), 'too_long');
  assert.equal(problemIn(`[${'{}'.repeat(MOST_VALUES)}`), 'too_long');
  const fields = (count: number) => `{${Array.from({ length: count }, (_, index) => `"a:${index}":1`).join(',')}}`;
  assert.equal(problemIn(fields(100)), undefined);
  assert.equal(problemIn(fields(101)), 'too_long');
});
