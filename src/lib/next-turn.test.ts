import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { holdTurns, nextTurn } from './next-turn.ts';

test('one caller is admitted per turn, and none while work holds the turns, even if it fails', async () => {
  const admitted: string[] = [];
  const admit = (name: string) => nextTurn().then(() => admitted.push(name));
  const [a, b] = [admit('a'), admit('b')];
  await a;
  assert.deepEqual(admitted, ['a']);
  const held = Promise.withResolvers<void>();
  const holding = assert.rejects(
    holdTurns(() => held.promise),
    /disk full/,
  );
  const later = admit('c');
  for (let turns = 0; turns < 5; turns += 1) await nextImmediate();
  assert.deepEqual(admitted, ['a', 'b']);
  held.reject(new Error('disk full'));
  await Promise.all([b, holding, later]);
  assert.deepEqual(admitted, ['a', 'b', 'c']);
});
