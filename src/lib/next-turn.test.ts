import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { beginShort, nextTurn, stopBeingShort, turnForStatement } from './next-turn.ts';

const ignore = () => undefined;

async function passTurns(count: number): Promise<void> {
  for (let turns = 0; turns < count; turns += 1) await nextImmediate();
}

/** Time stands still unless it is moved. */
function startWorld(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const admitted: string[] = [];
  return {
    admitted,
    ask: (name: string) => void nextTurn().then(() => admitted.push(name)),
    pass: async (ms: number) => {
      now += ms;
      context.mock.timers.tick(ms);
      await passTurns(5);
    },
  };
}

test('one caller is admitted per turn, in order', async (context) => {
  const { admitted, ask } = startWorld(context);
  for (const name of ['a', 'b', 'c']) ask(name);
  const counts: number[] = [];
  for (let turns = 0; turns < 4; turns += 1) {
    await nextImmediate();
    counts.push(admitted.length);
  }
  assert.deepEqual(admitted, ['a', 'b', 'c']);
  assert.ok(counts.every((count, index) => count - (counts[index - 1] ?? 0) <= 1));
});

test('long work waits for every short request under way, those that arrive meanwhile too', async (context) => {
  const { admitted, ask } = startWorld(context);
  const endFirst = beginShort(ignore);
  ask('page');
  await passTurns(5);
  assert.deepEqual(admitted, []);
  const endSecond = beginShort(ignore);
  endFirst();
  await passTurns(5);
  assert.deepEqual(admitted, []);
  endSecond();
  await passTurns(5);
  assert.deepEqual(admitted, ['page']);
});

test('a steady stream of short requests delays each page by 25 ms and no longer', async (context) => {
  const { admitted, ask, pass } = startWorld(context);
  let end = beginShort(ignore);
  ask('first page');
  ask('second page');
  await passTurns(1);
  const seen: number[] = [];
  for (let ms = 0; ms < 60; ms += 5) {
    const endLast = end;
    end = beginShort(ignore);
    endLast();
    await pass(5);
    seen.push(admitted.length);
  }
  end();
  assert.deepEqual(seen, [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]);
});

test('a request that asks for a turn, goes on for long, or is not short at all, delays nobody', async (context) => {
  const { admitted, ask, pass } = startWorld(context);
  const ends = [beginShort(stopBeingShort), beginShort(() => ask('long answer'))];
  await passTurns(5);
  assert.deepEqual(admitted, ['long answer']);
  ends.push(beginShort(ignore));
  await pass(25);
  ask('page');
  await passTurns(5);
  assert.deepEqual(admitted, ['long answer', 'page']);
  for (const end of ends) end();
});

test('a request that has asked for a turn asks again before a statement, 2 ms after its last turn and until it is over', async (context) => {
  const { pass } = startWorld(context);
  const waits: boolean[] = [];
  const run = Promise.withResolvers<void>();
  const end = beginShort(async () => {
    const isAsked = () => waits.push(turnForStatement() !== undefined);
    isAsked();
    await nextTurn();
    isAsked();
    await run.promise;
    isAsked();
    end();
    isAsked();
  });
  await passTurns(5);
  await pass(2);
  run.resolve();
  await passTurns(5);
  assert.deepEqual(waits, [false, false, true, false]);
});
