import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoadShedding } from './load-shedding.ts';

test('in an overload only a few requests are under way, until a second passes in which they were enough', async (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  let queue = 10;
  const load = new LoadShedding({ maxTurnMs: 15, patienceMs: 50 }, () => queue);
  for (; now <= 150; now += 75) {
    load.refusesNext();
    await nextTurn();
  }
  assert.equal(load.isOverloaded, true);

  queue = 0;
  const ends: (() => void)[] = [];
  while (!load.refusesNext()) ends.push(load.accept());
  assert.equal(ends.length, 24);
  ends.pop()?.();
  assert.equal(load.refusesNext(), false);

  // Refusals keep the overload alive.
  ends.push(load.accept());
  now += 900;
  for (const end of ends.splice(0)) end();
  while (!load.refusesNext()) ends.push(load.accept());
  now += 900;
  assert.equal(load.isOverloaded, true);

  now += 200;
  assert.equal(load.isOverloaded, false);
  assert.equal(load.refusesNext(), false);
  await nextTurn();
});
