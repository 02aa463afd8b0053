import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderByReferences } from './source.ts';

test('each table comes once, after all tables it references', () => {
  // A table references only tables with a lower number, so there is no cycle.
  const tables = fc.array(fc.array(fc.nat({ max: 19 })), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(tables, (parents) => {
      const references = new Map(
        parents
          .map((numbers, index) => [`t${index}`, numbers.filter((n) => n < index).map((n) => `t${n}`)] as const)
          .reverse(),
      );
      const order = orderByReferences(references);
      assert.deepEqual(order.toSorted(), [...references.keys()].toSorted());
      for (const [name, needed] of references)
        for (const parent of needed) assert.ok(order.indexOf(parent) < order.indexOf(name));
    }),
  );
});

test('tables that reference each other in a cycle have no order', () => {
  const cycle = new Map([
    ['a', ['b']],
    ['b', ['a']],
  ]);
  assert.throws(() => orderByReferences(cycle), /cycle/);
});
