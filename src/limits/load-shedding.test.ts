import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { delayRefusals, type LoadLimits, LoadShedding } from './load-shedding.ts';

const LIMITS: LoadLimits = { maxTurnMs: 10, maxWaiting: 200, maxWaitMs: 1_000 };

/** Each request takes a millisecond when it begins. */
function startWorld(context: TestContext) {
  const world = { now: 0, waitingPerConnection: 0, begun: [] as string[], refused: [] as string[] };
  context.mock.method(performance, 'now', () => world.now);
  const load = new LoadShedding(LIMITS, world);
  const arrive = (caller: string, count = 1) => {
    for (let arrived = 0; arrived < count; arrived += 1) {
      const begin = () => {
        world.begun.push(caller);
        world.now += 1;
      };
      load.admit(() => caller, { begin, refuse: () => world.refused.push(caller) });
    }
  };
  return { world, load, arrive };
}

const people = (count: number) => Array.from({ length: count }, (_, index) => `person ${index}`);

test('on an idle process 200 people at once are all served, a few per turn and in order', async (context) => {
  const { world, load, arrive } = startWorld(context);
  for (const person of people(200)) arrive(person);
  assert.equal(world.begun.length, 11);
  await nextTurn();
  assert.equal(world.begun.length, 22);
  for (let turns = 2; turns < 19; turns += 1) await nextTurn();
  assert.deepEqual(world.begun, people(200));
  assert.deepEqual([world.refused, load.isOverloaded], [[], false]);
});

test('a burst beyond the limit loses only what is beyond it; an overload that lasts lets few wait', async (context) => {
  const { world, load, arrive } = startWorld(context);
  arrive('crowd', 250);
  assert.deepEqual([world.begun.length, world.refused.length], [11, 39]);
  assert.equal(load.isOverloaded, true);

  world.now += 21;
  arrive('crowd');
  assert.equal(world.refused.length, 39 + 189);
  await nextTurn();
  assert.equal(world.begun.length, 11 + 3);
  for (let turns = 1; turns < 6; turns += 1) await nextTurn();
  assert.equal(world.begun.length, 11 + 12);

  // Each refusal makes it last.
  world.now += 1_400;
  arrive('crowd', 30);
  world.now += 1_400;
  assert.equal(load.isOverloaded, true);
  world.now += 200;
  assert.equal(load.isOverloaded, false);
  await nextTurn();
});

test('a queue that grows is an overload before it is full', async (context) => {
  const { world, load, arrive } = startWorld(context);
  // In each event-loop turn about 11 requests begin and three times as many arrive.
  for (let turns = 0; turns < 8 && !load.isOverloaded; turns += 1) {
    arrive(`turn ${turns}`, 33);
    await nextTurn();
  }
  assert.equal(load.isOverloaded, true);
  assert.ok(world.begun.length < 100, `${world.begun.length} began before the overload was noticed`);
  assert.ok(world.refused.length >= 100, `${world.refused.length} refused`);
});

test('200 requests that arrive slowly, and a program with 50 connections, are no overload', async (context) => {
  const { world, load, arrive } = startWorld(context);
  for (let turns = 0; turns < 5; turns += 1) {
    arrive('burst', 40);
    world.now += 30;
    await nextTurn();
  }
  while (world.begun.length < 200) await nextTurn();
  arrive('program', 50);
  for (let turns = 0; turns < 20; turns += 1) {
    const answered = world.begun.length;
    await nextTurn();
    arrive('program', world.begun.length - answered);
  }
  assert.deepEqual([world.refused, load.isOverloaded], [[], false]);
  await nextTurn();
});

test('a caller with hundreds of requests costs the others neither a request nor more than one turn', async (context) => {
  const { world, arrive } = startWorld(context);
  arrive('loud', 500);
  world.now += 30;
  for (const person of people(10)) {
    arrive(person);
    arrive('loud', 20);
  }
  for (let turns = 0; turns < 6; turns += 1) await nextTurn();
  assert.deepEqual(new Set(world.refused), new Set(['loud']));
  assert.deepEqual(world.begun.slice(11, 23), [...people(10), 'loud', 'loud']);
});

test('in an overload by many people, those who have waited longest are refused, so that those accepted wait little', async (context) => {
  const { world, arrive } = startWorld(context);
  for (const person of people(250)) arrive(person);
  assert.deepEqual(world.refused, people(250).slice(11, 50));
  world.now += 21;
  arrive('last');
  await nextTurn();
  assert.deepEqual(world.begun.slice(11), people(250).slice(-11, -8));
});

test('while two statements wait for every connection, in an overload a few, no request begins until it is refused', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { world, load, arrive } = startWorld(context);
  world.waitingPerConnection = 2;
  arrive('first', 2);
  world.now += 500;
  arrive('second');
  await nextTurn();
  context.mock.timers.tick(2);
  assert.deepEqual([world.begun, world.refused], [[], []]);

  world.now += 501;
  context.mock.timers.tick(2);
  assert.deepEqual([world.begun, world.refused, load.isOverloaded], [[], ['first'], true]);

  world.waitingPerConnection = 0.5;
  context.mock.timers.tick(2);
  assert.deepEqual(world.begun, []);
  world.waitingPerConnection = 0.2;
  context.mock.timers.tick(2);
  assert.deepEqual(world.begun, ['second']);
});

test('with less than two statements waiting for every connection requests begin at once', (context) => {
  const { world, arrive } = startWorld(context);
  world.waitingPerConnection = 1.9;
  arrive('first');
  assert.deepEqual(world.begun, ['first']);
});

test('refusals are answered after half a second, and beyond 2,000 waiting ones at once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const answerLater = delayRefusals();
  let answered = 0;
  const refuse = (count: number) => {
    for (let refused = 0; refused < count; refused += 1) {
      answerLater(() => {
        answered += 1;
      });
    }
  };
  refuse(2_003);
  assert.equal(answered, 3);
  context.mock.timers.tick(499);
  assert.equal(answered, 3);
  context.mock.timers.tick(1);
  assert.equal(answered, 2_003);
  refuse(1);
  assert.equal(answered, 2_003);
});
