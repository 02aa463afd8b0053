import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('a full map forgets what was set the longest ago, and keeps its size', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, index);
  assert.deepEqual(
    [...map],
    [
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ],
  );
  for (let index = 0; index < 100; index += 1) map.set(`key ${index}`, index);
  assert.deepEqual([...map.keys()], ['key 97', 'key 98', 'key 99']);
});
