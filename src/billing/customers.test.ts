import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { customersOf } from './customers.ts';

const NAMES = [...'abcdefgh'];

/** Everybody who can be reached from a name, found the slow way. */
function reachable(start: string, told: readonly (readonly string[])[]): Set<string> {
  const reached = new Set([start]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const names of told) if (names.some((name) => reached.has(name))) for (const name of names) reached.add(name);
  }
  return reached;
}

test('two names are one customer exactly where one leads to the other through names told together', () => {
  const stories = fc.array(fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }), { maxLength: 8 });
  const agrees = fc.property(stories, (told) => {
    const customerOf = customersOf(told);
    for (const name of NAMES) {
      const same = NAMES.filter((other) => customerOf(other) === customerOf(name));
      assert.deepEqual(new Set(same), reachable(name, told));
    }
  });
  fc.assert(agrees, { numRuns: 2_000 });
});
