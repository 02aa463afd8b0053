import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyOrder } from './copy-order.ts';

test('each table comes once, and behind all it refers to', () => {
  // Whoever refers only to those before it can be in no circle.
  const tables = fc.array(fc.array(fc.nat({ max: 19 })), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(tables, (parents) => {
      const references = new Map(
        parents
          .map((numbers, index) => [`t${index}`, numbers.filter((n) => n < index).map((n) => `t${n}`)] as const)
          .reverse(),
      );
      const order = copyOrder(references);
      assert.deepEqual(order.toSorted(), [...references.keys()].toSorted());
      for (const [name, wanted] of references)
        for (const parent of wanted) assert.ok(order.indexOf(parent) < order.indexOf(name));
    }),
  );
});

test('a circle has no order', () => {
  assert.throws(
    () =>
      copyOrder(
        new Map([
          ['a', ['b']],
          ['b', ['a']],
        ]),
      ),
    /circle/,
  );
});
