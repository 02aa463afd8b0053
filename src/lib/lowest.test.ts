import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Lowest } from './lowest.ts';

test('exactly the lowest values are kept, in order, equal ones as they came', () => {
  const values = fc.array(fc.record({ key: fc.integer({ min: 0, max: 9 }), name: fc.nat() }), { maxLength: 30 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 12 }), (all, most) => {
      const lowest = new Lowest<{ key: number; name: number }>(most, (one, other) => one.key - other.key);
      for (const value of all) lowest.add(value);
      assert.deepEqual(lowest.values, all.toSorted((one, other) => one.key - other.key).slice(0, most));
    }),
  );
});

test('a value that is too high says so, so that a reader in order can stop', () => {
  const lowest = new Lowest<number>(2, (one, other) => one - other);
  assert.deepEqual([lowest.add(5), lowest.add(3), lowest.add(5), lowest.add(4)], [true, true, false, true]);
  assert.deepEqual(lowest.values, [3, 4]);
});
