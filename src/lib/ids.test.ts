import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idFromWords, isEndOfId, isUuid, lowestIdAt, newId, withAscendingIds } from './ids.ts';

test('ids of one moment are in the order of their items, and above the lowest of that moment', () => {
  const before = new Date();
  const items = Array.from({ length: 200 }, (_, index) => index);
  const given = withAscendingIds(items);
  const ids = given.map(([id]) => id);
  assert.deepEqual([given.map(([, item]) => item), ids], [items, ids.toSorted()]);
  assert.ok(ids.every((id) => id > lowestIdAt(before) && id < lowestIdAt(new Date(Date.now() + 60_000))));
});

test('the lowest id of any moment is an id: of the first one, of one before it, and of a late one', () => {
  for (const moment of [0, 1, -5, Date.UTC(2026, 2, 2), Date.UTC(9999, 0)])
    assert.ok(isUuid(lowestIdAt(new Date(moment))));
  assert.ok(lowestIdAt(new Date(1)) < lowestIdAt(new Date(2 ** 32)));
  assert.equal(lowestIdAt(new Date(-5)), lowestIdAt(new Date(0)));
});

test('the end of an id is eight digits in any case', () => {
  assert.deepEqual(['0000A1B2', '0000a1b2'].map(isEndOfId), [true, true]);
  assert.deepEqual(['0000a1b', '0000a1b2c', '0000a1bg', newId()].map(isEndOfId), [false, false, false, false]);
});

test('the same words give the same id, and words that are divided otherwise another one', () => {
  assert.equal(idFromWords('a', 'b'), idFromWords('a', 'b'));
  assert.notEqual(idFromWords('a', 'b'), idFromWords('ab'));
  assert.match(idFromWords('a'), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
